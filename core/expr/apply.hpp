// One operation of the register machine. Host evaluation, constant folding and the device all call
// this one function, so that their results agree bit for bit.
#pragma once

#include <cmath>

#include <xp/expr/expr.hpp>
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

/// The value of an operation with up to three operands; those that it does not take are not read.
KOKKOS_FORCEINLINE_FUNCTION double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::input:
    case Op::uniform:
    case Op::normal:
    case Op::stencil:
    case Op::reduction:
      break;
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    // Small powers are products by definition, here and everywhere: pow may differ in the last bit.
    case Op::power:
      return b == 2   ? a * a
             : b == 1 ? a
             : b == 3 ? a * a * a
             : b == 4 ? (a * a) * (a * a)
                      : std::pow(a, b);
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
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::log10:
      return std::log10(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::cbrt:
      return std::cbrt(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::erf:
      return std::erf(a);
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
      return std::hypot(a, b);
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
