#include <common/plain_loops.hpp>

#include <cstring>

#include <omp.h>

namespace plain {
namespace {

// Rows of the 5-point and the 7-point update; u, out point to the first own cell of the row.
template <class Real>
inline void row(Real* __restrict out, const Real* __restrict u, std::int64_t nx, std::int64_t sy,
                Real rx, Real ry) {
  for (std::int64_t i = 0; i < nx; ++i) {
    const Real c = u[i];
    out[i] = c + rx * (u[i + 1] + u[i - 1] - 2 * c) + ry * (u[i + sy] + u[i - sy] - 2 * c);
  }
}

template <class Real>
inline void row(Real* __restrict out, const Real* __restrict u, std::int64_t nx, std::int64_t sy,
                std::int64_t sz, Real rx, Real ry, Real rz) {
  for (std::int64_t i = 0; i < nx; ++i) {
    const Real c = u[i];
    out[i] = c + rx * (u[i + 1] + u[i - 1] - 2 * c) + ry * (u[i + sy] + u[i - sy] - 2 * c) +
             rz * (u[i + sz] + u[i - sz] - 2 * c);
  }
}

// The ghost cells of both ends of a row; a row of ghosts mirrored from the own one next to it.
template <class Real>
inline void ends(Real* u, std::int64_t nx) {
  u[-1] = -u[0];
  u[nx] = -u[nx - 1];
}
template <class Real>
inline void mirror(Real* __restrict ghost, const Real* __restrict own, std::int64_t nx) {
  for (std::int64_t i = 0; i < nx; ++i) ghost[i] = -own[i];
}

// Calls f(n) for n in [0, count): a plain loop, or one shared by a team that is there already.
template <class F>
inline void shared(std::int64_t count, const F& f) {
#pragma omp for schedule(static)
  for (std::int64_t n = 0; n < count; ++n) f(n);
}
template <class F>
inline void serial(std::int64_t count, const F& f) {
  for (std::int64_t n = 0; n < count; ++n) f(n);
}

// The sum of one thread.
double lane_sum(const double* u, std::int64_t count) {
  constexpr int lanes = 32;
  double part[lanes] = {};
  std::int64_t n = 0;
  for (; n + lanes <= count; n += lanes)
    for (int l = 0; l < lanes; ++l) part[l] += u[n + l];
  for (; n < count; ++n) part[0] += u[n];
  double total = 0;
  for (const double value : part) total += value;
  return total;
}

}  // namespace

template <class Real>
void first_touch(Real* u, std::int64_t count, int threads) {
  if (threads == 1) {
    std::memset(u, 0, static_cast<std::size_t>(count) * sizeof(Real));
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t n = 0; n < count; ++n) u[n] = 0;
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double s,
           std::int64_t count, int threads) {
  if (threads == 1) {
    for (std::int64_t n = 0; n < count; ++n) a[n] = b[n] + s * c[n];
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t n = 0; n < count; ++n) a[n] = b[n] + s * c[n];
}

double sum(const double* u, std::int64_t count, int threads) {
  if (threads == 1) return lane_sum(u, count);
  double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    const std::int64_t part = omp_get_thread_num(), parts = omp_get_num_threads();
    const std::int64_t first = count * part / parts;
    total += lane_sum(u + first, count * (part + 1) / parts - first);
  }
  return total;
}

template <class Real>
void HeatStep<Real>::in_two_passes(Real* out, Real* u, int threads) const {
  const std::int64_t m = nx, sy = nx + 2, sz = sy * (ny + 2), rows = ny, planes = nz;
  const Real cx = rx, cy = ry, cz = rz;
  if (planes == 0) {
    Real* const v = u + sy + 1;
    Real* const w = out + sy + 1;
    const auto fill = [=](std::int64_t j) { ends(v + j * sy, m); };
    const auto step = [=](std::int64_t j) { row(w + j * sy, v + j * sy, m, sy, cx, cy); };
    const auto walls = [=] {
      mirror(v - sy, v, m);
      mirror(v + rows * sy, v + (rows - 1) * sy, m);
    };
    if (threads == 1) {
      serial(rows, fill);
      walls();
      serial(rows, step);
      return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp single nowait
      walls();
      shared(rows, fill);
      shared(rows, step);
    }
    return;
  }
  Real* const v = u + sz + sy + 1;
  Real* const w = out + sz + sy + 1;
  const auto at = [=](std::int64_t n) { return n / rows * sz + n % rows * sy; };
  const auto fill = [=](std::int64_t n) { ends(v + at(n), m); };
  const auto fill_y = [=](std::int64_t k) {
    mirror(v + k * sz - sy, v + k * sz, m);
    mirror(v + k * sz + rows * sy, v + k * sz + (rows - 1) * sy, m);
  };
  const auto fill_z = [=](std::int64_t j) {
    mirror(v + j * sy - sz, v + j * sy, m);
    mirror(v + j * sy + planes * sz, v + j * sy + (planes - 1) * sz, m);
  };
  const auto step = [=](std::int64_t n) { row(w + at(n), v + at(n), m, sy, sz, cx, cy, cz); };
  if (threads == 1) {
    serial(rows * planes, fill);
    serial(planes, fill_y);
    serial(rows, fill_z);
    serial(rows * planes, step);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    // No pass reads what another one writes: corners are not needed.
    shared(rows * planes, fill);
    shared(planes, fill_y);
    shared(rows, fill_z);
    shared(rows * planes, step);
  }
}

template <class Real>
void HeatStep<Real>::in_one_pass(Real* out, Real* u, int threads) const {
  const std::int64_t m = nx, sy = nx + 2, sz = sy * (ny + 2), rows = ny, planes = nz;
  const Real cx = rx, cy = ry, cz = rz;
  if (planes == 0) {
    Real* const v = u + sy + 1;
    Real* const w = out + sy + 1;
    const auto step = [=](std::int64_t j) {
      Real* const p = v + j * sy;
      ends(p, m);
      if (j == 0) mirror(p - sy, p, m);
      if (j == rows - 1) mirror(p + sy, p, m);
      row(w + j * sy, p, m, sy, cx, cy);
    };
    if (threads == 1) {
      serial(rows, step);
      return;
    }
#pragma omp parallel num_threads(threads)
    shared(rows, step);
    return;
  }
  Real* const v = u + sz + sy + 1;
  Real* const w = out + sz + sy + 1;
  const auto step = [=](std::int64_t n) {
    const std::int64_t k = n / rows, j = n % rows;
    Real* const p = v + k * sz + j * sy;
    ends(p, m);
    if (j == 0) mirror(p - sy, p, m);
    if (j == rows - 1) mirror(p + sy, p, m);
    if (k == 0) mirror(p - sz, p, m);
    if (k == planes - 1) mirror(p + sz, p, m);
    row(w + (p - v), p, m, sy, sz, cx, cy, cz);
  };
  if (threads == 1) {
    serial(rows * planes, step);
    return;
  }
#pragma omp parallel num_threads(threads)
  shared(rows * planes, step);
}

template void first_touch<double>(double*, std::int64_t, int);
template void first_touch<float>(float*, std::int64_t, int);
template struct HeatStep<double>;
template struct HeatStep<float>;

}  // namespace plain
