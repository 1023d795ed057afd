#include <xp/expr/parser.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace xp::detail {
namespace {

constexpr int max_depth = 200;
constexpr std::size_t max_text = 64 * 1024;
constexpr int max_expansions = 10000;

// Counts the nesting while it is in scope: the parser recurses only where one of these is.
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
  int& depth_;
};

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

std::string count_of_arguments(int count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

}  // namespace

Parser::Parser(std::string_view text, Parse& parse) : text_(text), parse_(parse), lexer_(text) {}

Value Parser::parse() {
  if (text_.size() > max_text)
    throw Mistake(0, 1, "the expression is longer than 64 KiB" + parse_.scope.in_place());
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
                            how_to_write_vector());
  throw Mistake::of_whole(
      0, length,
      "the value is a vector" + parse_.scope.in_place() + ", but " +
          (what.empty() ? "a scalar is expected" : what + " is a scalar"),
      text_.find("grad") != std::string_view::npos
          ? "grad makes a vector: div(grad(u)), dot(v, grad(u)) and dx(u) are scalars"
          : "dot(v, w), div(v) and components of vectors are scalars");
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
  const std::string message = quoted(written) + " has a decimal comma";
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
  throw Mistake(token_.offset, token_.length, "expected an operator before " + quoted(token_.text),
                token_.is_word("not") ? "" : "to multiply, write *");
}

void Parser::check_size(const Token& at) const {
  if (parse_.tree.full())
    throw Mistake::of_whole(at.offset, at.length,
                            "the expression is too complicated" + parse_.scope.in_place(),
                            "split it or its definitions");
}

std::string Parser::how_to_write_vector() const {
  constexpr const char* written[] = {"[a]", "[a, b]", "[a, b, c]"};
  const Symbols& symbols = parse_.scope.symbols();
  return std::string("a vector is written ") +
         written[symbols.dimensions_known ? symbols.dimensions - 1 : 1];
}

int Parser::scalar(const Token& at, const Value& value, const std::string& what) const {
  if (!value.is_vector()) return value.node;
  throw Mistake(at.offset, at.length, what + " has to be a scalar, not a vector",
                "dot(v, w), div(v) and components of vectors are scalars");
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
    if (a.is_vector() && b.is_vector()) return parse_.calculus.sum(a, b, op == Op::subtract);
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
  Value left = product();
  while (token_.is("+") || token_.is("-")) {
    const Token at = token_;
    advance();
    const Value right = product();
    left = operation(at, at.is("+") ? Op::add : Op::subtract, left, right);
  }
  return left;
}

Value Parser::product() {
  Value left = sign();
  while (token_.is("*") || token_.is("/")) {
    const Token at = token_;
    advance();
    const Value right = sign();
    left = operation(at, at.is("*") ? Op::multiply : Op::divide, left, right);
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
  const Value base = primary();
  if (!token_.is("^")) return base;
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const Value exponent = sign();  // which takes a power in turn: to the right, with its minus
  return operation(at, Op::power, base, exponent);
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
          "expected a value after " + quoted(text_.substr(previous_.offset, previous_.length)));
    case Token::Kind::symbol:
      break;
  }
  if (token_.is("(")) return parenthesis();
  if (token_.is("[")) return bracket();
  throw Mistake(token_.offset, token_.length,
                "expected a value before " + quoted(text_.substr(token_.offset, token_.length)));
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
    throw Mistake(name.offset, name.length, "expected a value before " + quoted(name.text),
                  name.is_word("not") ? "write (not ...)" : "");
  check_size(name);
  const Scope& scope = parse_.scope;
  scope.check_not_redefined(name);
  advance();
  if (token_.is("(")) return call(name);

  if (find_function(name.text) != nullptr || find_reduction(name.text) ||
      find_operator(name.text) != nullptr || find_random(name.text) != nullptr)
    throw Mistake(name.offset, name.length, quoted(name.text) + " is a function",
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
  if (const auto found = symbols.definitions.find(key); found != symbols.definitions.end())
    return expand(name, found->second);
  if (const auto found = symbols.vectors.find(key); found != symbols.vectors.end()) {
    scope.check_field(name, parse_.in_reduction);
    std::array<int, 3> components{-1, -1, -1};
    for (int axis = 0; axis < symbols.dimensions; ++axis)
      components[static_cast<std::size_t>(axis)] =
          parse_.tree.input(Program::slot_fields + found->second + axis);
    return parse_.calculus.vector(components);
  }
  const auto field = std::find(symbols.fields.begin(), symbols.fields.end(), key);
  if (field == symbols.fields.end()) scope.refuse_unknown_name(name);
  scope.check_field(name, parse_.in_reduction);
  return scalar(
      parse_.tree.input(Program::slot_fields + static_cast<int>(field - symbols.fields.begin())));
}

