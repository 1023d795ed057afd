// What a name means at one place of the input, and what to say when it means nothing there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <xp/expr/expr.hpp>
#include <xp/expr/lexer.hpp>

namespace xp::detail {

class Scope {
 public:
  explicit Scope(const Symbols& symbols) : symbols_(symbols) {}

  const Symbols& symbols() const { return symbols_; }
  /// " in heat.source", or nothing if the place has no name.
  std::string in_place() const;
  bool known(std::string_view name) const;

  // Each throws a Mistake at the token if the use is not allowed.
  void check_coordinate(const Token& name, int axis, bool in_reduction) const;
  void check_time(const Token& name) const;
  void check_field(const Token& name, bool in_reduction) const;
  void check_reduction(const Token& name, bool in_reduction) const;
  void check_operator(const Token& name, bool in_reduction) const;
  void check_random(const Token& name) const;
  void check_axis(const Token& name, int axis) const;
  /// A reserved name that was given to a parameter, definition or field.
  void check_not_redefined(const Token& name) const;

  [[noreturn]] void refuse_unknown_name(const Token& name) const;
  [[noreturn]] void refuse_unknown_function(const Token& name) const;
  [[noreturn]] void refuse_suffix(const Token& number) const;

 private:
  bool defined_by_user(std::string_view name) const;
  std::string suggestion(std::string_view name, const std::vector<std::string>& valid) const;
  std::vector<std::string> valid_functions() const;
  std::vector<std::string> valid_names() const;

  const Symbols& symbols_;
};

}  // namespace xp::detail
