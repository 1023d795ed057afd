// One axis of a multigrid level: cells, what links them, and how one level's cells lie in the next.
// Numbers of the host; no data of fields.
#pragma once

#include <cstdint>

namespace xp {

/// What is at one end of an axis, for corrections: alpha u + beta du/dn = 0 at the wall, n the
/// outward normal; or the other end follows.
struct AxisEnd {
  bool wraps = false, flips = false;  ///< flips: with the sign changed
  double alpha = 0, beta = 1;
};

/// The cells of an axis that has been coarsened some times. A coarse cell holds two cells of the
/// level below it, the last one three where their number is odd: any number of cells can be
/// coarsened, the widths of the last and the other cells stay within a factor of two, and where
/// cells lie does not depend on how a grid is cut among ranks.
class LevelAxis {
 public:
  LevelAxis() = default;  ///< an axis that is absent: one cell
  LevelAxis(std::int64_t cells, double spacing, const AxisEnd& lower, const AxisEnd& upper)
      : finest_(cells), cells_(cells), spacing_(spacing), ends_{lower, upper}, exists_(true) {}

  bool exists() const { return exists_; }
  std::int64_t cells() const { return cells_; }
  bool can_be_coarsened() const { return cells_ > 1; }
  LevelAxis coarsened() const;

  /// Width of a cell; beyond the ends that of its image.
  double width(std::int64_t cell) const;
  /// What multiplies the difference of two neighbours in the flux through the face below a cell:
  /// 1 / distance of their centres. At a wall the difference is u - 0, and the resistance of half a
  /// cell and of the condition are in series: alpha / (alpha width/2 + beta).
  double link(std::int64_t face) const;

  /// The parent of a cell on the coarsened axis.
  std::int64_t parent(std::int64_t cell) const;
  /// Linear interpolation at a cell's centre: near * its parent + far * the parent's neighbour, on
  /// the lower side for a parent's first cell, else on the upper side. Beyond a wall the value
  /// follows from the condition, and is part of `near`.
  struct Weights {
    double near = 1, far = 0;
  };
  Weights weights(std::int64_t cell) const;

 private:
  double center(std::int64_t cell) const;
  double wall_link(const AxisEnd& end, double width) const;

  std::int64_t finest_ = 1, cells_ = 1, size_ = 1;  // size_: finest cells in one of these
  double spacing_ = 1;
  AxisEnd ends_[2];
  bool exists_ = false;
};

}  // namespace xp
