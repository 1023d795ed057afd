// exp, sin and cos as plain loops of additions and products, which compilers vectorise: no tables,
// no fused operations, hence the same bits on every processor and for every vector width.
//
// Method: reduction of the argument by multiples of ln 2 or pi/2 in pieces (Cody and Waite 1980),
// and the minimax polynomials of fdlibm (Sun Microsystems 1993) on what is left.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <xp/runtime/kokkos.hpp>

namespace xp::detail {

// A number below 2^51 plus this one has its nearest integer in the last bits.
inline constexpr double to_integer = 6755399441055744;  // 1.5 * 2^52

// 2^n, n a normal number's exponent.
[[gnu::always_inline]] inline double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

[[gnu::always_inline]] inline double exp_by_polynomial(double x) {
  // Beyond, the result is 0 or infinite anyway. A NaN passes.
  const double a = x > 720 ? 720 : x < -760 ? -760 : x;
  const double shifted = a * 1.44269504088896338700e+00 + to_integer, k = shifted - to_integer;
  const std::int64_t n =
      std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(to_integer);
  // a - k ln 2 in two parts: products with the upper part of ln 2 are exact.
  const double high = a - k * 6.93147180369123816490e-01, low = k * 1.90821492927058770002e-10;
  const double r = high - low, z = r * r;
  const double c =
      r - z * (1.66666666666666019037e-01 +
               z * (-2.77777777770155933842e-03 +
                    z * (6.61375632143793436117e-05 +
                         z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  const double y = 1 - ((low - (r * c) / (2 - c)) - high);
  // In two steps, since 2^n may be no normal number where the result is one.
  const std::int64_t half = n >> 1;
  return y * power_of_two(half) * power_of_two(n - half);
}

// Where sine_by_polynomial holds: 2^20 pi/2.
inline constexpr double most_turned = 1647099;

// sin(x + quarters pi/2).
template <int quarters>
[[gnu::always_inline]] inline double sine_by_polynomial(double x) {
  const double shifted = x * 6.36619772367581382433e-01 + to_integer, k = shifted - to_integer;
  const std::int64_t n = std::bit_cast<std::int64_t>(shifted) + quarters;
  // x - k pi/2: the products with pieces of 33 bits are exact, the errors of differences are kept.
  const double first = x - k * 1.57079632673412561417e+00;
  const double piece = k * 6.07710050630396597660e-11, second = first - piece;
  const double rest = (first - second) - piece;
  const double next = k * 2.02226624871116645580e-21, third = second - next;
  const double tail = rest + ((second - third) - next) - k * 8.47842766036889956997e-32;
  const double y = third + tail, d = (third - y) + tail;
  const double z = y * y;
  const double cube = z * y;
  const double p = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double sine = y - ((z * (0.5 * d - cube * p) - d) - cube * -1.66666666666666324348e-01);
  const double q =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z, w = 1 - half, cosine = w + (((1 - w) - half) + (z * q - y * d));
  // By bits, not by conditions: odd multiples of pi/2 take the cosine, every second pair a minus.
  const auto odd = 0 - (static_cast<std::uint64_t>(n) & 1);
  const std::uint64_t bits =
      (std::bit_cast<std::uint64_t>(cosine) & odd) | (std::bit_cast<std::uint64_t>(sine) & ~odd);
  return std::bit_cast<double>(bits ^ ((static_cast<std::uint64_t>(n) & 2) << 62));
}

// out[l] = exp(a[l]); `out` may be `a`.
inline void exp_lanes(int lanes, double* out, const double* a) {
  XP_VECTORISE
  for (int l = 0; l < lanes; ++l) out[l] = exp_by_polynomial(a[l]);
}

// sin (quarters = 0) or cos (1): far arguments, infinite ones and NaN by the C library.
template <int quarters>
void sine_lanes(int lanes, double* out, const double* a) {
  constexpr int most = 64;
  double values[most];
  for (int first = 0; first < lanes; first += most) {
    const int count = lanes - first < most ? lanes - first : most;
    const double* const x = a + first;
    XP_VECTORISE
    for (int l = 0; l < count; ++l) values[l] = sine_by_polynomial<quarters>(x[l]);
    if (quarters == 0)  // of minus zero, too
      for (int l = 0; l < count; ++l) values[l] = x[l] == 0 ? x[l] : values[l];
    std::int64_t far = 0;
    for (int l = 0; l < count; ++l) far += std::fabs(x[l]) < most_turned ? 0 : 1;
    if (far > 0)
      for (int l = 0; l < count; ++l)
        if (!(std::fabs(x[l]) < most_turned))
          values[l] = quarters ? std::cos(x[l]) : std::sin(x[l]);
    XP_VECTORISE
    for (int l = 0; l < count; ++l) out[first + l] = values[l];
  }
}

}  // namespace xp::detail
