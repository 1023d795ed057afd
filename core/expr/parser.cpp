#include <xp/expr/parser.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace xp::detail {
namespace {

constexpr std::size_t max_text = 64 * 1024;
constexpr std::size_t max_letters = 256 * 1024;
constexpr std::size_t max_terms = 4096;  // of the sum that a vector is

struct BinaryOperator {
  std::string_view text;
  Op op;
};
constexpr BinaryOperator comparisons[] = {{"<", Op::less},    {"<=", Op::less_equal},
                                          {">", Op::greater}, {">=", Op::greater_equal},
                                          {"==", Op::equal},  {"!=", Op::not_equal}};

const BinaryOperator* find_comparison(const Token& token) {
  for (const BinaryOperator& candidate : comparisons)
    if (token.is(candidate.text)) return &candidate;
  return nullptr;
}

}  // namespace

Parser::Parser(std::string_view text, Parse& parse) : text_(text), parse_(parse), lexer_(text) {}

Value Parser::parse() {
  if (text_.size() > max_text)
    throw Mistake(0, 1, "the expression is longer than 64 KiB" + parse_.scope.in_place());
  // Definitions of definitions: the text that they stand for grows without bound.
  parse_.letters += text_.size();
  if (parse_.letters > max_letters) refuse_size(0, 1);
  advance();
  if (token_.kind == Token::Kind::end)
    throw Mistake(0, 1, "the expression is empty" + parse_.scope.in_place());
  const Value value = disjunction();
  if (token_.kind == Token::Kind::end) return value;
  if (is_decimal_comma()) refuse_decimal_comma();
  refuse_token();
}

Value Parser::parse(bool is_vector, const std::string& what) {
  const Value value = parse();
  if (value.is_vector() == is_vector) return value;
  const std::size_t length = std::max<std::size_t>(1, text_.size());
  if (is_vector)
    throw Mistake::of_whole(0, length,
                            "the value is a scalar" + parse_.scope.in_place() + ", but " +
                                (what.empty() ? "a vector is expected" : what + " is a vector"),
                            how_to_get_vector());
  throw Mistake::of_whole(0, length,
                          "the value is a vector" + parse_.scope.in_place() + ", but " +
                              (what.empty() ? "a scalar is expected" : what + " is a scalar"),
                          how_to_get_scalar());
}

bool Parser::calls(std::string_view function) const {
  for (std::size_t at = text_.find(function); at != std::string_view::npos;
       at = text_.find(function, at + 1)) {
    const std::size_t end = at + function.size();
    const char before = at > 0 ? text_[at - 1] : ' ',
               behind = end < text_.size() ? text_[end] : ' ';
    const bool in_name = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
                         (before >= '0' && before <= '9') || before == '_';
    if (!in_name && behind == '(') return true;
  }
  return false;
}

// What is near to the user's own text and has the rank that is wanted.
std::string Parser::how_to_get_vector() const {
  if (calls("div")) return "div makes a scalar: grad(div(v)) and laplacian(v) are vectors";
  if (calls("dot")) return "dot makes a scalar: dot(v, w)*v is a vector";
  if (calls("laplacian"))
    return "laplacian of a scalar is one: laplacian(v) of the whole vector v is a vector";
  return how_to_write_vector();
}

std::string Parser::how_to_get_scalar() const {
  if (calls("grad"))
    return "grad makes a vector: div(grad(u)), dot(v, grad(u)) and dx(u) are scalars";
  if (calls("laplacian"))
    return "laplacian of a vector is one: laplacian(v_x) and laplacian(div(v)) are scalars";
  if (calls("advect")) return "advect(v, a) has the rank of a: advect(v, v_x) is a scalar";
  if (calls("curl")) return "curl makes a vector: dot(n, curl(v)) is its component along n";
  return "dot(v, w), div(v) and components of vectors are scalars";
}

void Parser::advance() {
  previous_ = token_;
  token_ = lexer_.next();
  if (token_.kind == Token::Kind::number && !token_.suffix.empty())
    parse_.scope.refuse_suffix(token_);
}