std::vector<Value> Parser::arguments(const Token& open) {
  std::vector<Value> list;
  advance();
  if (!token_.is(")")) {
    list.push_back(disjunction());
    while (token_.is(",")) {
      advance();
      list.push_back(disjunction());
    }
  }
  if (token_.kind == Token::Kind::end) throw Mistake(open.offset, 1, "'(' is never closed");
  if (!token_.is(")")) refuse_token();
  advance();
  return list;
}

Value Parser::call(const Token& name) {
  const Scope& scope = parse_.scope;
  const Function* const function = find_function(name.text);
  const Operator* const found = find_operator(name.text);
  const Function* const random = find_random(name.text);
  std::optional<Reduction::Kind> reduction = find_reduction(name.text);
  if (scope.symbols().reductions && has_one_argument()) {
    if (name.is_word("min")) reduction = Reduction::Kind::min;
    if (name.is_word("max")) reduction = Reduction::Kind::max;
  }
  if (function == nullptr && found == nullptr && random == nullptr && !reduction)
    scope.refuse_unknown_function(name);
  if (reduction) scope.check_reduction(name, parse_.in_reduction);
  if (random != nullptr) scope.check_random(name);
  if (found != nullptr) {
    const bool differentiates =
        found->kind != Operator::Kind::dot && found->kind != Operator::Kind::cross;
    if (differentiates) scope.check_operator(name, parse_.in_reduction);
    scope.check_axis(name, std::max(found->axis, found->other));
  }

  const Token open = token_;
  const Nesting nesting(parse_, open);
  if (reduction) parse_.in_reduction = true;
  const std::vector<Value> list = arguments(open);
  if (reduction) parse_.in_reduction = false;
  if (reduction) return reduce(name, *reduction, list);
  if (random != nullptr) return random_number(name, *random, list);
  return found != nullptr ? call_operator(name, *found, list)
                          : call_function(name, *function, list);
}

Value Parser::call_function(const Token& name, const Function& function,
                            const std::vector<Value>& arguments) {
  const int count = static_cast<int>(arguments.size());
  const bool open_ended = function.most == Function::any_number;
  if (count < function.least || (!open_ended && count > function.most))
    throw Mistake(name.offset, name.length,
                  std::string(name.text) + " takes " +
                      (open_ended ? "2 or more arguments" : count_of_arguments(function.least)) +
                      ", not " + std::to_string(count));
  const auto argument = [&](int n) {
    return n < count ? scalar(name, arguments[static_cast<std::size_t>(n)],
                              "an argument of " + std::string(name.text))
                     : -1;
  };
  if (!open_ended) return operation(name, function.op, argument(0), argument(1), argument(2));
  Value result = parse_.calculus.scalar(argument(0));
  for (int n = 1; n < count; ++n) result = operation(name, function.op, result.node, argument(n));
  return result;
}

Value Parser::call_operator(const Token& name, const Operator& found,
                            const std::vector<Value>& arguments) {
  check_size(name);
  const std::string word(name.text);
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw Mistake(name.offset, name.length, message, hint);
  };
  const int count = static_cast<int>(arguments.size());
  if (count != found.arguments)
    refuse(
        word + " takes " + count_of_arguments(found.arguments) + ", not " + std::to_string(count),
        "write " + std::string(found.signature));
  Calculus& calculus = parse_.calculus;
  const Value& a = arguments[0];
  const auto need_vector = [&](const Value& value, const std::string& hint) {
    if (!value.is_vector()) refuse(word + " takes a vector, not a scalar", hint);
  };
  using Kind = Operator::Kind;
  switch (found.kind) {
    case Kind::gradient:
      if (a.is_vector())
        refuse("the gradient of a vector is a tensor, which there is not here",
               "use dx, dy, dz or laplacian of the vector");
      return calculus.gradient(a.node);
    case Kind::divergence:
      need_vector(a, "div(grad(a)) of a scalar a is laplacian(a)");
      return calculus.scalar(calculus.divergence(a));
    case Kind::laplacian:
      return calculus.laplacian(a);
    case Kind::curl:
      need_vector(a, how_to_write_vector());
      if (parse_.scope.symbols().dimensions == 1) refuse("there is no curl in 1 dimension", "");
      return calculus.curl(a);
    case Kind::first:
      return calculus.each(a, [&](int node) { return calculus.derivative(found.axis, node); });
    case Kind::second:
      return calculus.each(
          a, [&](int node) { return calculus.second_derivative(found.axis, found.other, node); });
    case Kind::dot:
    case Kind::cross:
      for (const Value& value : arguments) need_vector(value, how_to_write_vector());
      if (found.kind == Kind::dot) return calculus.scalar(calculus.dot(a, arguments[1]));
      if (parse_.scope.symbols().dimensions == 1)
        refuse("there is no cross product in 1 dimension", "");
      return calculus.cross(a, arguments[1]);
    case Kind::advect:
      need_vector(a, "write advect([velocity], a): the velocity comes first");
      return calculus.each(arguments[1], [&](int node) { return calculus.advect(a, node); });
  }
  return {};
}

