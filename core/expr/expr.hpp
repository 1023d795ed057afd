// Expressions of the input: text -> checked tree -> register program. Evaluation on the device is
// in device_program.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <xp/runtime/kokkos.hpp>

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
  uniform, normal,  ///< out = the random number of this cell and stream `slot`
  stencil,          ///< out = the Stencil packed in `slot`, of the arrays a and b
  reduction,        ///< of trees only: the reduction `slot` of its operand over the grid
  definition,       ///< of trees only: definition number `slot`, with boundary conditions of its own
};
// clang-format on

/// Differences and fluxes between neighbours. Those of one axis are divided by its spacing (or its
/// square): they are derivatives. docs/numerics.md has the formulas.
enum class StencilKind : std::uint8_t {
  first,      ///< da/dx along an axis
  second,     ///< d2a/dx2 along an axis
  mixed,      ///< d2a/dxdy along two axes
  laplacian,  ///< the sum of second derivatives along all axes
  diffusion,  ///< d/dx (a db/dx) along an axis, from fluxes at faces: a is the coefficient
  flux,       ///< d/dx (a b) along an axis, from fluxes at faces: a is the velocity there
  upwind,     ///< a db/dx along an axis, from the side that the velocity a comes from
};

struct Stencil {
  StencilKind kind = StencilKind::first;
  std::uint8_t axis = 0, other = 0;  ///< 0, 1, 2; `other` of mixed only
  KOKKOS_INLINE_FUNCTION std::int32_t packed() const {
    return static_cast<int>(kind) * 16 + axis * 4 + other;
  }
  KOKKOS_INLINE_FUNCTION static Stencil unpacked(std::int32_t packed) {
    return {static_cast<StencilKind>(packed / 16), static_cast<std::uint8_t>(packed / 4 % 4),
            static_cast<std::uint8_t>(packed % 4)};
  }
  /// Is the first operand read at the cell alone, like any other value?
  KOKKOS_INLINE_FUNCTION bool first_is_value() const { return kind == StencilKind::upwind; }
  int operands() const {
    return kind == StencilKind::diffusion || kind == StencilKind::flux ||
                   kind == StencilKind::upwind
               ? 2
               : 1;
  }
};

/// Where an operation finds one of its values.
struct Operand {
  enum class Kind : std::uint8_t { none, register_, array, number } kind = Kind::none;
  std::uint8_t index = 0;  ///< of the register or array; of numbers 0, 1 or 2
};

/// One operation, or two arithmetic ones whose values meet: out = (a op b) then c. Rounded after
/// each of them, so that fused and separate ones give the same bits.
struct Instruction {
  Op op = Op::constant;
  Op then = Op::constant;  ///< add, subtract or multiply: of the value before with c
  bool swapped = false;    ///< c comes first
  std::uint8_t out = 0;    ///< register
  Operand a, b, c;
  std::int32_t slot = 0;         ///< of input, random numbers and stencils
  double number[3] = {0, 0, 0};  ///< constants among the operands
};

/// A compiled expression, or several that share what they have in common, evaluated cell by cell.
/// Input slots: 0, 1, 2 the coordinates x, y, z; 3 the time t; 4 .. 4+A-1 the A arrays (the names
/// of Symbols::fields and what is derived from them); from 4+A on single numbers.
struct Program {
  static constexpr int max_registers = 32;
  static constexpr int max_numbers = 16;  ///< that are the same in all cells: reductions, ...
  static constexpr int max_arrays = 24;
  static constexpr int max_outputs = 12;
  static constexpr int slot_time = 3;
  static constexpr int slot_fields = 4;

  std::vector<Instruction> code;
  std::vector<Operand> outputs;   ///< where the values are left
  std::vector<double> constants;  ///< of outputs that are numbers
  int registers = 1;
  bool uses_coordinates = false, uses_time = false, uses_random = false;
  std::vector<int> fields;        ///< arrays that are read at the cell itself, increasing
  std::vector<int> numbers;       ///< single numbers that are read, increasing
  std::vector<Stencil> stencils;  ///< that occur, each once
  /// Of each instruction: bit n is set if the n-th value, of the first 32, that
  /// compile_all was asked for needs it.
  std::vector<std::uint32_t> needed_by;

  /// One whose value is a number.
  static Program of(double value);

  bool empty() const { return outputs.empty(); }
  /// Depends on nothing but constants: the value is constant_value().
  bool is_constant() const;
  double constant_value() const;  ///< evaluates on the host; needs is_constant()

  /// Evaluates the first output on the host with the given slots (as many as are read); random
  /// numbers are 0. Not for stencils.
  double operator()(const std::vector<double>& slots) const;
};

/// Reductions over the grid.
struct Reduction {
  enum class Kind { integral, mean, min, max, norm };  ///< norm: the l2 norm
};

/// What names mean to an expression, besides functions, pi and e.
struct Symbols {
  int dimensions = 3;  ///< x, y, z up to this many; another coordinate is an error that says so
  /// False where the grid itself was refused: shorter vectors are no mistake then.
  bool dimensions_known = true;
  bool coordinates = true;  ///< are coordinates allowed here?
  bool time = true;         ///< is t allowed here?
  bool reductions = false;  ///< are integral, mean, min(one argument), max(one argument), norm?
                            ///< In their operands all coordinates of the grid are allowed.
  bool bare_fields = true;  ///< may a field stand outside of a reduction?
  bool operators = false;   ///< are grad, div, laplacian, dx, ... allowed here?
  bool random = false;      ///< are uniform and normal?
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> definitions;  ///< named expressions, expanded where used
  std::vector<std::string> fields;     ///< components of vectors one by one, as v_x, v_y
  std::map<std::string, int> vectors;  ///< vector fields: their first component among `fields`
  /// Definitions that have boundary conditions of their own; vectors by their own name.
  std::set<std::string> bounded;
  /// Fields where fields are not allowed: only for the message.
  std::set<std::string> absent_fields;
  int first_stream = 0;  ///< of random numbers: those of one field's initial value are together
  std::string place;     ///< "heat.source": named in messages
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

/// Parses, checks and compiles an expression without operators and reductions. `optimise` shares
/// equal subexpressions and folds constant ones: only what IEEE arithmetic makes exact, so that
/// optimised and other programs agree bit for bit.
Compiled compile(std::string_view text, const Symbols& symbols, bool optimise = true);

/// The same of a vector: one program per dimension.
struct CompiledVector {
  std::vector<Program> programs;
  ExprError error;
  explicit operator bool() const { return !programs.empty(); }
};
CompiledVector compile_vector(std::string_view text, const Symbols& symbols);

/// Finds the first mistake in an expression of any rank.
std::optional<ExprError> check(std::string_view text, const Symbols& symbols, bool* is_vector);

/// Is the value of an expression true or false: a comparison, `and`, `or`, `not`, or an `if` of
/// these? Of one with a mistake true.
bool is_condition(std::string_view text, const Symbols& symbols);

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
