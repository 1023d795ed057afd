// Geometric multigrid for alpha u - div(beta grad u), matrix-free, on cell-centred grids of any
// size.
//
// Method: finite volumes on every level, coarse cells of two (LevelAxis), coefficients that vary as
// in level_coefficients.hpp; red-black Gauss-Seidel with over-relaxation (Yavneh 1996),
// residuals summed, corrections interpolated linearly (Trottenberg, Oosterlee and Schueller 2001,
// sections 2.4, 2.8.4); semicoarsening where spacings differ. Every grid is coarsened to a single
// cell. Where the parts of ranks no longer hold whole coarse cells, or the grid is small, all ranks
// go on with the whole of it: no result depends on how it is cut.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <xp/mesh/boundary.hpp>
#include <xp/solvers/linear/elliptic.hpp>
#include <xp/solvers/linear/level.hpp>

namespace xp {

/// How levels are visited.
enum class Cycle {
  v,     ///< each once
  w,     ///< each twice for every visit of the finer one
  full,  ///< a first solution comes from coarser levels, then as v (full multigrid)
};

struct MultigridOptions {
  Cycle cycle = Cycle::v;
  Smoother smoother = Smoother::red_black;
  int before = 2, after = 2;  ///< sweeps before the residual is restricted, and after
  double omega = 0;           ///< over-relaxation of red_black; 0: the best known
};

template <class Space, class Real>
class Multigrid {
 public:
  /// For an operator on this grid with homogeneous conditions. Its arrays are read here only; the
  /// grid and the communicator must outlive it. Conditions whose alpha and beta vary along a wall
  /// are taken at the wall's first cell: that of a preconditioner.
  template <class Fine>
  Multigrid(const Grid& grid, const Communicator& communicator,
            const BoundaryConditions& conditions, const EllipticOperator<Space, Fine>& op,
            const MultigridOptions& options = {});

  /// Would it be with an alpha of 0: does a constant not change fluxes?
  bool keeps_mean() const { return may_be_singular_; }
  /// Is a constant added to a solution another one?
  bool is_singular() const { return singular_; }

  /// Replaces a constant alpha.
  void set_alpha(double alpha);

  /// What the right side of a cycle is the residual times.
  double scale() const { return scale_; }
  FieldView<Space, Real> right_side() const { return levels_.front().b(); }
  FieldView<Space, Real> correction() const { return levels_.front().u(); }

  /// One cycle from a correction of zero; the `first` one of Cycle::full from one of the coarser
  /// levels.
  void cycle(const Space& space, bool first = false);

  /// Public only because CUDA asks it of kernels.
  void copy_rank(const Space& space, const Level<Space, Real>& parts, int rank,
                 const FieldView<Space, Real>& cells, bool out, const int (&origin)[3]) const;
  void scatter(const Space& space, const Level<Space, Real>& whole,
               const Level<Space, Real>& parts) const;

 private:
  /// An array of all ranks' own cells, or of those one further along an axis, into one of the
  /// whole.
  void gather(const Space& space, const Level<Space, Real>& parts,
              const FieldView<Space, Real>& from, const FieldView<Space, Real>& to, int dk, int dj,
              int di);
  void fill_coefficients(const Space& space);
  Real relaxation(const LevelShape& shape) const;
  /// From the correction that is there, or from zero.
  void solve(const Space& space, std::size_t level, bool from_zero);
  /// From a first guess that comes from the next level.
  void solve_from_coarse(const Space& space, std::size_t level);

  const Communicator& communicator_;
  MultigridOptions options_;
  bool singular_ = false, may_be_singular_ = false;  ///< now, and for an alpha of 0
  double scale_ = 1;
  std::vector<Level<Space, Real>> levels_;
  std::size_t gathered_ = 0;  ///< the first level that every rank has in whole; 0: none
  // Cells of all ranks' parts, one part after the other, here and on the host.
  Kokkos::View<Real*, typename Space::memory_space> values_;
  typename decltype(values_)::HostMirror host_values_;
  std::vector<int> counts_, starts_;
};

}  // namespace xp
