// Boundary conditions of a field, as the user describes them. They belong to a field, never to an
// operator.
#pragma once

#include <array>
#include <string>

#include <xp/expr/expr.hpp>
#include <xp/mesh/grid.hpp>

namespace xp {

enum class BoundaryKind {
  periodic,      ///< the other end follows
  antiperiodic,  ///< the other end follows with the sign changed
  dirichlet,     ///< u = value
  neumann,       ///< du/dn = value, n the outward normal
  robin,         ///< alpha u + beta du/dn = value
  outflow,       ///< zero gradient: du/dn = 0
};

/// The condition on one side. Values are programs in the coordinates of the wall and the time.
struct BoundaryCondition {
  BoundaryKind kind = BoundaryKind::periodic;
  Program alpha, beta, value;  ///< alpha and beta of robin only

  /// Is a value needed at the wall?
  bool has_value() const {
    return kind == BoundaryKind::dirichlet || kind == BoundaryKind::neumann ||
           kind == BoundaryKind::robin;
  }
};

/// Conditions on all sides: [axis][0] the lower side, [axis][1] the upper one; absent axes ignored.
using BoundaryConditions = std::array<std::array<BoundaryCondition, 2>, 3>;

/// Order of accuracy of stencils and boundary conditions.
enum class Order : int { second = 2, fourth = 4 };
constexpr int ghost_width(Order order) {
  return order == Order::fourth ? 2 : 1;
}

/// How the value at a face is found that is carried along by a velocity.
enum class Advection {
  central2,  ///< mean of both sides
  upwind1,   ///< the cell that the velocity comes from
  vanleer,   ///< from there with a limited slope (van Leer 1974, 1977)
  weno5,     ///< from there with weighted parabolas (Jiang and Shu 1996; Borges et al. 2008)
};
/// By name: central2 upwind1 vanleer weno5.
Advection advection_from_name(const std::string& name);
const std::array<std::string, 4>& advection_names();

/// Cells on each side that a stencil reads, and whether it reads ghost cells at corners.
int reach(const Stencil& stencil, Order order, Advection advection);
inline bool reads_corners(const Stencil& stencil) { return stencil.kind == StencilKind::mixed; }

/// Weights that give a function's value and its outward normal derivative at the wall from the
/// ghost cell next to it (weight 0) and own cells counted from the wall (weights 1, 2, ...), and,
/// where there is a second ghost cell, its value by extrapolation from those. Lagrange
/// interpolation through cell centres at -1/2, 1/2, 3/2, ... of the spacing: linear for second
/// order, quartic for fourth.
struct WallStencil {
  int points = 2;               ///< ghost cell included
  double value[5] = {};         ///< sum of value[m]*u[m] = u at the wall
  double derivative[5] = {};    ///< sum of derivative[m]*u[m] / spacing = du/dn, outward
  double second_ghost[5] = {};  ///< u of the second ghost cell; used for fourth order
};
WallStencil wall_stencil(Order order);

/// The one line of help per kind for `xpsim list` and the manual.
struct BoundaryHelp {
  std::string form, help;
};
const std::array<BoundaryHelp, 6>& boundary_help();

}  // namespace xp
