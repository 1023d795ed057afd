// The names that expressions know by themselves: functions, reductions, constants, and the words
// reserved for what this version does not do.
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

/// A word such as `laplacian` that has a meaning but not in this version.
bool is_unsupported(std::string_view name);
bool is_reserved(std::string_view name);

std::optional<double> find_constant(std::string_view name);  // pi, e
/// 0, 1, 2 for x, y, z and -1 otherwise.
int find_coordinate(std::string_view name);

}  // namespace xp::detail