// "1,5": only where a comma cannot separate arguments.
bool Parser::is_decimal_comma() const {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return token_.is(",") && token_.offset > 0 && digit(text_[token_.offset - 1]) &&
         token_.offset + 1 < text_.size() && digit(text_[token_.offset + 1]) &&
         previous_.kind == Token::Kind::number;
}

void Parser::refuse_decimal_comma() const {
  std::size_t end = token_.offset + 1;
  while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
  std::string written(text_.substr(previous_.offset, end - previous_.offset));
  const std::string message = in_quotes(written) + " has a decimal comma";
  written[token_.offset - previous_.offset] = '.';
  throw Mistake(previous_.offset, written.size(), message, "write " + written);
}

void Parser::refuse_token() const {
  if (token_.is(")")) throw Mistake(token_.offset, 1, "')' without '(' before it");
  if (token_.is(",")) throw Mistake(token_.offset, 1, "',' outside of a function's arguments");
  if (token_.is("]")) throw Mistake(token_.offset, 1, "unexpected ']'");
  if (token_.is("[") && parse_.scope.symbols().vectors.count(std::string(previous_.text)) > 0)
    throw Mistake(token_.offset, 1, "expected an operator before '['",
                  "the first component is " + std::string(previous_.text) + "_x");
  throw Mistake(token_.offset, token_.length,
                "expected an operator before " + in_quotes(token_.text),
                token_.is_word("not") ? "" : "to multiply, write *");
}

void Parser::check_size(const Token& at) const {
  if (parse_.tree.full()) refuse_size(at.offset, at.length);
}

void Parser::refuse_size(std::size_t offset, std::size_t length) const {
  throw Mistake::of_whole(offset, length,
                          "the expression is too complicated" + parse_.scope.in_place(),
                          "split it or its definitions");
}

std::string Parser::how_to_write_vector() const {
  constexpr const char* written[] = {"[a]", "[a, b]", "[a, b, c]"};
  const Symbols& symbols = parse_.scope.symbols();
  return std::string("a vector is written ") +
         written[symbols.dimensions_known ? symbols.dimensions - 1 : 1];
}

int Parser::scalar(const Token& at, const Value& value, const std::string& what,
                   const std::string& hint) const {
  if (!value.is_vector()) return value.node;
  throw Mistake(at.offset, at.length, what + " has to be a scalar, not a vector",
                hint.empty() ? "dot(v, w), div(v) and components of vectors are scalars" : hint);
}

Value Parser::finite(const Token& first, Value value) const {
  if (value.is_vector() || !parse_.tree.is_constant(value.node)) return value;
  const double number = parse_.tree.nodes()[static_cast<std::size_t>(value.node)].value;
  if (std::isfinite(number)) return value;
  const char* const shown = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  throw Mistake(first.offset, previous_.offset + previous_.length - first.offset,
                std::string("the value is ") + shown + ", not a finite number");
}

Value Parser::operation(const Token& at, Op op, int a, int b, int c) {
  check_size(at);
  return parse_.calculus.scalar(parse_.tree.operation(op, a, b, c));
}

