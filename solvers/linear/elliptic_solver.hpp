// Solves alpha u - div(beta grad u) = f with boundary conditions, by multigrid or by conjugate
// gradients with multigrid.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <xp/field/ghosts.hpp>
#include <xp/operators/measure.hpp>
#include <xp/solvers/linear/linear_result.hpp>
#include <xp/solvers/linear/multigrid.hpp>

namespace xp {

enum class LinearMethod { multigrid, cg };

struct LinearOptions {
  LinearMethod method = LinearMethod::multigrid;
  double tolerance = 1e-10;  ///< of the residual's l2 norm, relative to that of u = 0
  int max_iterations = 100;
  int check_every = 1;  ///< iterations of cg between looks at the residual
  bool mixed = true;    ///< cycles in float where fields are double: the double residual decides
  /// Solved, too, where the residual is no larger than what rounding the solution makes of it.
  bool to_rounding = false;
  MultigridOptions multigrid;
};

/// Solves on one grid, any number of times. All memory is allocated by the constructor. Collective,
/// the same bits on any number of ranks and threads.
template <class Space, class Real>
class EllipticSolver {
 public:
  /// The operator's arrays, the grid, and the communicator must live as long.
  EllipticSolver(const Grid& grid, const Communicator& communicator,
                 const BoundaryConditions& conditions, const EllipticOperator<Space, Real>& op,
                 const LinearOptions& options);

  /// Bytes that the solver of one rank takes, about: a halo's messages are left out.
  static std::int64_t memory(const Grid& grid, Coefficients coefficients,
                             const LinearOptions& options);

  /// Replaces a constant alpha.
  void set_alpha(double alpha);

  /// From the u that is given. Where the solution is determined but for a constant its mean becomes
  /// 0. `fill` fills the ghost cells of u, the conditions' values included, and reads wall_cells()
  /// at each end of an axis.
  LinearResult solve(const Space& space, const FieldView<Space, Real>& u,
                     const FieldView<Space, Real>& f, const std::function<void()>& fill);

  /// Public only because CUDA asks it of kernels.
  template <class A, class B>
  void combine(const Space& space, const Box& box, double ca, const FieldView<Space, A>& a,
               double cb, const FieldView<Space, B>& b, const FieldView<Space, B>& target) const;
  template <class A>
  void add_constant(const Space& space, double value, const FieldView<Space, A>& a) const;

 private:
  template <class Cycle>
  struct Solve;
  FieldView<Space, Real> moved(const FieldView<Space, Real>& view) const;
  /// Own cells that no ghost cell is made from.
  Box inner() const;

  Grid grid_;                          ///< with one ghost cell
  std::array<int, 3> shift_{0, 0, 0};  ///< from its indices to those of the fields
  EllipticOperator<Space, Real> op_;
  LinearOptions options_;
  std::unique_ptr<Multigrid<Space, float>> mixed_;
  std::unique_ptr<Multigrid<Space, Real>> fine_;
  // Of conjugate gradients: residual, direction, the operator's value of it, correction.
  std::array<Field<Space, Real>, 4> vectors_;
  GhostFiller<Space, Real> homogeneous_;
  std::unique_ptr<HaloExchange<Space, Real>> halo_;
  Measure<Space, Real> measure_;
  Measure<Space, float> measure_of_mixed_;
  double largest_sum_ = 0;  ///< of the operator's factors around a cell, without alpha
  double largest_reaction_ = 0;
};

}  // namespace xp
