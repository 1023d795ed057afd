// Sums that do not depend on the order of their terms: the same bits for every number of threads
// and ranks, every decomposition and every backend.
//
// The method is that of Demmel and Nguyen (2015) with exponent bins of 52 bits. The line of numbers
// is ruled by grids: grid b has the unit u_b = 2^(52 b - 1074), grid 0 that of the smallest double.
// A value belongs to the bin b with u_b/2 <= |value| < u_(b+1)/2, and is cut into slices:
// what rounding to grid b gives, what rounding the rest to grid b-1 gives, and so on. A value
// rounds to 0 on every grid above its bin. Which slice it has on a grid thus does not depend on
// where the cutting began. Kept are the slices on two grids, that of the largest value of all and
// the one below, as whole multiples of the units, whose sums are exact.
#pragma once

#include <cmath>
#include <cstdint>

#include <xp/runtime/kokkos.hpp>

namespace xp {

namespace detail {

__extension__ typedef __int128 int128;

// std::bit_cast cannot be called in device code.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bits(double value) {
  return __builtin_bit_cast(std::uint64_t, value);
}

// The bits of |value|: larger for a larger one, and beyond those of infinity for NaN.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t size_bits(double value) {
  return static_cast<std::int64_t>(bits(value) & ~(std::uint64_t(1) << 63));
}
KOKKOS_INLINE_FUNCTION constexpr bool finite(std::int64_t size_bits) {
  return size_bits >> 52 < 2047;
}
// The bin of a finite value, 1 for all below the first ones.
KOKKOS_INLINE_FUNCTION constexpr int bin(std::int64_t size_bits) {
  return static_cast<int>(size_bits >> 52) / 52 + 1;
}

