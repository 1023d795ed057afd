#include <xp/config/scalar_reader.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include <xp/config/checker.hpp>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

std::string shown_number(double value) {
  char text[32];
  // Integers are shown whole as long as a double has all of them.
  const bool whole = value == std::floor(value) && std::abs(value) <= 9007199254740992.0;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.10g", value);
  return text;
}

// "10 min" as a number's text and a unit; the unit is empty when there is none.
struct Quantity {
  std::string number, unit;
};
Quantity split_unit(const std::string& text) {
  const std::size_t space = text.find_last_of(' ');
  if (space == std::string::npos) return {text, {}};
  const std::string unit = text.substr(space + 1);
  if (unit.empty() ||
      !std::all_of(unit.begin(), unit.end(), [](unsigned char c) { return std::isalpha(c); }))
    return {text, {}};
  return {text.substr(0, space), unit};
}

double seconds_of(const std::string& unit) {
  return unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : 0;
}

// ".inf", "-.inf", ".nan" and their capitals: numbers of YAML, not of an input.
bool is_yaml_infinity(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!lower.empty() && (lower[0] == '-' || lower[0] == '+')) lower.erase(0, 1);
  return lower == ".inf" || lower == ".nan";
}

}  // namespace

std::optional<double> ScalarReader::real(const ConfigNode& node, const SchemaEntry& entry,
                                         const std::string& shown) const {
  const auto value = number(node, shown, node.text, "a number");
  return value && in_range(node, entry, shown, *value) ? value : std::nullopt;
}

std::optional<double> ScalarReader::integer(const ConfigNode& node, const SchemaEntry& entry,
                                            const std::string& shown) const {
  const auto value = number(node, shown, node.text, "an integer");
  if (!value) return {};
  const bool whole = *value == std::floor(*value);
  if (whole && !in_range(node, entry, shown, *value)) return {};
  if (!whole || std::abs(*value) > 9007199254740992.0) {
    diagnostics_.add(node.where, "'" + shown + "' must be an integer, not " + node.text);
    return {};
  }
  return value;
}

std::optional<double> ScalarReader::duration(const ConfigNode& node, const SchemaEntry& entry,
                                             const std::string& shown) const {
  const Quantity quantity = split_unit(node.text);
  const double unit = quantity.unit.empty() ? 1 : seconds_of(quantity.unit);
  if (unit == 0) return unknown_unit(node, shown, quantity.unit, "s, min or h");
  const auto value = number(node, shown, quantity.number, "a duration");
  if (!value || !in_range(node, entry, shown, *value * unit)) return {};
  return *value * unit;
}

std::optional<std::string> ScalarReader::choice(const ConfigNode& node, const SchemaEntry& entry,
                                                const std::string& shown) const {
  if (mentions_failed(node.text)) return {};
  const Evaluation result = evaluator_(node.text);
  for (const std::string& allowed : entry.choices)
    if (result.value && evaluator_(allowed).value == result.value) return allowed;
  diagnostics_.add(node.where, unknown_choice(entry, shown, node.text),
                   did_you_mean(node.text, entry.choices));
  return {};
}

std::optional<ScheduleSpec> ScalarReader::schedule(const ConfigNode& node,
                                                   const std::string& shown) const {
  using Unit = ScheduleSpec::Unit;
  ScheduleSpec spec;
  if (node.kind == Kind::list) {
    spec.unit = Unit::times;
    for (const ConfigItem& item : node.items) {
      if (item.value.kind != Kind::scalar) {
        diagnostics_.add(item.value.where, "an entry of '" + shown + "' is not a time");
        return {};
      }
      const auto value = number(item.value, shown, item.value.text, "a time");
      if (!value) return {};
      if (!spec.times.empty() && !(*value > spec.times.back())) {
        diagnostics_.add(item.value.where, "the times of '" + shown + "' must increase");
        return {};
      }
      spec.times.push_back(*value);
    }
    return spec;
  }
  const Quantity quantity = split_unit(node.text);
  const bool steps = quantity.unit == "steps" || quantity.unit == "step";
  const double unit = seconds_of(quantity.unit);
  if (!quantity.unit.empty() && !steps && unit == 0) {
    unknown_unit(node, shown, quantity.unit,
                 "steps, s, min or h (without one it is simulation time)");
    return {};
  }
  const auto value = number(node, shown, quantity.number, "a time or a number of steps");
  if (!value) return {};
  if (!(*value > 0)) {
    diagnostics_.add(node.where, "'" + shown + "' must be above 0, not " + quantity.number);
    return {};
  }
  if (steps) {
    if (*value != std::floor(*value) || *value > 9007199254740992.0) {
      diagnostics_.add(node.where,
                       "'" + shown + "' must be a whole number of steps, not " + quantity.number);
      return {};
    }
    spec.unit = Unit::steps;
    spec.steps = static_cast<std::int64_t>(*value);
  } else {
    spec.unit = unit > 0 ? Unit::seconds : Unit::time;
    spec.interval = unit > 0 ? *value * unit : *value;
  }
  return spec;
}

std::optional<double> ScalarReader::number(const ConfigNode& node, const std::string& shown,
                                           std::string_view text, const char* what) const {
  if (mentions_failed(text)) return {};
  if (text.find_first_not_of(' ') == std::string_view::npos) {
    diagnostics_.add(node.where, "'" + shown + "' is empty; expected " + what);
    return {};
  }
  if (is_yaml_infinity(text)) {
    diagnostics_.add(node.where, "'" + shown + "' is not " + what + ": '" + std::string(text) +
                                     "' is not a finite number");
    return {};
  }
  const Evaluation result = evaluator_(text);
  if (result.value) return result.value;
  diagnostics_.add(node.position(result.offset, result.length),
                   "'" + shown + "' is not " + what + ": " + result.message, result.hint);
  return {};
}

bool ScalarReader::in_range(const ConfigNode& node, const SchemaEntry& entry,
                            const std::string& shown, double value) const {
  const bool low = entry.above_minimum ? !(value > entry.minimum) : value < entry.minimum;
  if (!low && !(value > entry.maximum)) return true;
  std::string range;
  if (std::isfinite(entry.minimum) && std::isfinite(entry.maximum) &&
      entry.minimum == entry.maximum)
    range = shown_number(entry.minimum);
  else if (low)
    range = (entry.above_minimum ? "above " : "at least ") + shown_number(entry.minimum);
  else
    range = "at most " + shown_number(entry.maximum);
  diagnostics_.add(node.where, "'" + shown + "' must be " + range + ", not " + shown_number(value));
  return false;
}

std::nullopt_t ScalarReader::unknown_unit(const ConfigNode& node, const std::string& shown,
                                          const std::string& unit, const char* known) const {
  diagnostics_.add(node.position(node.text.size() - unit.size(), unit.size()),
                   "unknown unit '" + unit + "' in " + shown, std::string("known units: ") + known);
  return std::nullopt;
}

// What is made of a parameter without a value has none either, and that needs no words.
bool ScalarReader::mentions_failed(std::string_view text) const {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > start && failed_.count(std::string(text.substr(start, end - start)))) return true;
    start = std::max(end, start + 1);
  }
  return false;
}

}  // namespace xp
