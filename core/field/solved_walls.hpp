// Ghost cells whose values need neither the time nor the place: walls with constant conditions and
// periodic ends. Plain data for kernels that fill ghost cells as they go.
#pragma once

#include <cstdint>

#include <xp/mesh/boundary.hpp>

namespace xp {

/// The ghost cell's own weight in a wall condition: what the condition is solved for.
inline double ghost_weight(const WallStencil& s, double alpha, double beta, double spacing) {
  return alpha * s.value[0] + beta * s.derivative[0] / spacing;
}

/// alpha u + beta du/dn = value with constant coefficients, solved for the ghost cells:
/// ghost g = offset[g] + sum of weight[g][m] * (own cell m from the wall).
template <int points, class Real>
struct SolvedWall {
  static constexpr int ghosts = points == 2 ? 1 : 2;
  double offset[ghosts] = {};
  double weight[ghosts][points - 1] = {};

  SolvedWall() = default;
  SolvedWall(const WallStencil& s, double alpha, double beta, double value, double spacing) {
    const double own = ghost_weight(s, alpha, beta, spacing);
    offset[0] = value / own;
    for (int m = 1; m < points; ++m)
      weight[0][m - 1] = -(alpha * s.value[m] + beta * s.derivative[m] / spacing) / own;
    if constexpr (ghosts > 1) {
      offset[1] = s.second_ghost[0] * offset[0];
      for (int m = 1; m < points; ++m)
        weight[1][m - 1] = s.second_ghost[m] + s.second_ghost[0] * weight[0][m - 1];
    }
  }
  /// `wall` is the own cell next to the wall; `stride` leads from there inwards.
  KOKKOS_INLINE_FUNCTION void operator()(Real* wall, std::int64_t stride) const {
    for (int g = 0; g < ghosts; ++g) {
      double sum = offset[g];
      for (int m = 0; m < points - 1; ++m)
        sum += weight[g][m] * static_cast<double>(wall[m * stride]);
      wall[-(g + 1) * stride] = static_cast<Real>(sum);
    }
  }
};

/// Both ends of every axis.
template <int order, class Real>
struct SteadyGhosts {
  static constexpr int points = order == 2 ? 2 : 5;  ///< of a wall's stencil, ghost cell included
  static constexpr int width = order == 2 ? 1 : 2;
  struct Ends {
    bool copies = false;  ///< the other end follows, times `sign`; else two walls
    Real sign = 1;
    SolvedWall<points, Real> lower, upper;
  };
  Ends ends[3];
};

}  // namespace xp