// Every one written is a stream of numbers of its own.
Value Parser::random_number(const Token& name, const Function& found,
                            const std::vector<Value>& arguments) {
  check_size(name);
  if (arguments.size() != 2)
    throw Mistake(
        name.offset, name.length,
        std::string(name.text) + " takes 2 arguments, not " + std::to_string(arguments.size()),
        "write " + std::string(found.signature));
  const std::string what = "an argument of " + std::string(name.text);
  const int a = scalar(name, arguments[0], what), b = scalar(name, arguments[1], what);
  const int number =
      parse_.tree.random(found.op, parse_.scope.symbols().first_stream + parse_.random_numbers++);
  const int factor = found.op == Op::normal ? b : parse_.tree.operation(Op::subtract, b, a);
  return operation(name, Op::add, a, parse_.tree.operation(Op::multiply, factor, number));
}

Value Parser::reduce(const Token& name, Reduction::Kind kind, const std::vector<Value>& arguments) {
  check_size(name);
  if (arguments.size() != 1)
    throw Mistake(
        name.offset, name.length,
        std::string(name.text) + " takes 1 argument, not " + std::to_string(arguments.size()));
  const int operand = scalar(name, arguments.front(), "an argument of " + std::string(name.text));
  return parse_.calculus.scalar(parse_.tree.reduction(static_cast<int>(kind), operand));
}

Value Parser::expand(const Token& name, const std::string& definition) {
  std::vector<std::string>& open = parse_.open_definitions;
  const std::string key(name.text);
  const auto first = std::find(open.begin(), open.end(), key);
  if (first != open.end()) {
    std::string chain;
    for (auto link = first; link != open.end(); ++link) chain += *link + " -> ";
    throw Mistake::of_whole(name.offset, name.length,
                            "definition " + quoted(key) + " uses itself (" + chain + key + ")");
  }
  const Nesting nesting(parse_, name);
  // Definitions of definitions: the text that they stand for grows without bound.
  if (++parse_.expansions > max_expansions)
    throw Mistake::of_whole(name.offset, name.length,
                            "the expression is too complicated" + parse_.scope.in_place(),
                            "split it or its definitions");
  open.push_back(key);
  Value value;
  try {
    value = Parser(definition, parse_).parse();
  } catch (Mistake& mistake) {
    // Its own place is in another text: what the user sees is where the definition is used.
    mistake.error.offset = name.offset;
    mistake.error.length = name.length;
    if (!mistake.whole)
      mistake.error.message = "in definition " + quoted(key) + ": " + mistake.error.message;
    throw;
  }
  open.pop_back();
  if (parse_.scope.symbols().bounded.count(key) == 0) {
    if (!value.is_vector()) parse_.tree.give_name(value.node, key);
    return value;
  }
  // What is the same everywhere has no derivatives for the conditions to have a say in.
  const auto bounded = [&](int node, const std::string& own_name) {
    return parse_.calculus.varies(node) ? parse_.tree.definition(own_name, node) : node;
  };
  if (!value.is_vector()) return parse_.calculus.scalar(bounded(value.node, key));
  std::array<int, 3> components{-1, -1, -1};
  for (int axis = 0; axis < parse_.scope.symbols().dimensions; ++axis)
    components[static_cast<std::size_t>(axis)] =
        bounded(parse_.calculus.component(value, axis), key + "_" + "xyz"[axis]);
  return parse_.calculus.vector(components);
}

// At the '(' of a call.
bool Parser::has_one_argument() const {
  int level = 0;
  for (std::size_t at = token_.offset; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '(' || c == '[') ++level;
    if ((c == ')' || c == ']') && --level == 0) return true;
    if (c == ',' && level == 1) return false;
  }
  return true;
}

}  // namespace xp::detail
