// A level of a multigrid hierarchy: a grid, the operator on it, a correction and its right side.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <xp/field/halo.hpp>
#include <xp/solvers/linear/level_axis.hpp>
#include <xp/solvers/linear/level_kernels.hpp>

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

template <class Space, class Real>
class Level {
 public:
  /// `beta` and `alpha`, scaled, are those of every cell where they are constant.
  Level(const LevelShape& shape, const Communicator& communicator, Coefficients coefficients,
        double beta, double alpha);

  const LevelShape& shape() const { return shape_; }
  const Grid& grid() const { return grid_; }
  Coefficients coefficients() const { return coefficients_; }
  const Box& own() const { return view_.own; }
  FieldView<Space, Real> u() const { return u_.view(); }
  FieldView<Space, Real> b() const { return b_.view(); }
  FieldView<Space, Real> faces(Axis axis) const { return faces_[index(axis)].view(); }
  FieldView<Space, Real> reaction() const { return reaction_.view(); }

  /// Sets coefficients from those of the level below this one: sums over what a coarse cell or face
  /// is made of. Their ghosts are not needed.
  void sum_coefficients(const Space& space, const Level& fine);

  void set_to_zero(const Space& space);
  /// Sweeps of red-black Gauss-Seidel, red first.
  void smooth(const Space& space, int sweeps, Real omega);
  /// Residual of this level to the right side of the next.
  void restrict_to(const Space& space, Level& coarse);
  /// Adds the correction of the next level.
  void add_from(const Space& space, Level& coarse);

  /// Fills ghost cells of u; with those at edges and corners.
  void exchange(const Space& space, bool corners);

  /// Public only because CUDA asks it of kernels.
  void wrap(const Space& space);

 private:
  LevelShape shape_;
  Grid grid_;
  Coefficients coefficients_;
  Kokkos::View<Real*, typename Space::memory_space> numbers_;  // widths, links, weights by axis
  LevelView<Space, Real> view_;
  InterpolationView<Real> weights_;
  Field<Space, Real> u_, b_;
  std::vector<FieldView<Space, Real>> exchanged_;  // u_, as exchanges take it
  std::array<Field<Space, Real>, 3> faces_;
  Field<Space, Real> reaction_;
  std::unique_ptr<HaloExchange<Space, Real>> halo_, corner_halo_;
};

}  // namespace xp
