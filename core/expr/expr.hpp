// Expressions of the input: text -> checked tree -> register program. Evaluation on the device is
// in device_program.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xp {

/// Operations of the register machine. All arithmetic is double, in the order in which it is
/// written.
// clang-format off
enum class Op : std::uint8_t {
  constant,  ///< out = value
  input,     ///< out = the input slot `slot` (see Program)
  add, subtract, multiply, divide, power, negate,
  less, less_equal, greater, greater_equal, equal, not_equal,  ///< 1 or 0
  logical_and, logical_or, logical_not,  ///< anything but 0 is true, NaN too; 1 or 0
  select,                                ///< out = a != 0 ? b : c
  exp, log, log10, sqrt, cbrt, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, erf,
  abs, sign, floor, ceil, mod, min, max, hypot, heaviside, clamp,
};
// clang-format on

struct Instruction {
  Op op = Op::constant;
  std::uint8_t out = 0, a = 0, b = 0, c = 0;  ///< registers
  std::int32_t slot = 0;                      ///< of Op::input
  double value = 0;                           ///< of Op::constant
};

/// A reduction over the grid inside an expression of `verify` or `series`: its operand is a program
/// of its own, evaluated per cell; its value enters the outer program as an input slot.
struct Reduction;

/// A compiled expression. Its value is left in register 0.
/// Input slots: 0, 1, 2 the coordinates x, y, z; 3 the time t; 4 .. 4+F-1 the F names of
/// Symbols::fields; from 4+F on the reductions, in order.
struct Program {
  static constexpr int max_registers = 32;
  static constexpr int slot_time = 3;
  static constexpr int slot_fields = 4;

  std::vector<Instruction> code;
  int registers = 1;
  bool uses_coordinates = false, uses_time = false;
  std::vector<int> fields;  ///< indices into Symbols::fields that are read, increasing
  std::vector<Reduction> reductions;

  /// Depends on nothing but constants: the value is constant_value().
  bool is_constant() const;
  double constant_value() const;  ///< evaluates on the host; needs is_constant()

  /// Evaluates on the host with the given slots (as many as are read).
  double operator()(const std::vector<double>& slots) const;
};

struct Reduction {
  enum class Kind { integral, mean, min, max, norm } kind = Kind::integral;  ///< norm: the l2 norm
  Program operand;
};

/// What names mean to an expression, besides functions, pi and e.
struct Symbols {
  int dimensions = 3;  ///< x, y, z up to this many; another coordinate is an error that says so
  bool coordinates = true;  ///< are coordinates allowed here?
  bool time = true;         ///< is t allowed here?
  bool reductions = false;  ///< are integral, mean, min(one argument), max(one argument), norm?
                            ///< In their operands all coordinates of the grid are allowed.
  bool bare_fields = true;  ///< may a field stand outside of a reduction?
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> definitions;  ///< named expressions, expanded where used
  std::vector<std::string> fields;
  std::string place;  ///< "heat.source": named in messages
};

/// A mistake in an expression: where in its text, what, and a hint.
struct ExprError {
  std::size_t offset = 0, length = 1;
  std::string message, hint;
};

/// A program, or the first mistake.
struct Compiled {
  std::optional<Program> program;
  ExprError error;
  explicit operator bool() const { return program.has_value(); }
};

/// Parses, checks and compiles. `optimise` folds constant subexpressions: only what IEEE arithmetic
/// makes exact, so that folded and unfolded programs agree bit for bit.
Compiled compile(std::string_view text, const Symbols& symbols, bool optimise = true);

/// A number of the input: decimal, integer or with an exponent, or a constant expression of
/// parameters, pi, e and functions. Refuses leading zeros (0100), hexadecimal, units (0.1s),
/// decimal commas (1,5), overflow (1e400), nan and inf, each with its own message.
struct ConstantResult {
  std::optional<double> value;
  ExprError error;
};
ConstantResult evaluate_constant(std::string_view text,
                                 const std::map<std::string, double>& parameters);

/// Names that users cannot give to parameters, definitions or fields.
const std::vector<std::string>& reserved_names();

/// Functions with one line of help each, for `xpsim list` and the manual: "atan2(y, x)", "...".
struct FunctionHelp {
  std::string signature, help;
};
const std::vector<FunctionHelp>& function_help();

}  // namespace xp
