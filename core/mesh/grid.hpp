// The structured grid: the global box, its spacing, and the part of it that this rank owns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <xp/mesh/decomposition.hpp>
#include <xp/runtime/box.hpp>

namespace xp {

/// What a grid is made from. Entries beyond `dimensions` are ignored.
struct GridSpec {
  int dimensions = 1;                          ///< 1, 2 or 3
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< along x, y, z, at least 1 each
  std::array<double, 3> lower{0, 0, 0}, upper{1, 1, 1};
  std::array<bool, 3> periodic{false, false, false};
  int ghosts = 1;      ///< ghost cells on each side along the axes that exist
  int wall_cells = 1;  ///< own cells that ghost cells of a wall are made from (xp::wall_cells())
  /// Cut where coarser grids can be cut too (multigrid): at multiples of the largest power of two
  /// that leaves no part a tenth above its share.
  bool coarsens = false;
};

enum class Region { own, ghosted };

/// A rank's part of the grid: a box of the global cells. A rank has one block today; code loops
/// over blocks so that mesh refinement can come.
struct Block {
  std::array<std::int64_t, 3> first{0, 0, 0};  ///< global index of its first own cell
  std::array<int, 3> cells{1, 1, 1};           ///< own cells
};

/// What a kernel needs to know of places: plain data that is copied to the device.
struct Geometry {
  double lower[3] = {0, 0, 0};
  double spacing[3] = {1, 1, 1};
  std::int64_t first[3] = {0, 0,
                           0};  ///< global index of the cell with local index 0 (a ghost cell's)

  /// Centre of the cell with a local index. Made from the global index, so that every rank and
  /// backend gives the same bits.
  KOKKOS_INLINE_FUNCTION double center(int axis, int local) const {
    return lower[axis] + (static_cast<double>(first[axis] + local) + 0.5) * spacing[axis];
  }
  /// Coordinate of the face below that cell.
  KOKKOS_INLINE_FUNCTION double face(int axis, int local) const {
    return lower[axis] + static_cast<double>(first[axis] + local) * spacing[axis];
  }
};

/// Always three index dimensions (k, j, i): an absent one has one cell and no ghosts, and costs
/// nothing. Local indices count ghost cells: the first own cell has the index ghosts(axis).
class Grid {
 public:
  /// Throws an Error of kind input when an extent is not positive, a bound is not finite, or a size
  /// does not fit (2^31 cells of one rank along an axis, 2^53 in all).
  explicit Grid(const GridSpec& spec);
  /// A rank's part of the grid. The decomposition must be one of this spec.
  Grid(const GridSpec& spec, const Decomposition& decomposition, int rank);

  int dimensions() const { return spec_.dimensions; }
  bool exists(Axis axis) const { return index(axis) < spec_.dimensions; }
  std::int64_t cells(Axis axis) const { return spec_.cells[index(axis)]; }
  std::int64_t cell_count() const;  ///< of the whole grid
  double lower(Axis axis) const { return spec_.lower[index(axis)]; }
  double upper(Axis axis) const { return spec_.upper[index(axis)]; }
  double spacing(Axis axis) const {
    return geometry_.spacing[index(axis)];
  }  ///< 1 for an absent axis
  bool periodic(Axis axis) const { return exists(axis) && spec_.periodic[index(axis)]; }
  int ghosts(Axis axis) const { return exists(axis) ? spec_.ghosts : 0; }
  double cell_volume() const;  ///< length, area or volume
  double volume() const;       ///< of the whole domain

  const Decomposition& decomposition() const { return decomposition_; }
  int rank() const { return rank_; }
  /// Is the grid cut along this axis, so that ghost cells along it are other ranks' cells?
  bool is_cut(Axis axis) const { return decomposition_.parts(axis) > 1; }
  /// Does this rank's part reach the end of the domain?
  bool at_end(Axis axis, bool upper_side) const;

  const std::vector<Block>& blocks() const { return blocks_; }
  const Geometry& geometry() const { return geometry_; }

  /// Local boxes: the cells that this rank owns, or those with their ghost cells.
  Box cells(Region region) const;
  /// Faces normal to an axis that bound own cells: face i lies below cell i.
  Box faces(Axis axis) const;

 private:
  GridSpec spec_;
  Decomposition decomposition_;
  int rank_ = 0;
  std::vector<Block> blocks_;
  Geometry geometry_;
};

}  // namespace xp
