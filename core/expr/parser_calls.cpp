// Calls of functions and operators, and definitions.
#include <xp/expr/parser.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace xp::detail {
namespace {

constexpr int max_expansions = 10000;

std::string count_of_arguments(int count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

// What to write instead of a function of a vector.
std::string of_vector(std::string_view function) {
  if (function == "abs") return "the length of a vector is sqrt(dot(v, v))";
  if (function == "if") return "choose for each component: [if(c, v_x, w_x), ...]";
  if (function == "norm") return "the norm of a vector is norm(sqrt(dot(v, v)))";
  if (function == "integral" || function == "mean" || function == "min" || function == "max")
    return "take its components, such as v_x, or its length, sqrt(dot(v, v))";
  return {};
}

}  // namespace

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
  if (found == nullptr) return finite(name, call_function(name, *function, list));
  const std::size_t before = parse_.tree.nodes().size();
  Value value = call_operator(name, *found, list);
  const std::size_t length = previous_.offset + previous_.length - name.offset;
  parse_.tree.give_place(before, parse_.use.value_or(Tree::Place{name.offset, length}));
  return value;
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
                              "an argument of " + std::string(name.text), of_vector(name.text))
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
  const int operand = scalar(name, arguments.front(), "an argument of " + std::string(name.text),
                             of_vector(name.text));
  return parse_.calculus.scalar(parse_.tree.reduction(static_cast<int>(kind), operand));
}

// v_x, where v is a definition.
std::optional<Value> Parser::component(const Token& name) {
  const Symbols& symbols = parse_.scope.symbols();
  const std::size_t end = name.text.size() < 3 ? 0 : name.text.size() - 2;
  const int axis =
      end > 0 && name.text[end] == '_' ? find_coordinate(name.text.substr(end + 1)) : -1;
  const std::string key(name.text.substr(0, end));
  if (axis < 0 || symbols.definitions.count(key) == 0) return std::nullopt;
  const Value value = expand(name, key);
  if (!value.is_vector())
    throw Mistake(name.offset, name.length,
                  "there is no " + in_quotes(name.text) + parse_.scope.in_place() +
                      ": the definition " + in_quotes(key) + " is a scalar");
  parse_.scope.check_axis(name, axis);
  return parse_.calculus.scalar(parse_.calculus.component(value, axis));
}

Value Parser::expand(const Token& name, const std::string& key) {
  const std::string& definition = parse_.scope.symbols().definitions.at(key);
  std::vector<std::string>& open = parse_.open_definitions;
  const auto first = std::find(open.begin(), open.end(), key);
  if (first != open.end()) {
    std::string chain;
    for (auto link = first; link != open.end(); ++link) chain += *link + " -> ";
    throw Mistake::of_whole(name.offset, name.length,
                            "definition " + in_quotes(key) + " uses itself (" + chain + key + ")");
  }
  const Nesting nesting(parse_, name);
  if (++parse_.expansions > max_expansions) refuse_size(name.offset, name.length);
  open.push_back(key);
  if (open.size() == 1) parse_.use = Tree::Place{name.offset, name.length};
  Value value;
  try {
    value = Parser(definition, parse_).parse();
  } catch (Mistake& mistake) {
    // Its own place is in another text: what the user sees is where the definition is used.
    mistake.error.offset = name.offset;
    mistake.error.length = name.length;
    if (!mistake.whole)
      mistake.error.message = "in definition " + in_quotes(key) + ": " + mistake.error.message;
    throw;
  }
  open.pop_back();
  if (open.empty()) parse_.use.reset();
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
