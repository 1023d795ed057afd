// Reads the text of an expression into a checked tree.
//
//   or > and > not > comparison (one, no chain) > + - > * / > unary - > ^ (to the right)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xp/expr/calculus.hpp>
#include <xp/expr/lexer.hpp>
#include <xp/expr/names.hpp>
#include <xp/expr/scope.hpp>
#include <xp/expr/tree.hpp>

namespace xp::detail {

/// What the parsers of an expression and of the definitions in it share.
struct Parse {
  Parse(const Symbols& symbols, bool optimise)
      : scope(symbols), tree(optimise), calculus(tree, symbols.dimensions) {}

  Scope scope;
  Tree tree;
  Calculus calculus;
  int random_numbers = 0;
  std::vector<std::string> open_definitions;  // being expanded, outermost first
  bool in_reduction = false;
  int depth = 0;
  int expansions = 0;       // of definitions
  std::size_t letters = 0;  // that were read, definitions each time they are expanded
  /// In the text asked for: the name of the definition that is being expanded.
  std::optional<Tree::Place> use;
};

/// Counts the nesting while it is in scope: the parser recurses only where one of these is.
class Nesting {
 public:
  Nesting(Parse& parse, const Token& at) : depth_(parse.depth) {
    if (++depth_ > max_depth) {
      --depth_;
      throw Mistake::of_whole(
          at.offset, at.length,
          "nested too deeply (more than " + std::to_string(max_depth) + " levels)");
    }
  }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  static constexpr int max_depth = 200;
  int& depth_;
};

class Parser {
 public:
  Parser(std::string_view text, Parse& parse);

  /// The value of the whole text; throws a Mistake.
  Value parse();
  /// The same, a scalar, or a vector where `is_vector`; `what` is what it is for ("field 'u'").
  Value parse(bool is_vector, const std::string& what);

 private:
  // One for each level of precedence; each returns a value.
  Value disjunction();
  Value conjunction();
  Value negation();
  Value comparison();
  Value sum();
  Value product();
  Value sign();
  Value power();
  Value primary();

  Value parenthesis();
  Value name();
  Value bracket();
  Value call(const Token& name);
  std::vector<Value> arguments(const Token& open);
  Value call_function(const Token& name, const Function& function,
                      const std::vector<Value>& arguments);
  Value call_operator(const Token& name, const Operator& found,
                      const std::vector<Value>& arguments);
  Value random_number(const Token& name, const Function& found,
                      const std::vector<Value>& arguments);
  Value reduce(const Token& name, Reduction::Kind kind, const std::vector<Value>& arguments);
  Value expand(const Token& name, const std::string& key);
  std::optional<Value> component(const Token& name);
  Value operation(const Token& at, Op op, const Value& a, const Value& b);
  Value operation(const Token& at, Op op, int a, int b = -1, int c = -1);
  Value constant(const Token& at, double value);
  // The node of a scalar; a vector is a mistake: "the base of a power".
  int scalar(const Token& at, const Value& value, const std::string& what,
             const std::string& hint = {}) const;
  // A value that begins at a token and ends with the last one used; one that is known by now and
  // not finite is a mistake.
  Value finite(const Token& first, Value value) const;

  void advance();
  void check_size(const Token& at) const;
  [[noreturn]] void refuse_size(std::size_t offset, std::size_t length) const;
  std::string how_to_write_vector() const;
  std::string how_to_get_vector() const;
  std::string how_to_get_scalar() const;
  bool calls(std::string_view function) const;
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
