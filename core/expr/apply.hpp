// One operation of the register machine. Host evaluation, constant folding and the device all call
// this one function, so that their results agree bit for bit.
#pragma once

#include <cmath>

#include <xp/expr/expr.hpp>
#include <xp/expr/vector_functions.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Remainder with the sign of the divisor, as in Python.
KOKKOS_FORCEINLINE_FUNCTION double floored_mod(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

/// The smaller and the larger of two; a NaN is passed on, so that a divergence is never hidden.
KOKKOS_FORCEINLINE_FUNCTION double lesser(double a, double b) {
  return a < b || a != a ? a : b;
}
KOKKOS_FORCEINLINE_FUNCTION double greater(double a, double b) {
  return a > b || a != a ? a : b;
}

namespace detail {

#if defined(__CUDA_ARCH__)
// A device has functions of its own.
template <Op op>
KOKKOS_FORCEINLINE_FUNCTION double call(double a, double b) {
  if constexpr (op == Op::power) return is_product(b) ? product(a, b) : std::pow(a, b);
  if constexpr (op == Op::exp) return std::exp(a);
  if constexpr (op == Op::log) return std::log(a);
  if constexpr (op == Op::log10) return std::log10(a);
  if constexpr (op == Op::cbrt) return std::cbrt(a);
  if constexpr (op == Op::sin) return std::sin(a);
  if constexpr (op == Op::cos) return std::cos(a);
  if constexpr (op == Op::tan) return std::tan(a);
  if constexpr (op == Op::asin) return std::asin(a);
  if constexpr (op == Op::acos) return std::acos(a);
  if constexpr (op == Op::atan) return std::atan(a);
  if constexpr (op == Op::atan2) return std::atan2(a, b);
  if constexpr (op == Op::sinh) return std::sinh(a);
  if constexpr (op == Op::cosh) return std::cosh(a);
  if constexpr (op == Op::tanh) return std::tanh(a);
  if constexpr (op == Op::erf) return std::erf(a);
  if constexpr (op == Op::hypot) return std::hypot(a, b);
}
template <Op op>
KOKKOS_FORCEINLINE_FUNCTION void call_lanes(int lanes, double* out, const double* a,
                                            const double* b) {
  for (int lane = 0; lane < lanes; ++lane) out[lane] = call<op>(a[lane], b[lane]);
}
#else
template <Op op>
KOKKOS_FORCEINLINE_FUNCTION double call(double a, double b) {
  return function_value<op>(a, b);
}
template <Op op>
KOKKOS_FORCEINLINE_FUNCTION void call_lanes(int lanes, double* out, const double* a,
                                            const double* b) {
  function_lanes<op>(lanes, out, a, b);
}
#endif

}  // namespace detail

/// The value of an operation with up to three operands; those that it does not take are not read.
KOKKOS_FORCEINLINE_FUNCTION double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::input:
    case Op::uniform:
    case Op::normal:
    case Op::stencil:
    case Op::reduction:
    case Op::definition:
      break;
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return detail::call<Op::power>(a, b);
    case Op::negate:
      return -a;
    case Op::less:
      return a < b ? 1 : 0;
    case Op::less_equal:
      return a <= b ? 1 : 0;
    case Op::greater:
      return a > b ? 1 : 0;
    case Op::greater_equal:
      return a >= b ? 1 : 0;
    case Op::equal:
      return a == b ? 1 : 0;
    case Op::not_equal:
      return a != b ? 1 : 0;
    case Op::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::logical_not:
      return a != 0 ? 0 : 1;
    case Op::select:
      return a != 0 ? b : c;
    case Op::exp:
      return detail::call<Op::exp>(a, b);
    case Op::log:
      return detail::call<Op::log>(a, b);
    case Op::log10:
      return detail::call<Op::log10>(a, b);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::cbrt:
      return detail::call<Op::cbrt>(a, b);
    case Op::sin:
      return detail::call<Op::sin>(a, b);
    case Op::cos:
      return detail::call<Op::cos>(a, b);
    case Op::tan:
      return detail::call<Op::tan>(a, b);
    case Op::asin:
      return detail::call<Op::asin>(a, b);
    case Op::acos:
      return detail::call<Op::acos>(a, b);
    case Op::atan:
      return detail::call<Op::atan>(a, b);
    case Op::atan2:
      return detail::call<Op::atan2>(a, b);
    case Op::sinh:
      return detail::call<Op::sinh>(a, b);
    case Op::cosh:
      return detail::call<Op::cosh>(a, b);
    case Op::tanh:
      return detail::call<Op::tanh>(a, b);
    case Op::erf:
      return detail::call<Op::erf>(a, b);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::mod:
      return floored_mod(a, b);
    case Op::min:
      return lesser(a, b);
    case Op::max:
      return greater(a, b);
    case Op::hypot:
      return detail::call<Op::hypot>(a, b);
    case Op::heaviside:
      return a > 0 ? 1 : a < 0 ? 0 : a == 0 ? 0.5 : a;
    case Op::clamp:
      return lesser(greater(a, b), c);
  }
  return 0;
}

/// What a fused instruction makes of its operands.
KOKKOS_FORCEINLINE_FUNCTION double apply(const Instruction& instruction, double a, double b,
                                         double c) {
  if (instruction.then == Op::constant) return apply(instruction.op, a, b, c);
  const double first = apply(instruction.op, a, b, 0);
  return instruction.swapped ? apply(instruction.then, c, first, 0)
                             : apply(instruction.then, first, c, 0);
}

}  // namespace xp
