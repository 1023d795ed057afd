// The names that expressions know by themselves: functions, differential operators, reductions,
// random numbers and constants.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <xp/expr/expr.hpp>

namespace xp::detail {

struct Function {
  std::string_view name;
  Op op;
  int least, most;  // arguments; `any_number` for no upper limit
  std::string_view signature, help;

  static constexpr int any_number = -1;
};

const std::vector<Function>& functions();
/// Null if there is none of that name.
const Function* find_function(std::string_view name);

/// integral, mean, norm; min and max are reductions only with one argument.
std::optional<Reduction::Kind> find_reduction(std::string_view name);

/// Functions of vectors and of what is around a cell.
struct Operator {
  enum class Kind { gradient, divergence, laplacian, curl, first, second, dot, cross, advect };
  std::string_view name;
  Kind kind;
  int arguments;
  int axis, other;  // of derivatives
  std::string_view signature, help;
};
const std::vector<Operator>& operators();
const Operator* find_operator(std::string_view name);

/// uniform or normal; null for others.
const Function* find_random(std::string_view name);

bool is_reserved(std::string_view name);

std::optional<double> find_constant(std::string_view name);  // pi, e
/// 0, 1, 2 for x, y, z and -1 otherwise.
int find_coordinate(std::string_view name);

}  // namespace xp::detail
