// The input file as typed, checked values that know where they stand in the user's text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xp/config/schema.hpp>
#include <xp/runtime/error.hpp>

namespace xp {

/// What a constant expression gives: a value, or where in the text the mistake is.
struct Evaluation {
  std::optional<double> value;
  std::size_t offset = 0, length = 1;
  std::string message, hint;
};
using Evaluator = std::function<Evaluation(std::string_view)>;

/// "every 0.1", "every 50 steps", "every 10 min", or a list of times.
struct ScheduleSpec {
  enum class Unit { never, time, steps, seconds, times } unit = Unit::never;
  double interval = 0;        ///< simulation time, or wall seconds
  std::int64_t steps = 0;     ///< of Unit::steps, at least 1
  std::vector<double> times;  ///< of Unit::times, increasing
};

/// A read input. Paths are dotted ("grid.cells", "parameters.D.value", "verify.0.expression"); a
/// block given in its short form (`D: 0.1`) is found under its full one.
class Config {
 public:
  /// Reads YAML text and lays `overrides` ("PATH=VALUE", of --set) over it. Syntax errors,
  /// duplicate, unknown, missing and misplaced keys and wrong types go into `diagnostics`; never
  /// throws for them.
  static Config read(const std::string& text, const std::string& file,
                     const std::vector<std::string>& overrides, const Schema& schema,
                     Diagnostics& diagnostics);

  /// Gives every number, integer, schedule and duration its value and checks its range. Parameters
  /// come first, in the order of the text; each is handed to `define` before the next is evaluated.
  void evaluate(const Evaluator& evaluator,
                const std::function<void(const std::string& name, double value)>& define,
                Diagnostics& diagnostics);

  /// Is there a value, given or by default? `given` does not count defaults.
  bool has(const std::string& path) const;
  bool given(const std::string& path) const;

  /// Was a value at a path, around it or below it refused while reading? Then nothing is to be said
  /// about its absence.
  bool refused(const std::string& path) const;
  /// Keys right below a path that were refused, in alphabetical order.
  std::vector<std::string> refused_keys(const std::string& path) const;

  // Values, given or by default; after evaluate() without diagnostics. They throw std::logic_error
  // for a path without a value or of another type: a mistake of the caller, not of the user.
  bool boolean(const std::string& path) const;
  std::int64_t integer(const std::string& path) const;
  double number(const std::string& path) const;
  std::string text(const std::string& path) const;  ///< also of choices and expressions
  std::vector<double> numbers(const std::string& path) const;
  std::vector<std::int64_t> integers(const std::string& path) const;
  std::vector<std::string> texts(const std::string& path) const;
  ScheduleSpec schedule(const std::string& path) const;
  double seconds(const std::string& path) const;  ///< of a duration

  /// Is the value one of the words that its schema entry takes beside numbers ("auto")?
  bool is_word(const std::string& path) const;

  /// Keys given below a path, in the order of the text; of a list "0", "1", ...
  std::vector<std::string> keys(const std::string& path) const;

  /// Where a value (or, failing that, its key or nearest given ancestor) stands in the text;
  /// offset and length narrow it down to a part of a scalar's text.
  Position position(const std::string& path, std::size_t offset = 0, std::size_t length = 0) const;
  /// Where a key itself stands.
  Position key_position(const std::string& path) const;

  /// Paths at which the values of two inputs of the same schema differ, or only one has a value.
  std::vector<std::string> differences(const Config& other) const;

  /// The whole input with every default filled in and overrides applied, as YAML that reads back to
  /// the same values.
  std::string resolved() const;

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

 private:
  struct Impl;
  explicit Config(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xp
