// A level of a multigrid hierarchy: a grid, the operator on it, a correction and its right side.
#pragma once

#include <memory>
#include <vector>

#include <xp/field/halo.hpp>
#include <xp/solvers/linear/level_coefficients.hpp>

namespace xp {

enum class Smoother {
  red_black,  ///< Gauss-Seidel with over-relaxation
  chebyshev,  ///< polynomial of the operator over its diagonal: no order of cells
};

template <class Space, class Real>
class Level {
 public:
  /// `beta` and `alpha`, scaled, are those of every cell where they are constant. With `jumps` the
  /// residual goes to the next level by the transpose of the interpolation, else it is summed.
  Level(const LevelShape& shape, const Communicator& communicator, Coefficients coefficients,
        double beta, double alpha, bool jumps, Smoother smoother);

  const LevelShape& shape() const { return shape_; }
  const Grid& grid() const { return grid_; }
  Coefficients coefficients() const { return coefficients_; }
  const Box& own() const { return view_.own; }
  FieldView<Space, Real> u() const { return u_.view(); }
  FieldView<Space, Real> b() const { return b_.view(); }
  const LevelView<Space, Real>& view() const { return view_; }

  /// Sets coefficients from those of the level below this one, and that one's interpolation.
  void coarsen_coefficients(const Space& space, const Level& fine);

  void set_alpha(double alpha) { view_.alpha = static_cast<Real>(alpha); }
  void set_to_zero(const Space& space);
  /// Sweeps of red-black Gauss-Seidel, red first; or a Chebyshev polynomial of twice the degree,
  /// which costs as much (Adams, Brezina, Hu and Tuminaro 2003).
  /// `from_zero`: whatever u is, it is taken for zero.
  void smooth(const Space& space, int sweeps, Real omega, bool from_zero);
  /// Residual of this level to the right side of the next.
  void restrict_to(const Space& space, Level& coarse);
  /// Adds the correction of the next level.
  void add_from(const Space& space, Level& coarse);
  /// smooth() and restrict_to(), in one pass over memory where arrays are large.
  void smooth_and_restrict(const Space& space, int sweeps, Real omega, bool from_zero,
                           Level& coarse);
  /// The same of add_from() and smooth().
  void add_and_smooth(const Space& space, Level& coarse, int sweeps, Real omega);

  /// Public only because CUDA asks it of kernels.
  void wrap(const Space& space, const FieldView<Space, Real>& values);

 private:
  // Fills ghost cells; with those at edges and corners.
  void exchange(const Space& space, const Field<Space, Real>& field, bool corners);
  void smooth_by_polynomial(const Space& space, int degree);
  void smooth_rows(const Space& space, Real omega, const HalfSweeps& half_sweeps);
  void restrict_box(const Space& space, Level& coarse, const Box& box);
  void add_to_box(const Space& space, const Level& coarse, const Box& box);
  bool smooths_in_waves(int sweeps) const;
  // Do ghost cells at an end of an axis follow from others, of the other end or of another rank?
  bool follows(Axis axis, bool upper) const;
  // The correction of `source` is added before, the residual goes to `target` after, if there.
  void wave(const Space& space, int sweeps, Real omega, bool from_zero, const Level* source,
            Level* target);

  LevelShape shape_;
  Grid grid_;
  Coefficients coefficients_;
  bool jumps_;
  Smoother smoother_;
  Kokkos::View<Real*, typename Space::memory_space> numbers_;  // widths, links, weights by axis
  LevelView<Space, Real> view_;
  InterpolationView<Real> weights_;  // where beta is constant
  FarWeights<Space, Real> far_;      // where it is not
  Field<Space, Real> u_, b_;
  Field<Space, Real> residual_;  // where beta jumps
  Field<Space, Real> step_;      // of the Chebyshev smoother
  std::vector<Field<Space, Real>> coefficient_fields_;
  const Communicator& communicator_;
  std::vector<FieldView<Space, Real>> exchanged_{1};  // one field, as exchanges take it
  std::unique_ptr<HaloExchange<Space, Real>> halo_, corner_halo_;
};

}  // namespace xp
