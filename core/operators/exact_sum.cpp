#include <xp/operators/exact_sum.hpp>

#include <cmath>
#include <limits>

namespace xp {

double ExactSum::value() const {
  // NaN has many bit patterns, and which one a sum gives depends on the order.
  if (std::isnan(special_)) return std::numeric_limits<double>::quiet_NaN();
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

}  // namespace xp
