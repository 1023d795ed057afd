// Errors that a user can cause or meet: one exception type, with positions and hints, turned into a
// message and an exit code in one place (apps/xpsim).
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xp {

/// What kind of ending an error asks for; the exit codes are those of the manual.
enum class ErrorKind {
  failure = 1,        ///< run time: I/O, MPI, memory
  input = 2,          ///< wrong usage or input
  verify = 3,         ///< a `verify` assertion failed
  diverged = 4,       ///< NaN, infinity, step size underflow
  not_converged = 5,  ///< `convergence` asked for and not reached
};

/// A line of a user's text, shared by the places in it: a long one has many.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  const std::string& text() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  friend bool operator==(const SourceLine& line, std::string_view text) {
    return line.text() == text;
  }

 private:
  std::shared_ptr<const std::string> text_;
};

/// A place in a user's text. Lines and columns count from 1; line 0 means "no place".
struct Position {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;          ///< characters to underline, at least 1
  SourceLine source_line;  ///< the text of that line, without its end
};

/// One message about one place.
struct Diagnostic {
  Position where;
  std::string message;  ///< what is wrong and what was expected, lower case, no full stop
  std::string hint;     ///< "did you mean 'laplacian'?" or empty
};

/// Text of a diagnostic as the program prints it: `file:line:column: error: message`, the source
/// line with the offending text underlined, and the hint.
std::string format(const Diagnostic& diagnostic);

/// The one exception type of the library.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = {});
  Error(ErrorKind kind, std::vector<Diagnostic> diagnostics);

  const char* what() const noexcept override { return text_.c_str(); }
  ErrorKind kind() const { return kind_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  /// Is it known that all of so many ranks throw it? Of one rank always.
  bool is_everywhere(int ranks) const { return everywhere_ || ranks == 1; }
  Error& thrown_everywhere() {
    everywhere_ = true;
    return *this;
  }

 private:
  ErrorKind kind_;
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
  bool everywhere_ = false;
};

/// Collects diagnostics so that all errors of an input are reported at once, in the order of the
/// text.
class Diagnostics {
 public:
  void add(Position where, std::string message, std::string hint = {});
  void add(Diagnostic diagnostic);
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  const std::vector<Diagnostic>& list() const { return list_; }

  /// Throws an Error of kind `input` with everything collected, sorted by line and column; returns
  /// if nothing was.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> list_;
};

/// The name among `candidates` that is nearest to `name` (optimal string alignment distance, case
/// ignored, at most a third of the length and at least 1), or an empty string.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'candidate'?" for nearest_name(), or an empty string.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace xp
