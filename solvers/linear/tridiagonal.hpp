// Tridiagonal systems along one axis of a grid, all lines at once.
#pragma once

#include <array>
#include <vector>

#include <xp/field/ghosts.hpp>
#include <xp/solvers/linear/elliptic.hpp>
#include <xp/solvers/linear/tridiagonal_kernels.hpp>

namespace xp {

/// Solves, on every line of cells along an axis,
///     shift u + scale (alpha u - d/da(beta du/da)) = f
/// with the coefficients of an EllipticOperator, its second-order stencil and the axis' boundary
/// conditions: the matrix is that of the stencil where GhostFiller has filled the ghost cells.
/// Method: L D L^T without pivoting (Thomas 1949), with a full last row where the ends follow each
/// other; stable where the matrix is definite or diagonally dominant. Lines that are cut go through
/// the ranks in order, some at a time. The same bits on any number of ranks and threads. On a GPU a
/// thread takes a line: one line alone is slow there. All memory is allocated by the constructor.
template <class Space, class Real>
class TridiagonalSolver {
 public:
  /// `ends` are the conditions below and above. The operator's arrays and the communicator must
  /// live as long; betas of two ends that follow each other are the same. Collective where lines
  /// are cut. Throws std::invalid_argument when the grid has no such axis, an Error of kind input
  /// when a condition has no solution on the grid.
  TridiagonalSolver(const Grid& grid, const Communicator& communicator, Axis axis,
                    const std::array<BoundaryCondition, 2>& ends,
                    const EllipticOperator<Space, Real>& op);

  /// Bytes of its arrays.
  std::int64_t memory() const;

  /// Factorises the matrix; once for any number of solves, as long as the operator's arrays, shift
  /// and scale stay. `time`: for alpha and beta of robin conditions. Collective. Throws an Error of
  /// kind input on all ranks when a matrix is singular: a pivot is 0 but for rounding.
  void factor(const Space& space, double shift, double scale, double time = 0);

  /// Solves for u over the own cells, with conditions of value 0. f and u may be the same array.
  /// Ghost cells are neither read nor written. Collective.
  void solve(const Space& space, const FieldView<Space, Real>& f, const FieldView<Space, Real>& u);
  /// With values at walls: `walls` holds, in the ghost cells next to the walls of this axis, what
  /// GhostFiller::fill makes of an array of zeros.
  void solve(const Space& space, const FieldView<Space, Real>& f, const FieldView<Space, Real>& u,
             const FieldView<Space, Real>& walls);

 private:
  using Values = Kokkos::View<Real*, typename Space::memory_space>;
  struct Message {
    Kokkos::View<double*, typename Space::memory_space> values;
    Kokkos::View<double*, StagingSpace<Space>> staging;  ///< what MPI sees
  };

  void find_lines();
  void find_neighbours();
  Field<Space, Real> array(const char* name) const;
  template <class Kernel>
  void sweep(const Space& space, const char* name, bool upwards, const Kernel& kernel);
  template <bool along_x, bool varies, bool cyclic>
  void solve_lines(const Space& space, const FieldView<Space, Real>& f,
                   const FieldView<Space, Real>& u, const FieldView<Space, Real>& walls);

  Grid grid_;
  const Communicator& communicator_;
  Axis axis_;
  LineSet lines_;
  LineMatrix<Space, Real> matrix_;
  LineFactors<Space, Real> factors_;
  bool varies_ = false;
  Values shared_[3];
  Field<Space, Real> arrays_[3];
  Kokkos::View<int, typename Space::memory_space> bad_;

  GhostFiller<Space, Real> homogeneous_;
  Field<Space, Real> ones_;  ///< where alpha and beta of the conditions are no constants

  int neighbours_[2] = {-1, -1};  ///< ranks below and above along the axis
  std::vector<int> chunks_;       ///< first blocks of what goes together, and the end
  Message in_, out_;
  bool staged_ = false;
  std::vector<MPI_Request> requests_;
};

}  // namespace xp
