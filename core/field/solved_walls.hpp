// Ghost cells whose values need neither the time nor the place: walls with constant conditions and
// periodic ends. Plain data for kernels that fill ghost cells as they go.
#pragma once

#include <cstdint>

#include <xp/mesh/boundary.hpp>

namespace xp {

/// alpha u + beta du/dn = value with constant coefficients, solved for the ghost cells:
/// ghost g = offset[g] + sum of weight[g][m] * (own cell m from the wall, or from the mirror image
/// of the ghost cell where a stencil has but two points).
template <int points, int ghosts, class Real>
struct SolvedWall {
  static constexpr bool mirrors = points == 2;
  double offset[ghosts] = {};
  double weight[ghosts][points - 1] = {};

  SolvedWall() = default;
  SolvedWall(const WallStencil& s, double alpha, double beta, double value, double spacing) {
    for (int g = 0; g < (mirrors ? ghosts : 1); ++g) {
      const double distance = (2 * g + 1) * spacing;
      const double own = ghost_weight(s, alpha, beta, distance);
      offset[g] = value / own;
      for (int m = 1; m < points; ++m)
        weight[g][m - 1] = -(alpha * s.value[m] + beta * s.derivative[m] / distance) / own;
    }
    for (int g = 1; g < (mirrors ? 1 : ghosts); ++g) {
      const double* extra = s.extra_ghost[g - 1];
      offset[g] = extra[0] * offset[0];
      for (int m = 1; m < points; ++m) weight[g][m - 1] = extra[m] + extra[0] * weight[0][m - 1];
    }
  }
  /// `wall` is the own cell next to the wall; `stride` leads from there inwards.
  KOKKOS_INLINE_FUNCTION void operator()(Real* wall, std::int64_t stride) const {
    for (int g = 0; g < ghosts; ++g) {
      const Real* first = mirrors ? wall + g * stride : wall;
      double sum = offset[g];
      for (int m = 0; m < points - 1; ++m)
        sum += weight[g][m] * static_cast<double>(first[m * stride]);
      wall[-(g + 1) * stride] = static_cast<Real>(sum);
    }
  }
};

/// Both ends of every axis, for no more ghost cells than the order needs.
template <int order, class Real>
struct SteadyGhosts {
  static constexpr int points = order == 2 ? 2 : 5;  ///< of a wall's stencil, ghost cell included
  static constexpr int width = ghost_width(static_cast<Order>(order));
  struct Ends {
    bool copies = false;  ///< the other end follows, times `sign`; else two walls
    Real sign = 1;
    SolvedWall<points, width, Real> lower, upper;
  };
  Ends ends[3];
};

}  // namespace xp
