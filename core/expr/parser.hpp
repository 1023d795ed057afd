// Reads the text of an expression into a checked tree.
//
//   or > and > not > comparison (one, no chain) > + - > * / > unary - > ^ (to the right)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <xp/expr/lexer.hpp>
#include <xp/expr/names.hpp>
#include <xp/expr/scope.hpp>
#include <xp/expr/tree.hpp>

namespace xp::detail {

/// What the parsers of an expression and of the definitions in it share.
struct Parse {
  Parse(const Symbols& symbols, bool optimise) : scope(symbols), tree(optimise) {}

  Scope scope;
  Tree tree;
  std::vector<Reduction> reductions;
  std::vector<std::string> open_definitions;  // being expanded, outermost first
  bool in_reduction = false;
  int depth = 0;
};

class Parser {
 public:
  Parser(std::string_view text, Parse& parse);

  /// The root of the tree; throws a Mistake.
  int parse();

 private:
  // One for each level of precedence; each returns the index of a node.
  int disjunction();
  int conjunction();
  int negation();
  int comparison();
  int sum();
  int product();
  int sign();
  int power();
  int primary();

  int parenthesis();
  int name();
  int call(const Token& name);
  int call_function(const Token& name, const Function& function, const std::vector<int>& arguments);
  int reduce(const Token& name, Reduction::Kind kind, int operand);
  int expand(const Token& name, const std::string& definition);
  int operation(const Token& at, Op op, int a, int b = -1, int c = -1);
  int constant(const Token& at, double value);

  void advance();
  void check_size(const Token& at) const;
  bool has_one_argument() const;
  bool is_decimal_comma() const;
  [[noreturn]] void refuse_token() const;
  [[noreturn]] void refuse_decimal_comma() const;

  std::string_view text_;
  Parse& parse_;
  Lexer lexer_;
  Token token_;     // not yet used
  Token previous_;  // the last one used
};

}  // namespace xp::detail
