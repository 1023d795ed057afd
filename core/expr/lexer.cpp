#include <xp/expr/lexer.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>

namespace xp::detail {
namespace {

// Not <cctype>: what a letter is must not depend on the locale.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Correctly rounded; a value that a double cannot hold is refused, never replaced by 0 or infinity.
double convert(std::string_view text, std::size_t offset) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return 0;
  const bool out_of_range = result.ec == std::errc::result_out_of_range;
  if (!out_of_range && value > 0 && value <= 1.7976931348623157e308) return value;
  // Whether it is too large or too small says the place of the first digit that is not 0.
  long exponent = 0;
  if (mantissa.size() < text.size()) {
    const bool negative = text[mantissa.size() + 1] == '-';
    for (const char c : text.substr(mantissa.size() + 1))
      if (is_digit(c)) exponent = std::min(exponent * 10 + (c - '0'), 1000000L);
    if (negative) exponent = -exponent;
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  exponent += static_cast<long>(point) - static_cast<long>(first);
  if (exponent > 0)
    throw Mistake(offset, text.size(), in_quotes(text) + " is too large for a double");
  throw Mistake(offset, text.size(), in_quotes(text) + " is too small for a double", "write 0");
}

// Bytes of the UTF-8 character at the start of the text and its code point; 0 bytes if it is none.
std::pair<std::size_t, unsigned> decode(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (size == 1) return {1, lead};
  if ((lead & 0xc0) == 0x80 || lead > 0xf4 || text.size() < size) return {0, lead};
  unsigned code = lead & (0x7fu >> size);
  for (std::size_t n = 1; n < size; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return {0, lead};
    code = code << 6 | (byte(n) & 0x3fu);
  }
  return {size, code};
}

std::string replacement(unsigned code) {
  switch (code) {
    case '&':
      return "use 'and'";
    case '|':
      return "use 'or'";
    case '!':
      return "use 'not'";
    case '%':
      return "use mod(a, b)";
    case '=':
      return "use == to compare";
    case 0xb2:
      return "write ^2";
    case 0xb3:
      return "write ^3";
    case 0xb7:
    case 0xd7:
      return "write *";
    case 0xf7:
      return "write /";
    case 0x3c0:
      return "write pi";
    case 0x394:
    case 0x2206:
      return "write laplacian(...)";
    case 0x2207:
      return "write grad(...), div(...), curl(...) or laplacian(...)";
    case 0x2202:
      return "write dx(...), dy(...) or dz(...)";
    case 0x2212:
    case 0x2013:
      return "write -";
    case 0x2264:
      return "write <=";
    case 0x2265:
      return "write >=";
    case 0x2260:
      return "write !=";
    default:
      if (code >= 0x391 && code <= 0x3c9) return "spell it out: names have the letters a to z";
      return {};
  }
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  result += text;
  result += '\'';
  return result;
}

std::size_t Lexer::skip_digits(std::size_t at) const {
  while (at < text_.size() && is_digit(text_[at])) ++at;
  return at;
}

void Lexer::refuse_character() const {
  const std::string_view rest = text_.substr(at_);
  const char first = rest[0];
  if (first == '&' || first == '|' || first == '!' || first == '%' || first == '=') {
    const std::size_t length =
        (first == '&' || first == '|') && rest.substr(1, 1) == rest.substr(0, 1) ? 2 : 1;
    throw Mistake(at_, length, in_quotes(rest.substr(0, length)) + " is not an operator here",
                  replacement(static_cast<unsigned char>(first)));
  }
  const auto [size, code] = decode(rest);
  char number[32];
  if (size == 0) {
    std::snprintf(number, sizeof number, "0x%02x", code);
    throw Mistake(at_, 1, std::string("unexpected byte ") + number, "the text is not UTF-8");
  }
  std::snprintf(number, sizeof number, "U+%04X", code);
  if (code < 0x20 || (code >= 0x7f && code < 0xa0))
    throw Mistake(at_, size, std::string("unexpected character ") + number);
  std::string message = "unexpected character " + in_quotes(rest.substr(0, size));
  if (size > 1) message += std::string(" (") + number + ")";
  throw Mistake(at_, size, std::move(message), replacement(code));
}

Token Lexer::number(std::size_t start) {
  const auto at = [&](std::size_t n) { return n < text_.size() ? text_[n] : '\0'; };
  const auto word_end = [&](std::size_t n) {
    while (is_letter(at(n)) || is_digit(at(n)) || at(n) == '.') ++n;
    return n;
  };
  const auto refuse = [&](std::size_t end, const std::string& why, std::string hint) {
    const std::string_view text = text_.substr(start, end - start);
    throw Mistake(start, text.size(), in_quotes(text) + why, std::move(hint));
  };

  std::size_t end = skip_digits(start);
  if (end - start == 1 && at(start) == '0' && (at(end) | 0x20) == 'x' && is_hex(at(end + 1)))
    refuse(word_end(end), " is hexadecimal", "write it as a decimal number");
  const std::size_t integer_end = end;
  if (at(end) == '.') end = skip_digits(end + 1);
  if (at(end) == '.') refuse(word_end(end), " is not a number", "a number has one decimal point");
  if (at(end) == 'e' || at(end) == 'E') {
    const std::size_t digits = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
    if (is_digit(at(digits))) {
      end = skip_digits(digits);
      if (at(end) == '.')
        refuse(word_end(end), " is not a number", "an exponent is a whole number");
    } else if (!is_letter(at(end + 1)) && at(end + 1) != '.') {
      const std::string mantissa(text_.substr(start, end - start));
      refuse(digits, " has an exponent without digits",
             "write " + mantissa + "*e for the constant e");
    }
  }
  if (integer_end - start > 1 && at(start) == '0') {
    const std::size_t nonzero = std::min(text_.find_first_not_of('0', start), integer_end - 1);
    refuse(end, " has a leading zero",
           "write " + std::string(text_.substr(nonzero, end - nonzero)));
  }

  Token token;
  token.kind = Token::Kind::number;
  token.offset = start;
  token.text = text_.substr(start, end - start);
  token.length = token.text.size();
  token.value = convert(token.text, start);
  std::size_t suffix_end = end;
  while (is_letter(at(suffix_end)) || is_digit(at(suffix_end))) ++suffix_end;
  token.suffix = text_.substr(end, suffix_end - end);
  at_ = suffix_end;
  return token;
}

Token Lexer::next() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
    ++at_;
  Token token;
  token.offset = at_;
  if (at_ == text_.size()) return token;

  const std::string_view rest = text_.substr(at_);
  if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1])))
    return number(at_);
  if (is_letter(rest[0])) {
    std::size_t size = 1;
    while (size < rest.size() && (is_letter(rest[size]) || is_digit(rest[size]))) ++size;
    token.kind = Token::Kind::name;
    token.text = rest.substr(0, size);
  } else {
    token.kind = Token::Kind::symbol;
    const std::string_view two = rest.substr(0, 2);
    if (two == "**" || two == "<=" || two == ">=" || two == "==" || two == "!=")
      token.text = two;
    else if (std::string_view("+-*/^<>(),[]").find(rest[0]) != std::string_view::npos)
      token.text = rest.substr(0, 1);
    else
      refuse_character();
  }
  token.length = token.text.size();
  at_ += token.length;
  if (token.text == "**") token.text = "^";
  return token;
}

}  // namespace xp::detail
