#include <xp/runtime/error.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace xp {
namespace {

// UTF-8 characters of a text, so that an underline stands below what it means.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::string format(const Diagnostic& diagnostic) {
  const Position& where = diagnostic.where;
  std::string text;
  if (!where.file.empty()) text += where.file + ":";
  if (where.line > 0) text += std::to_string(where.line) + ":" + std::to_string(where.column) + ":";
  if (!text.empty()) text += " ";
  text += "error: " + diagnostic.message + "\n";
  if (where.line > 0 && !where.source_line.text().empty()) {
    // Long lines are cut around the place; tabs become one space so that the underline fits.
    constexpr std::size_t widest = 100;
    std::string line = where.source_line.text();
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 32; }, ' ');
    std::size_t column = where.column > 0 ? static_cast<std::size_t>(where.column - 1) : 0;
    std::size_t length = static_cast<std::size_t>(std::max(1, where.length));
    if (line.size() > widest) {
      const auto inside = [&](std::size_t at) {
        return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
      };
      std::size_t start = std::min(column > widest / 2 ? column - widest / 2 : 0, line.size());
      std::size_t end = std::min(start + widest, line.size());
      while (inside(start)) ++start;
      while (inside(end)) ++end;
      line = line.substr(start, end - start);
      column -= start;
    }
    length = column < line.size() ? characters(std::string_view(line).substr(column, length)) : 1;
    length = std::max<std::size_t>(1, length);
    column = characters(std::string_view(line).substr(0, column));
    const std::string number = std::to_string(where.line);
    const std::string margin(std::max<std::size_t>(4, number.size() + 2), ' ');
    text += margin.substr(0, margin.size() - number.size()) + number + " | " + line + "\n";
    text += margin + " | " + std::string(column, ' ') + "^" + std::string(length - 1, '~') + "\n";
  }
  if (!diagnostic.hint.empty()) text += "  " + diagnostic.hint + "\n";
  return text;
}

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : Error(kind, [&] {
        Diagnostic diagnostic;
        diagnostic.message = std::move(message);
        diagnostic.hint = std::move(hint);
        return std::vector<Diagnostic>{diagnostic};
      }()) {}

Error::Error(ErrorKind kind, std::vector<Diagnostic> diagnostics)
    : kind_(kind), diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& diagnostic : diagnostics_) text_ += format(diagnostic);
  if (!text_.empty()) text_.pop_back();
}

void Diagnostics::add(Position where, std::string message, std::string hint) {
  add({std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  list_.push_back(std::move(diagnostic));
}

void Diagnostics::throw_if_any() const {
  if (list_.empty()) return;
  std::vector<Diagnostic> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  throw Error(ErrorKind::input, std::move(sorted));
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = lower(name);
  const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  std::size_t best = limit + 1;
  std::string result;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(wanted, lower(candidate));
    if (d < best) {
      best = d;
      result = candidate;
    }
  }
  return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string() : "did you mean '" + nearest + "'?";
}

}  // namespace xp
