#include <common/plain_equations.hpp>

#include <cmath>
#include <cstring>

#include <omp.h>

namespace plain {
namespace {

// Calls f(j) for the rows of the grid, by a team of threads or by this one.
template <class F>
void rows(std::int64_t count, int threads, const F& f) {
  if (threads == 1) {
    for (std::int64_t j = 0; j < count; ++j) f(j);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t j = 0; j < count; ++j) f(j);
}

// Ghost cells of a periodic array: those of the rows, then whole rows.
void wrap(const Square& square, double* u, int threads) {
  const std::int64_t nx = square.nx, ny = square.ny, sy = nx + 2;
  double* const own = u + sy + 1;
  rows(ny, threads, [=](std::int64_t j) {
    own[j * sy - 1] = own[j * sy + nx - 1];
    own[j * sy + nx] = own[j * sy];
  });
  const auto bytes = static_cast<std::size_t>(sy) * sizeof(double);
  std::memcpy(u, u + ny * sy, bytes);
  std::memcpy(u + (ny + 1) * sy, u + sy, bytes);
}

inline double around(const double* u, std::int64_t sy) {
  return (u[1] + u[-1] - 2 * u[0]) + (u[sy] + u[-sy] - 2 * u[0]);
}

void gray_scott_row(const GrayScott& all, double* __restrict u_out, double* __restrict v_out,
                    const double* __restrict u, const double* __restrict v) {
  const std::int64_t nx = all.nx, sy = nx + 2;
  const double du = all.du, dv = all.dv, feed = all.feed, out = all.feed + all.kill, dt = all.step;
  for (std::int64_t i = 0; i < nx; ++i) {
    const double reaction = u[i] * v[i] * v[i];
    u_out[i] = u[i] + dt * (du * around(u + i, sy) - reaction + feed * (1 - u[i]));
    v_out[i] = v[i] + dt * (dv * around(v + i, sy) + reaction - out * v[i]);
  }
}

void potential_row(const CahnHilliard& all, double* __restrict mu, const double* __restrict phi) {
  const std::int64_t nx = all.nx, sy = nx + 2;
  const double r = all.r;
  for (std::int64_t i = 0; i < nx; ++i)
    mu[i] = phi[i] * phi[i] * phi[i] - phi[i] - r * around(phi + i, sy);
}

void flow_row(const CahnHilliard& all, double* __restrict out, const double* __restrict phi,
              const double* __restrict mu) {
  const std::int64_t nx = all.nx, sy = nx + 2;
  const double r = all.step * all.r;
  for (std::int64_t i = 0; i < nx; ++i) out[i] = phi[i] + r * around(mu + i, sy);
}

void source_row(const HeatedBySource& all, double* __restrict out, const double* __restrict u) {
  const std::int64_t nx = all.nx, sy = nx + 2;
  const double d = all.d, dt = all.step;
  for (std::int64_t i = 0; i < nx; ++i)
    out[i] = u[i] + dt * (d * around(u + i, sy) + std::exp(-u[i] * u[i]) * std::sin(u[i]));
}

}  // namespace

void GrayScott::operator()(double* u_out, double* v_out, double* u, double* v, int threads) const {
  wrap(*this, u, threads);
  wrap(*this, v, threads);
  const std::int64_t sy = nx + 2;
  rows(ny, threads, [=, this](std::int64_t j) {
    const std::int64_t start = (j + 1) * sy + 1;
    gray_scott_row(*this, u_out + start, v_out + start, u + start, v + start);
  });
}

void CahnHilliard::operator()(double* out, double* phi, double* mu, int threads) const {
  const std::int64_t sy = nx + 2;
  wrap(*this, phi, threads);
  rows(ny, threads, [=, this](std::int64_t j) {
    const std::int64_t start = (j + 1) * sy + 1;
    potential_row(*this, mu + start, phi + start);
  });
  wrap(*this, mu, threads);
  rows(ny, threads, [=, this](std::int64_t j) {
    const std::int64_t start = (j + 1) * sy + 1;
    flow_row(*this, out + start, phi + start, mu + start);
  });
}

void HeatedBySource::operator()(double* out, double* u, int threads) const {
  const std::int64_t sy = nx + 2;
  wrap(*this, u, threads);
  rows(ny, threads, [=, this](std::int64_t j) {
    const std::int64_t start = (j + 1) * sy + 1;
    source_row(*this, out + start, u + start);
  });
}

}  // namespace plain
