#include <xp/mesh/boundary.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace xp {

WallStencil wall_stencil(Order order) {
  WallStencil stencil;
  if (order == Order::second) {
    stencil.points = 2;
    stencil.value[0] = stencil.value[1] = 0.5;
    stencil.derivative[0] = 1;
    stencil.derivative[1] = -1;
    return stencil;
  }
  // Quartic through s = -1/2, 1/2, 3/2, 5/2, 7/2 (in spacings, inward): its value and minus its
  // derivative at s = 0, and its values at s = -3/2 and -5/2.
  constexpr double value[5] = {35. / 128, 140. / 128, -70. / 128, 28. / 128, -5. / 128};
  constexpr double derivative[5] = {22. / 24, -17. / 24, -9. / 24, 5. / 24, -1. / 24};
  constexpr double extra_ghost[2][5] = {{5, -10, 10, -5, 1}, {15, -40, 45, -24, 5}};
  stencil.points = 5;
  for (int m = 0; m < 5; ++m) {
    stencil.value[m] = value[m];
    stencil.derivative[m] = derivative[m];
    for (int g = 0; g < 2; ++g) stencil.extra_ghost[g][m] = extra_ghost[g][m];
  }
  return stencil;
}

bool has_solution(Order order, int ghosts, double alpha, double beta, double spacing) {
  const WallStencil stencil = wall_stencil(order);
  // At fourth order the others follow from the first ghost cell.
  for (int g = 0; g < (order == Order::second ? ghosts : 1); ++g) {
    const double distance = (2 * g + 1) * spacing;
    const double weight = ghost_weight(stencil, alpha, beta, distance);
    const double scale = std::abs(alpha) + std::abs(beta) / distance;
    if (!(std::abs(weight) > 1e-12 * scale)) return false;
  }
  return true;
}

const std::array<BoundaryHelp, 6>& boundary_help() {
  static const std::array<BoundaryHelp, 6> help = {{
      {"{dirichlet: VALUE}", "u = VALUE at the wall"},
      {"{neumann: VALUE}", "du/dn = VALUE at the wall, n the outward normal"},
      {"{robin: {alpha: A, beta: B, value: VALUE}}", "A*u + B*du/dn = VALUE at the wall"},
      {"outflow", "zero gradient: du/dn = 0 at the wall"},
      {"periodic", "the other end follows; by grid.periodic, needs no condition"},
      {"antiperiodic", "the other end follows with the sign changed"},
  }};
  return help;
}

const std::array<std::string, 4>& advection_names() {
  static const std::array<std::string, 4> names = {"central2", "upwind1", "vanleer", "weno5"};
  return names;
}

Advection advection_from_name(const std::string& name) {
  const auto& names = advection_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::logic_error("xp::advection_from_name: " + name);
  return static_cast<Advection>(found - names.begin());
}

int reach(const Stencil& stencil, Order order, Advection advection) {
  if (stencil.kind != StencilKind::flux && stencil.kind != StencilKind::upwind)
    return ghost_width(order);
  return advection == Advection::weno5 ? 3 : advection == Advection::vanleer ? 2 : 1;
}

}  // namespace xp
