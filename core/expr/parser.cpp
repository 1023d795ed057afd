#include <xp/expr/parser.hpp>

#include <algorithm>
#include <utility>

namespace xp::detail {
namespace {

constexpr int max_depth = 200;
constexpr std::size_t max_text = 64 * 1024;

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

int Parser::parse() {
  if (text_.size() > max_text)
    throw Mistake(0, 1, "the expression is longer than 64 KiB" + parse_.scope.in_place());
  advance();
  if (token_.kind == Token::Kind::end)
    throw Mistake(0, 1, "the expression is empty" + parse_.scope.in_place());
  const int root = disjunction();
  if (token_.kind == Token::Kind::end) return root;
  if (is_decimal_comma()) refuse_decimal_comma();
  refuse_token();
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
  throw Mistake(token_.offset, token_.length, "expected an operator before " + quoted(token_.text),
                token_.is_word("not") ? "" : "to multiply, write *");
}

void Parser::check_size(const Token& at) const {
  if (parse_.tree.full())
    throw Mistake::of_whole(at.offset, at.length,
                            "the expression is too complicated" + parse_.scope.in_place(),
                            "split it or its definitions");
}

int Parser::operation(const Token& at, Op op, int a, int b, int c) {
  check_size(at);
  return parse_.tree.operation(op, a, b, c);
}

int Parser::constant(const Token& at, double value) {
  check_size(at);
  return parse_.tree.constant(value);
}

int Parser::disjunction() {
  int left = conjunction();
  while (token_.is_word("or")) {
    const Token at = token_;
    advance();
    const int right = conjunction();
    left = operation(at, Op::logical_or, left, right);
  }
  return left;
}

int Parser::conjunction() {
  int left = negation();
  while (token_.is_word("and")) {
    const Token at = token_;
    advance();
    const int right = negation();
    left = operation(at, Op::logical_and, left, right);
  }
  return left;
}

int Parser::negation() {
  if (!token_.is_word("not")) return comparison();
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const int operand = negation();
  return operation(at, Op::logical_not, operand);
}

int Parser::comparison() {
  const int left = sum();
  const BinaryOperator* const found = find_comparison(token_);
  if (found == nullptr) return left;
  const Token at = token_;
  advance();
  const int right = sum();
  if (find_comparison(token_) != nullptr)
    throw Mistake(token_.offset, token_.length, "comparisons cannot be chained",
                  "write a < b and b < c");
  return operation(at, found->op, left, right);
}

int Parser::sum() {
  int left = product();
  while (token_.is("+") || token_.is("-")) {
    const Token at = token_;
    advance();
    const int right = product();
    left = operation(at, at.is("+") ? Op::add : Op::subtract, left, right);
  }
  return left;
}

int Parser::product() {
  int left = sign();
  while (token_.is("*") || token_.is("/")) {
    const Token at = token_;
    advance();
    const int right = sign();
    left = operation(at, at.is("*") ? Op::multiply : Op::divide, left, right);
  }
  return left;
}

int Parser::sign() {
  if (!token_.is("-") && !token_.is("+")) return power();
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const int operand = sign();
  return at.is("-") ? operation(at, Op::negate, operand) : operand;
}

int Parser::power() {
  const int base = primary();
  if (!token_.is("^")) return base;
  const Token at = token_;
  const Nesting nesting(parse_, at);
  advance();
  const int exponent = sign();  // which takes a power in turn: to the right, with its minus
  return operation(at, Op::power, base, exponent);
}

int Parser::primary() {
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
  if (token_.is("["))
    throw Mistake(
        token_.offset, 1,
        "a vector '[...]' is not supported" + parse_.scope.in_place() + " by this version");
  throw Mistake(token_.offset, token_.length,
                "expected a value before " + quoted(text_.substr(token_.offset, token_.length)));
}

int Parser::parenthesis() {
  const Token open = token_;
  const Nesting nesting(parse_, open);
  advance();
  const int inside = disjunction();
  if (is_decimal_comma()) refuse_decimal_comma();
  if (token_.kind == Token::Kind::end) throw Mistake(open.offset, 1, "'(' is never closed");
  if (!token_.is(")")) refuse_token();
  advance();
  return inside;
}

int Parser::name() {
  const Token name = token_;
  if (name.is_word("and") || name.is_word("or") || name.is_word("not"))
    throw Mistake(name.offset, name.length, "expected a value before " + quoted(name.text),
                  name.is_word("not") ? "write (not ...)" : "");
  check_size(name);
  const Scope& scope = parse_.scope;
  scope.check_not_redefined(name);
  if (is_unsupported(name.text)) scope.refuse_unsupported(name);
  advance();
  if (token_.is("(")) return call(name);

  if (find_function(name.text) != nullptr || find_reduction(name.text))
    throw Mistake(name.offset, name.length, quoted(name.text) + " is a function",
                  "write " + std::string(name.text) + "(...)");
  if (const auto value = find_constant(name.text)) return parse_.tree.constant(*value);
  if (name.is_word("t")) {
    scope.check_time(name);
    return parse_.tree.input(Program::slot_time);
  }
  if (const int axis = find_coordinate(name.text); axis >= 0) {
    scope.check_coordinate(name, axis, parse_.in_reduction);
    return parse_.tree.input(axis);
  }
  const Symbols& symbols = scope.symbols();
  const std::string key(name.text);
  if (const auto found = symbols.parameters.find(key); found != symbols.parameters.end())
    return parse_.tree.constant(found->second);
  if (const auto found = symbols.definitions.find(key); found != symbols.definitions.end())
    return expand(name, found->second);
  const auto field = std::find(symbols.fields.begin(), symbols.fields.end(), key);
  if (field == symbols.fields.end()) scope.refuse_unknown_name(name);
  scope.check_field(name, parse_.in_reduction);
  return parse_.tree.input(Program::slot_fields + static_cast<int>(field - symbols.fields.begin()));
}

int Parser::call(const Token& name) {
  const Scope& scope = parse_.scope;
  const Function* const function = find_function(name.text);
  std::optional<Reduction::Kind> reduction = find_reduction(name.text);
  if (scope.symbols().reductions && has_one_argument()) {
    if (name.is_word("min")) reduction = Reduction::Kind::min;
    if (name.is_word("max")) reduction = Reduction::Kind::max;
  }
  if (function == nullptr && !reduction) scope.refuse_unknown_function(name);
  if (reduction) scope.check_reduction(name, parse_.in_reduction);

  const Token open = token_;
  const Nesting nesting(parse_, open);
  if (reduction) parse_.in_reduction = true;
  std::vector<int> arguments;
  advance();
  if (!token_.is(")")) {
    arguments.push_back(disjunction());
    while (token_.is(",")) {
      advance();
      arguments.push_back(disjunction());
    }
  }
  if (token_.kind == Token::Kind::end) throw Mistake(open.offset, 1, "'(' is never closed");
  if (!token_.is(")")) refuse_token();
  advance();
  if (!reduction) return call_function(name, *function, arguments);

  parse_.in_reduction = false;
  if (arguments.size() != 1)
    throw Mistake(
        name.offset, name.length,
        std::string(name.text) + " takes 1 argument, not " + std::to_string(arguments.size()));
  return reduce(name, *reduction, arguments.front());
}

int Parser::call_function(const Token& name, const Function& function,
                          const std::vector<int>& arguments) {
  const int count = static_cast<int>(arguments.size());
  const bool open_ended = function.most == Function::any_number;
  if (count < function.least || (!open_ended && count > function.most))
    throw Mistake(name.offset, name.length,
                  std::string(name.text) + " takes " +
                      (open_ended ? "2 or more arguments" : count_of_arguments(function.least)) +
                      ", not " + std::to_string(count));
  const auto argument = [&](int n) { return n < count ? arguments[n] : -1; };
  if (!open_ended) return operation(name, function.op, argument(0), argument(1), argument(2));
  int result = arguments[0];
  for (int n = 1; n < count; ++n) result = operation(name, function.op, result, arguments[n]);
  return result;
}

// The operand becomes a program of its own; its result is an input of the program around it.
int Parser::reduce(const Token& name, Reduction::Kind kind, int operand) {
  check_size(name);
  const int field_count = static_cast<int>(parse_.scope.symbols().fields.size());
  Reduction reduction{kind, generate(parse_.tree, operand, field_count)};
  if (reduction.operand.code.empty())
    throw Mistake(name.offset, name.length,
                  "the expression is too complicated" + parse_.scope.in_place());
  parse_.reductions.push_back(std::move(reduction));
  const int index = static_cast<int>(parse_.reductions.size()) - 1;
  return parse_.tree.input(Program::slot_fields + field_count + index);
}

int Parser::expand(const Token& name, const std::string& definition) {
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
  open.push_back(key);
  int root = 0;
  try {
    root = Parser(definition, parse_).parse();
  } catch (Mistake& mistake) {
    // Its own place is in another text: what the user sees is where the definition is used.
    mistake.error.offset = name.offset;
    mistake.error.length = name.length;
    if (!mistake.whole)
      mistake.error.message = "in definition " + quoted(key) + ": " + mistake.error.message;
    throw;
  }
  open.pop_back();
  return root;
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
