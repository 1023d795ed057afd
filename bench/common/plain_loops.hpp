// What a C programmer would write by hand, compiled with the flags of the library: the yardsticks
// that kernels are held against. `threads` of 1 is a serial loop without OpenMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace plain {

struct Free {
  void operator()(void* p) const { std::free(p); }
};
template <class Real>
using Array = std::unique_ptr<Real[], Free>;

/// Sets u to zero, in the pieces in which `threads` threads will use it.
template <class Real>
void first_touch(Real* u, std::int64_t count, int threads);

/// Memory for `count` numbers, aligned to a cache line, touched first by the threads that use it.
template <class Real>
Array<Real> make_array(std::int64_t count, int threads) {
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(Real) + 63) / 64 * 64;
  Array<Real> array(static_cast<Real*>(std::aligned_alloc(64, bytes)));
  if (!array) throw std::bad_alloc();
  first_touch(array.get(), count, threads);
  return array;
}

/// a = b + s c: counted as 24 bytes per element by STREAM, 32 with the write-allocate.
void triad(double* a, const double* b, const double* c, double s, std::int64_t count, int threads);

/// The sum of u, in as many lanes as keep a processor busy, since no flag lets a compiler make
/// them.
double sum(const double* u, std::int64_t count, int threads);

/// One Euler step of the heat equation on (ny+2) x (nx+2) or (nz+2) x (ny+2) x (nx+2) cells with
/// one layer of ghosts: fills the ghosts of u (u = 0 at the walls; corners are not needed), then
/// out = u + rx d2u/dx2 + ry d2u/dy2 (+ rz d2u/dz2), with r = step D / spacing^2.
template <class Real>
struct HeatStep {
  std::int64_t nx = 1, ny = 1, nz = 0;  ///< nz of 0: two dimensions
  Real rx = 0, ry = 0, rz = 0;

  std::int64_t cells() const { return nx * ny * (nz > 0 ? nz : 1); }
  std::int64_t size() const { return (nx + 2) * (ny + 2) * (nz > 0 ? nz + 2 : 1); }

  /// Ghosts in a pass of their own, as the library does.
  void in_two_passes(Real* out, Real* u, int threads) const;
  /// Ghosts of a row filled right before the row is used: less memory is touched.
  void in_one_pass(Real* out, Real* u, int threads) const;
};

}  // namespace plain
