// The scalars of Krylov methods: where each is in memory, and the kernels that make them from sums.
// Each kernel is one call, in the memory space of the solve.
#pragma once

#include <cmath>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/loop.hpp>

namespace xp::detail {

/// Calls f() once in the execution space, after what was started there before.
template <class Space, class F>
void run_once(const Space& space, const char* kernel, const F& f) {
  if constexpr (is_host_space<Space>) {
    space.fence();
    f();
  } else {
    Kokkos::parallel_for(
        kernel, Kokkos::RangePolicy<Space>(space, 0, 1), KOKKOS_LAMBDA(const int) { f(); });
  }
}

/// Why a solve cannot go on.
enum class KrylovState { sound = 0, not_finite, not_positive, singular };

// The first three are what the host looks at.
enum KrylovNumber : int {
  square,  // of the residual; of gmres its size
  state,   // a KrylovState
  rest,    // of gmres: size of what was new in the last direction
  first_sum,
  second_sum,
  alpha,
  beta,
  omega,
  rho,
  slope,
  renew,
  inverse,
  norm,
  krylov_numbers  // those of gmres follow
};
inline constexpr int looked_at = 3;

KOKKOS_INLINE_FUNCTION double state_number(KrylovState value) {
  return static_cast<double>(static_cast<int>(value));
}

/// After p.q and p.r: the length of the step along p. 0 once the operator has shown that it is not
/// positive definite, so that x stays.
struct CgStep {
  double* number;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    const double pq = number[first_sum];
    if (number[state] == 0 && !(pq > 0))
      number[state] = state_number(pq != pq ? KrylovState::not_finite : KrylovState::not_positive);
    number[slope] = pq;
    number[alpha] = number[state] == 0 ? number[second_sum] / pq : 0;
  }
};

/// After z.q: how much of the last direction the next one takes.
struct CgDirection {
  double* number;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    number[beta] = number[state] == 0 ? -number[first_sum] / number[slope] : 0;
  }
};

/// After shadow.r in rho's place-to-be and r.r: begins anew where the residual has become
/// orthogonal to the shadow.
struct BicgstabDirection {
  double* number;
  bool first;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    const double before = number[rho], now = number[first_sum];
    number[square] = number[second_sum];
    const double size = now < 0 ? -now : now, size_before = before < 0 ? -before : before;
    const bool anew = first || size < 1e-30 * size_before || number[omega] == 0;
    number[renew] = anew ? 1 : 0;
    number[rho] = anew ? number[second_sum] : now;
    number[beta] = anew ? 0 : now / before * (number[alpha] / number[omega]);
  }
};

/// After shadow.v.
struct BicgstabStep {
  double* number;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    const double value = number[first_sum];
    if (!(value - value == 0)) number[state] = state_number(KrylovState::not_finite);
    number[alpha] = value != 0 ? number[rho] / value : 0;
  }
};

/// After t.t and t.r: the length that makes the residual least.
struct BicgstabSmoothing {
  double* number;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    number[omega] = number[first_sum] > 0 ? number[second_sum] / number[first_sum] : 0;
  }
};

/// The small least-squares problem of gmres: the Hessenberg matrix by columns, rotations, the
/// rotated right side, the solution.
struct GmresNumbers {
  double* number;
  int m;

  static int count(int m) { return krylov_numbers + m * (m + 1) + 2 * m + (m + 1) + m; }

  KOKKOS_INLINE_FUNCTION double* h(int column, int row) const {
    return number + krylov_numbers + column * (m + 1) + row;
  }
  KOKKOS_INLINE_FUNCTION double* cosine(int n) const { return h(m, 0) + n; }
  KOKKOS_INLINE_FUNCTION double* sine(int n) const { return cosine(m) + n; }
  KOKKOS_INLINE_FUNCTION double* g(int n) const { return sine(m) + n; }
  KOKKOS_INLINE_FUNCTION double* y(int n) const { return g(m + 1) + n; }
};

/// After r.r: begins with the first direction.
struct GmresStart {
  GmresNumbers of;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    const double size = std::sqrt(of.number[first_sum]);
    of.number[norm] = of.number[square] = size;
    of.number[inverse] = size > 0 ? 1 / size : 0;
    for (int n = 0; n <= of.m; ++n) *of.g(n) = n == 0 ? size : 0;
  }
};

/// After column n of the matrix and the square of what is new in w: the rotation that leaves no
/// entry below the diagonal. A column of zeros leaves the residual as it is and its direction
/// unused.
struct GmresRotation {
  GmresNumbers of;
  int n;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    double* const number = of.number;
    const double size = std::sqrt(number[first_sum]);
    number[rest] = size;
    number[inverse] = size > 0 ? 1 / size : 0;
    if (!(size - size == 0)) number[state] = state_number(KrylovState::not_finite);
    *of.h(n, n + 1) = size;
    for (int k = 0; k < n; ++k) {
      const double a = *of.h(n, k), b = *of.h(n, k + 1), c = *of.cosine(k), s = *of.sine(k);
      *of.h(n, k) = c * a + s * b;
      *of.h(n, k + 1) = c * b - s * a;
    }
    const double a = *of.h(n, n), b = *of.h(n, n + 1);
    const double length = std::sqrt(a * a + b * b);
    if (length == 0 && *of.g(n) != 0) number[state] = state_number(KrylovState::singular);
    *of.cosine(n) = length > 0 ? a / length : 0;
    *of.sine(n) = length > 0 ? b / length : -1;
    *of.h(n, n) = length;
    *of.g(n + 1) = -*of.sine(n) * *of.g(n);
    *of.g(n) *= *of.cosine(n);
    const double left = *of.g(n + 1);
    number[square] = left < 0 ? -left : left;
  }
};

/// The combination of the first `count` directions that leaves the least residual.
struct GmresCombination {
  GmresNumbers of;
  int count;
  KOKKOS_INLINE_FUNCTION void operator()() const {
    for (int k = count - 1; k >= 0; --k) {
      double value = *of.g(k);
      for (int l = k + 1; l < count; ++l) value -= *of.h(l, k) * *of.y(l);
      *of.y(k) = *of.h(k, k) > 0 ? value / *of.h(k, k) : 0;
    }
  }
};

}  // namespace xp::detail