Value Parser::operation(const Token& at, Op op, const Value& a, const Value& b) {
  check_size(at);
  if (!a.is_vector() && !b.is_vector()) return operation(at, op, a.node, b.node);
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw Mistake(at.offset, at.length, message, hint);
  };
  if (op == Op::add || op == Op::subtract) {
    if (a.is_vector() && b.is_vector()) {
      if (a.terms.size() + b.terms.size() > max_terms) refuse_size(at.offset, at.length);
      return parse_.calculus.sum(a, b, op == Op::subtract);
    }
    refuse(
        std::string("a vector and a scalar cannot be ") + (op == Op::add ? "added" : "subtracted"),
        how_to_write_vector());
  }
  if (op == Op::multiply) {
    if (a.is_vector() && b.is_vector())
      refuse("two vectors cannot be multiplied with *", "write dot(v, w) or cross(v, w)");
    return a.is_vector() ? parse_.calculus.scaled(b.node, a, false)
                         : parse_.calculus.scaled(a.node, b, false);
  }
  if (op == Op::divide) {
    if (b.is_vector())
      refuse("nothing can be divided by a vector", "divide by its components, such as v_x");
    if (parse_.tree.is_constant(b.node, 0)) refuse("a vector cannot be divided by 0", "");
    return parse_.calculus.scaled(b.node, a, true);
  }
  if (op == Op::power)
    refuse("a vector cannot stand in a power", "the square of a vector is dot(v, v)");
  refuse("vectors can be neither compared nor true or false",
         "compare their components, such as v_x, or lengths, sqrt(dot(v, v))");
  return {};
}

Value Parser::constant(const Token& at, double value) {
  check_size(at);
  return parse_.calculus.scalar(parse_.tree.constant(value));
}

Value Parser::disjunction() {
  Value left = conjunction();
  while (token_.is_word("or")) {
    const Token at = token_;
    advance();
    const Value right = conjunction();
    left = operation(at, Op::logical_or, left, right);
  }
  return left;
}

Value Parser::conjunction() {
  Value left = negation();
  while (token_.is_word("and")) {
    const Token at = token_;
    advance();
    const Value right = negation();
    left = operation(at, Op::logical_and, left, right);
  }
  return left;
}

Value Parser::negation() {
  if (!token_.is_word("not")) return comparison();
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const Value operand = negation();
  return operation(at, Op::logical_not, scalar(at, operand, "what 'not' stands before"));
}

Value Parser::comparison() {
  const Value left = sum();
  const BinaryOperator* const found = find_comparison(token_);
  if (found == nullptr) return left;
  const Token at = token_;
  advance();
  const Value right = sum();
  if (find_comparison(token_) != nullptr)
    throw Mistake(token_.offset, token_.length, "comparisons cannot be chained",
                  "write a < b and b < c");
  return operation(at, found->op, left, right);
}

Value Parser::sum() {
  const Token first = token_;
  Value left = product();
  while (token_.is("+") || token_.is("-")) {
    const Token at = token_;
    advance();
    const Value right = product();
    left = finite(first, operation(at, at.is("+") ? Op::add : Op::subtract, left, right));
  }
  return left;
}

Value Parser::product() {
  const Token first = token_;
  Value left = sign();
  while (token_.is("*") || token_.is("/")) {
    const Token at = token_;
    advance();
    const Value right = sign();
    left = finite(first, operation(at, at.is("*") ? Op::multiply : Op::divide, left, right));
  }
  return left;
}

Value Parser::sign() {
  if (!token_.is("-") && !token_.is("+")) return power();
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const Value operand = sign();
  if (!at.is("-")) return operand;
  if (operand.is_vector()) return parse_.calculus.negated(operand);
  return operation(at, Op::negate, operand.node);
}

Value Parser::power() {
  const Token first = token_;
  const Value base = primary();
  if (!token_.is("^")) return base;
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const Value exponent = sign();  // which takes a power in turn: to the right, with its minus
  return finite(first, operation(at, Op::power, base, exponent));
}

Value Parser::primary() {
  switch (token_.kind) {
    case Token::Kind::number:
      advance();
      return constant(previous_, previous_.value);
    case Token::Kind::name:
      return name();
    case Token::Kind::end:
      throw Mistake(
          previous_.offset, previous_.length,
          "expected a value after " + in_quotes(text_.substr(previous_.offset, previous_.length)));
    case Token::Kind::symbol:
      break;
  }
  if (token_.is("(")) return parenthesis();
  if (token_.is("[")) return bracket();
  throw Mistake(token_.offset, token_.length,
                "expected a value before " + in_quotes(text_.substr(token_.offset, token_.length)));
}

