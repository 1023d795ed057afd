// Elliptic operators with two terms: alpha u - div(beta grad u).
#pragma once

#include <xp/field/field.hpp>
#include <xp/mesh/boundary.hpp>
#include <xp/solvers/linear/level_kernels.hpp>

namespace xp {

/// The same cells with one ghost cell at both ends of each axis.
Grid with_one_ghost(const Grid& grid);

/// alpha u - div(beta grad u) at cell centres, second order: fluxes at faces. Coefficients are
/// numbers, or arrays on the same grid: beta at faces (face i lies below cell i), alpha at centres.
/// The grid has one ghost cell.
template <class Space, class Real>
struct EllipticOperator {
  Coefficients coefficients = Coefficients::constant;
  double beta = 1, alpha = 0;       ///< where they are constant
  FieldView<Space, Real> faces[3];  ///< beta
  FieldView<Space, Real> reaction;  ///< alpha

  /// target = operator(u) over the own cells; the ghost cells of u are filled.
  void apply(const Space& space, const Grid& grid, const FieldView<Space, Real>& u,
             const FieldView<Space, Real>& target) const;

  /// target = scale * (f - operator(u)) over the own cells, or a box of them; the ghost cells of u
  /// are filled.
  template <class Target>
  void residual(const Space& space, const Grid& grid, const FieldView<Space, Real>& u,
                const FieldView<Space, Real>& f, double scale,
                const FieldView<Space, Target>& target) const {
    residual(space, grid, grid.cells(Region::own), u, f, scale, target);
  }
  template <class Target>
  void residual(const Space& space, const Grid& grid, const Box& box,
                const FieldView<Space, Real>& u, const FieldView<Space, Real>& f, double scale,
                const FieldView<Space, Target>& target) const;
};

}  // namespace xp