// On a GPU a product and a sum are fused where they meet. These never are.
KOKKOS_INLINE_FUNCTION double plus(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
KOKKOS_INLINE_FUNCTION double times(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

// Loops over arrays go in lanes, one for every so many-th value: enough for a processor to have
// several vectors under way. They ask early for memory: with much to do for each value, a processor
// by itself does not look ahead enough. Further ahead than a page slows it down again
// (docs/performance.md).
inline constexpr int sum_lanes = 32;
inline void prefetch_lanes(const double* values) {
  constexpr int line = 8, ahead = 320;
  for (int l = 0; l < sum_lanes; l += line) __builtin_prefetch(values + ahead + l);
}

// Sums of slices, from which bits(magic) must be taken once for each value.
struct Slices {
  std::uint64_t upper = 0, lower = 0;
  std::int64_t largest = 0;  // size_bits() of the values
};

// Cuts values of bin `top` or below. With M = 1.5 * 2^52 u, the double nearest to M + value is
// M + m u, m an integer, and the bits of neighbouring doubles are neighbouring integers: those of
// the sum are the bits of M plus m. M is finite for bins up to 39; the largest doubles are first
// made smaller by two bins.
struct Slicer {
  static constexpr int last_plain = 39;
  double magic[2];

  KOKKOS_INLINE_FUNCTION explicit Slicer(int top) {
    for (int s = 0; s < 2; ++s) {
      const auto exponent = static_cast<std::uint64_t>(52 * (top - s) + 1);
      magic[s] = __builtin_bit_cast(double, exponent << 52 | std::uint64_t(1) << 51);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(double value, std::uint64_t& upper,
                                       std::uint64_t& lower) const {
    const double rounded = plus(value, magic[0]);
    const double rest = plus(value, -plus(rounded, -magic[0]));
    upper += bits(rounded);
    lower += bits(plus(rest, magic[1]));
  }
  // Of term(values[n]) for n below `count`; only meaningful where no term is of a higher bin.
  template <class Term>
  Slices slices(const double* values, int count, const Term& term) const {
    std::uint64_t upper[sum_lanes] = {}, lower[sum_lanes] = {};
    std::int64_t largest[sum_lanes] = {};
    const auto add_to = [&](int l, double value) {
      add(value, upper[l], lower[l]);
      const std::int64_t size = size_bits(value);
      largest[l] = size > largest[l] ? size : largest[l];
    };
    int n = 0;
    for (; n + sum_lanes <= count; n += sum_lanes) {
      prefetch_lanes(values + n);
      XP_VECTORISE
      for (int l = 0; l < sum_lanes; ++l) add_to(l, term(values[n + l]));
    }
    for (; n < count; ++n) add_to(0, term(values[n]));
    Slices all;
    for (int l = 0; l < sum_lanes; ++l) {
      all.upper += upper[l];
      all.lower += lower[l];
      all.largest = largest[l] > all.largest ? largest[l] : all.largest;
    }
    return all;
  }
};

}  // namespace detail

/// The sum of values, each of them rounded to at most 2^-52 of the largest |value| of all, and
/// often much less: n values are summed to n * 2^-52 * max|value|, and half a unit of the last
/// place of the sum. NaN and infinities give what they give in a plain sum; finite values only
/// overflow where their sum does.
class ExactSum {
 public:
  KOKKOS_INLINE_FUNCTION void add(double value) {
    const std::int64_t size = detail::size_bits(value);
    if (!detail::finite(size)) {
      special_ += value;
      return;
    }
    raise(detail::bin(size));
    const bool large = top_ > detail::Slicer::last_plain;
    const detail::Slicer slicer(large ? top_ - 2 : top_);
    detail::Slices slices;
    slicer.add(large ? value * 0x1p-104 : value, slices.upper, slices.lower);
    add_slices(slicer, 1, slices);
  }

  /// Adds term(values[n]) for n below `count`, at most 4095, on the host; returns whether all terms
  /// are finite.
  template <class Term>
  bool add(const double* values, int count, const Term& term) {
    // One pass where the bin of the values before is high enough, as it nearly always is.
    while (top_ <= detail::Slicer::last_plain) {
      const detail::Slicer slicer(top_);
      const detail::Slices slices = slicer.slices(values, count, term);
      if (!detail::finite(slices.largest)) break;
      if (detail::bin(slices.largest) <= top_) {
        add_slices(slicer, count, slices);
        return true;
      }
      raise(detail::bin(slices.largest));
    }
    bool finite = true;
    for (int n = 0; n < count; ++n) {
      const double value = term(values[n]);
      finite = finite && detail::finite(detail::size_bits(value));
      add(value);
    }
    return finite;
  }

  KOKKOS_INLINE_FUNCTION void join(const ExactSum& other) {
    ExactSum lower = other;
    if (lower.top_ > top_)
      raise(lower.top_);
    else
      lower.raise(top_);
    for (int s = 0; s < 2; ++s) slices_[s] += lower.slices_[s];
    special_ += lower.special_;
  }

  /// The sum, rounded once.
  KOKKOS_INLINE_FUNCTION double value() const {
    // NaN has many bit patterns, and which one a sum gives depends on the order.
    if (special_ != special_) return __builtin_nan("");
    if (special_ != 0) return special_;
    constexpr detail::int128 base = detail::int128(1) << 52;
    // The size of the sum as high * 2^52 + low, 0 <= low < 2^52, in units of the lower grid.
    detail::int128 high = slices_[0] + (slices_[1] >> 52), low = slices_[1] & (base - 1);
    const bool negative = high < 0;
    if (negative) {
      high = -high - (low != 0);
      low = (base - low) & (base - 1);
    }
    int exponent = 52 * (top_ - 1) - 1074;
    detail::int128 size = 0;
    if (high >> 74 == 0) {
      size = high << 52 | low;
    } else {
      // Too long for 127 bits: all that matters for rounding is whether anything is left below.
      size = high | (low != 0);
      exponent += 52;
    }
    const double result = std::ldexp(static_cast<double>(size), exponent);
    return negative ? -result : result;
  }

 private:
  // Moves to higher grids; slices on those that are left are dropped.
  KOKKOS_INLINE_FUNCTION void raise(int top) {
    if (top <= top_) return;
    slices_[1] = top == top_ + 1 ? slices_[0] : 0;
    slices_[0] = 0;
    top_ = top;
  }
  // Slices have at most 51 bits and a sign: the differences, taken modulo 2^64, are the sums of up
  // to 4095 of them.
  KOKKOS_INLINE_FUNCTION void add_slices(const detail::Slicer& slicer, int count,
                                         const detail::Slices& slices) {
    const auto n = static_cast<std::uint64_t>(count);
    slices_[0] += static_cast<std::int64_t>(slices.upper - n * detail::bits(slicer.magic[0]));
    slices_[1] += static_cast<std::int64_t>(slices.lower - n * detail::bits(slicer.magic[1]));
  }

  detail::int128 slices_[2] = {0, 0};  // in units of the grids top_ and top_ - 1
  double special_ = 0;                 // sum of the values that are not finite
  int top_ = 1;                        // the bin of the smallest values
};

}  // namespace xp
