// What a C programmer would write by hand for some equations of several terms: an Euler step each,
// fused into as few passes as their stencils allow. Periodic, two dimensions, one layer of ghost
// cells; compiled with the flags of the library.
#pragma once

#include <common/plain_loops.hpp>

namespace plain {

/// (ny + 2) x (nx + 2) cells.
struct Square {
  std::int64_t nx = 1, ny = 1;
  std::int64_t size() const { return (nx + 2) * (ny + 2); }
};

/// u_t = Du lap u - u v^2 + F (1 - u), v_t = Dv lap v + u v^2 - (F + k) v. du, dv: D / spacing^2.
struct GrayScott : Square {
  double du = 0, dv = 0, feed = 0, kill = 0, step = 0;
  void operator()(double* u_out, double* v_out, double* u, double* v, int threads) const;
};

/// phi_t = lap mu, mu = phi^3 - phi - lap phi, mu in an array on the way. r: 1 / spacing^2.
struct CahnHilliard : Square {
  double r = 0, step = 0;
  void operator()(double* out, double* phi, double* mu, int threads) const;
};

/// u_t = D lap u + exp(-u^2) sin(u). d: D / spacing^2.
struct HeatedBySource : Square {
  double d = 0, step = 0;
  void operator()(double* out, double* u, int threads) const;
};

}  // namespace plain
