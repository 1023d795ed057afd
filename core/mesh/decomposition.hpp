// How a grid is cut among ranks: one box of cells for each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <xp/runtime/box.hpp>

namespace xp {

struct GridSpec;

/// A grid cut by planes: parts(x) * parts(y) * parts(z) boxes, whose sizes along an axis differ by
/// at most one cell, except that the ends of a bounded axis keep the cells that its wall stencil
/// needs, and that grids which are coarsened are cut at rounder numbers (GridSpec::coarsens). Ranks
/// are counted with x fastest.
class Decomposition {
 public:
  Decomposition() = default;  ///< one cell, one rank
  /// Throws an Error of kind input when a rank would be left without cells.
  Decomposition(const GridSpec& spec, const std::array<int, 3>& parts);

  /// Cut at these planes along x, y, z: 0, the first cells of all parts but the first, and the
  /// number of cells.
  explicit Decomposition(const std::array<std::vector<std::int64_t>, 3>& cuts) : cuts_(cuts) {}

  int parts(Axis axis) const { return static_cast<int>(cuts(axis).size()) - 1; }
  int ranks() const { return parts(Axis::x) * parts(Axis::y) * parts(Axis::z); }
  std::array<int, 3> place(int rank) const;
  int rank(const std::array<int, 3>& place) const;

  /// Global index of the first cell of a part, and its cells.
  std::int64_t first(Axis axis, int part) const {
    return cuts(axis)[static_cast<std::size_t>(part)];
  }
  int cells(Axis axis, int part) const {
    return static_cast<int>(first(axis, part + 1) - first(axis, part));
  }
  /// The part that holds a global index.
  int part_of(Axis axis, std::int64_t cell) const;

 private:
  const std::vector<std::int64_t>& cuts(Axis axis) const {
    return cuts_[static_cast<std::size_t>(index(axis))];
  }
  std::array<std::vector<std::int64_t>, 3> cuts_{{{0, 1}, {0, 1}, {0, 1}}};
};

/// The decomposition among so many ranks with the least to exchange: cells at cuts, of which the
/// ends of rows count fourfold, and as many for an uneven share. Throws an Error of kind input when
/// every one leaves a rank without cells.
Decomposition decompose(const GridSpec& spec, int ranks);

}  // namespace xp
