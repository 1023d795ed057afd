// Functions of the mathematical library on the host, for the lanes of a chunk and for one value.
// glibc's vector library (libmvec) computes those that it has to two units in the last place; both
// forms call it, so that a value depends neither on its place in a chunk nor on who asks for it.
#pragma once

#include <xp/expr/expr.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp::detail {

/// Powers that are products by definition, here and on devices: pow may differ in the last bit.
KOKKOS_FORCEINLINE_FUNCTION bool is_product(double exponent) {
  return exponent == 1 || exponent == 2 || exponent == 3 || exponent == 4;
}
KOKKOS_FORCEINLINE_FUNCTION double product(double a, double exponent) {
  const double square = a * a;
  return exponent == 1 ? a : exponent == 2 ? square : exponent == 3 ? square * a : square * square;
}

/// Operations that function_lanes and function_value have.
template <Op op>
inline constexpr bool is_function = op == Op::power || op == Op::hypot ||
                                    (op >= Op::exp && op <= Op::erf && op != Op::sqrt);

/// out[l] = f(a[l]), or f(a[l], b[l]) for power, atan2 and hypot; `out` may be `a` or `b`. The
/// value of a lane depends on a[l] and b[l] alone. Any number of lanes.
template <Op op>
void function_lanes(int lanes, double* out, const double* a, const double* b);

/// The same for one value, to the last bit; `b` is not used by functions of one argument.
template <Op op>
double function_value(double a, double b);

}  // namespace xp::detail
