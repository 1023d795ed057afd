// Boundary conditions of a field, as the user describes them. They belong to a field, never to an
// operator.
#pragma once

#include <algorithm>
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
/// The ghost cells that central differences of that order read; a grid may have more.
constexpr int ghost_width(Order order) {
  return order == Order::fourth ? 2 : 1;
}
/// The most that a wall's ghost cells are made for, at any order.
constexpr int most_ghosts = 3;
/// Own cells that so many ghost cells of a wall are made from. Never less than those, so that ghost
/// cells beyond a wall belong to the first and the last part of a cut axis alone.
constexpr int wall_cells(Order order, int ghosts) {
  return std::max(order == Order::fourth ? 4 : 1, ghosts);
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
inline bool reads_corners(const Stencil& stencil) {
  return stencil.kind == StencilKind::mixed;
}

/// Weights that give a function's value and its outward normal derivative at the wall from the
/// ghost cell next to it (weight 0) and own cells counted from the wall (weights 1, 2, ...).
/// Lagrange interpolation through cell centres at -1/2, 1/2, 3/2, ... of the spacing: linear for
/// second order, quartic for fourth. Ghost cells further out: at second order each with its mirror
/// image, own cell m for ghost cell m, which are 2m-1 spacings apart instead of one; at fourth
/// order by extrapolation from the points above.
struct WallStencil {
  int points = 2;                 ///< ghost cell included
  double value[5] = {};           ///< sum of value[m]*u[m] = u at the wall
  double derivative[5] = {};      ///< sum of derivative[m]*u[m] / spacing = du/dn, outward
  double extra_ghost[2][5] = {};  ///< fourth order: u of the second and of the third ghost cell
};
WallStencil wall_stencil(Order order);

/// The ghost cell's own weight in alpha u + beta du/dn at the wall: what a condition is solved for.
inline double ghost_weight(const WallStencil& s, double alpha, double beta, double spacing) {
  return alpha * s.value[0] + beta * s.derivative[0] / spacing;
}
/// Can it be solved for so many ghost cells?
bool has_solution(Order order, int ghosts, double alpha, double beta, double spacing);

/// The one line of help per kind for `xpsim list` and the manual.
struct BoundaryHelp {
  std::string form, help;
};
const std::array<BoundaryHelp, 6>& boundary_help();

}  // namespace xp
