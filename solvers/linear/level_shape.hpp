// How the cells of a multigrid level lie and are shared by ranks.
#pragma once

#include <array>

#include <xp/field/halo.hpp>
#include <xp/solvers/linear/level_axis.hpp>

namespace xp {

/// The axes of a level and how its cells are shared by ranks.
struct LevelShape {
  int dimensions = 1;
  std::array<LevelAxis, 3> axes;
  FieldEnds ends;  ///< axes whose ends follow each other
  Decomposition decomposition;
  int rank = 0;

  Grid grid() const;
  /// Axes to coarsen: those along which cells are narrowest, within a factor of 1.5, since only
  /// along these a point smoother leaves smooth errors (semicoarsening: Mulder 1989). Empty for a
  /// single cell.
  AxisSet next() const;
  /// Coarsened along these axes on the same ranks. Throws std::logic_error unless
  /// can_be_coarsened().
  LevelShape coarsened(AxisSet axes) const;
  /// Does every rank's part begin and end with whole coarse cells, and have one?
  bool can_be_coarsened(AxisSet axes) const;
  /// The same cells, all on one rank.
  LevelShape gathered() const;
};

}  // namespace xp