Value Parser::bracket() {
  const Token open = token_;
  const Nesting nesting(parse_, open);
  advance();
  std::array<int, 3> components{-1, -1, -1};
  int count = 0;
  do {
    if (count > 0) advance();
    const Token at = token_;
    const int component = scalar(at, disjunction(), "a component of a vector");
    if (count < 3) components[static_cast<std::size_t>(count)] = component;
    ++count;
  } while (token_.is(","));
  if (token_.kind == Token::Kind::end) throw Mistake(open.offset, 1, "'[' is never closed");
  if (!token_.is("]")) refuse_token();
  const int dimensions = parse_.scope.symbols().dimensions;
  const bool is_known = parse_.scope.symbols().dimensions_known;
  if (is_known ? count != dimensions : count > dimensions)
    throw Mistake(open.offset, token_.offset + 1 - open.offset,
                  "a vector of " + std::to_string(count) +
                      (count == 1 ? " component" : " components") + parse_.scope.in_place() +
                      ": the grid has " + std::to_string(dimensions) +
                      (dimensions == 1 ? " dimension" : " dimensions"));
  advance();
  for (int n = count; n < dimensions; ++n)
    components[static_cast<std::size_t>(n)] = parse_.tree.constant(0);
  return parse_.calculus.vector(components);
}

Value Parser::parenthesis() {
  const Token open = token_;
  const Nesting nesting(parse_, open);
  advance();
  const Value inside = disjunction();
  if (is_decimal_comma()) refuse_decimal_comma();
  if (token_.kind == Token::Kind::end) throw Mistake(open.offset, 1, "'(' is never closed");
  if (!token_.is(")")) refuse_token();
  advance();
  return inside;
}

Value Parser::name() {
  const Token name = token_;
  if (name.is_word("and") || name.is_word("or") || name.is_word("not"))
    throw Mistake(name.offset, name.length, "expected a value before " + in_quotes(name.text),
                  name.is_word("not") ? "write (not ...)" : "");
  check_size(name);
  const Scope& scope = parse_.scope;
  scope.check_not_redefined(name);
  advance();
  if (token_.is("(")) return call(name);

  if (find_function(name.text) != nullptr || find_reduction(name.text) ||
      find_operator(name.text) != nullptr || find_random(name.text) != nullptr)
    throw Mistake(name.offset, name.length, in_quotes(name.text) + " is a function",
                  "write " + std::string(name.text) + "(...)");
  const auto scalar = [](int node) { return Value{node, {}}; };
  if (const auto value = find_constant(name.text)) return scalar(parse_.tree.constant(*value));
  if (name.is_word("t")) {
    scope.check_time(name);
    return scalar(parse_.tree.input(Program::slot_time));
  }
  if (const int axis = find_coordinate(name.text); axis >= 0) {
    scope.check_coordinate(name, axis, parse_.in_reduction);
    return scalar(parse_.tree.input(axis));
  }
  const Symbols& symbols = scope.symbols();
  const std::string key(name.text);
  if (const auto found = symbols.parameters.find(key); found != symbols.parameters.end())
    return scalar(parse_.tree.constant(found->second));
  if (symbols.definitions.count(key) > 0) return expand(name, key);
  if (const auto found = symbols.vectors.find(key); found != symbols.vectors.end()) {
    scope.check_field(name, parse_.in_reduction);
    std::array<int, 3> components{-1, -1, -1};
    for (int axis = 0; axis < symbols.dimensions; ++axis)
      components[static_cast<std::size_t>(axis)] =
          parse_.tree.input(Program::slot_fields + found->second + axis);
    return parse_.calculus.vector(components);
  }
  const auto field = std::find(symbols.fields.begin(), symbols.fields.end(), key);
  if (field == symbols.fields.end()) {
    if (const auto part = component(name)) return *part;
    scope.refuse_unknown_name(name);
  }
  scope.check_field(name, parse_.in_reduction);
  return scalar(
      parse_.tree.input(Program::slot_fields + static_cast<int>(field - symbols.fields.begin())));
}

}  // namespace xp::detail
