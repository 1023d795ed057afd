// Splits an expression into numbers, names and symbols, one token at a time, with their places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <xp/expr/expr.hpp>

namespace xp::detail {

/// The first mistake of an expression, thrown inside of this module only.
struct Mistake {
  ExprError error;
  bool whole = false;  // of the expression as a whole, not of one definition in it

  Mistake(std::size_t offset, std::size_t length, std::string message, std::string hint = {})
      : error{offset, length, std::move(message), std::move(hint)} {}

  static Mistake of_whole(std::size_t offset, std::size_t length, std::string message,
                          std::string hint = {}) {
    Mistake mistake(offset, length, std::move(message), std::move(hint));
    mistake.whole = true;
    return mistake;
  }
};

/// 'text' between quotes, for messages.
std::string in_quotes(std::string_view text);

struct Token {
  enum class Kind { number, name, symbol, end } kind = Kind::end;
  std::size_t offset = 0;
  std::string_view text;  // symbols: `**` is given as `^`
  double value = 0;
  std::size_t length = 0;
  std::string_view suffix;  // letters directly after a number (`2x`, `0.1s`): always a mistake

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; Kind::end for ever after the last one.
  Token next();

 private:
  Token number(std::size_t start);
  [[noreturn]] void refuse_character() const;
  std::size_t skip_digits(std::size_t at) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace xp::detail
