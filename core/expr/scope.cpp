#include <xp/expr/scope.hpp>

#include <algorithm>
#include <iterator>

#include <xp/expr/names.hpp>
#include <xp/runtime/error.hpp>

namespace xp::detail {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// What other programs and textbooks call a function.
struct Alias {
  std::string_view name, function;
};
constexpr Alias aliases[] = {
    {"ln", "log"},       {"arcsin", "asin"},   {"arccos", "acos"},     {"arctan", "atan"},
    {"fabs", "abs"},     {"sgn", "sign"},      {"step", "heaviside"},  {"theta", "heaviside"},
    {"where", "if"},     {"fmod", "mod"},      {"average", "mean"},    {"avg", "mean"},
    {"sum", "integral"}, {"int", "integral"},  {"random", "uniform"},  {"rand", "uniform"},
    {"noise", "normal"}, {"gradient", "grad"}, {"nabla", "grad"},      {"divergence", "div"},
    {"rot", "curl"},     {"lap", "laplacian"}, {"delta", "laplacian"}, {"laplace", "laplacian"},
    {"d2x", "dxx"},      {"d2y", "dyy"},       {"d2z", "dzz"},         {"inner", "dot"},
    {"outer", "cross"}};

[[noreturn]] void refuse(const Token& name, std::string message, std::string hint = {}) {
  throw Mistake(name.offset, name.length, std::move(message), std::move(hint));
}

}  // namespace

std::string Scope::in_place() const {
  return symbols_.place.empty() ? std::string() : " in " + symbols_.place;
}

bool Scope::defined_by_user(std::string_view name) const {
  const std::string key(name);
  const auto& fields = symbols_.fields;
  return symbols_.parameters.count(key) > 0 || symbols_.definitions.count(key) > 0 ||
         symbols_.vectors.count(key) > 0 ||
         std::find(fields.begin(), fields.end(), key) != fields.end();
}

bool Scope::known(std::string_view name) const {
  return is_reserved(name) || defined_by_user(name);
}

void Scope::check_coordinate(const Token& name, int axis, bool in_reduction) const {
  if (!symbols_.coordinates && !in_reduction)
    refuse(name, "the coordinate " + in_quotes(name.text) + " is not allowed" +
                     (symbols_.place.empty() ? " here" : in_place()));
  if (axis >= symbols_.dimensions)
    refuse(name, "there is no coordinate " + in_quotes(name.text) + in_place() + ": the grid has " +
                     std::to_string(symbols_.dimensions) +
                     (symbols_.dimensions == 1 ? " dimension" : " dimensions"));
}

void Scope::check_time(const Token& name) const {
  if (!symbols_.time)
    refuse(name, "the time 't' is not allowed" + (symbols_.place.empty() ? " here" : in_place()));
}

void Scope::check_field(const Token& name, bool in_reduction) const {
  if (!symbols_.bare_fields && !in_reduction)
    refuse(name, "the field " + in_quotes(name.text) + " is not a single number" + in_place(),
           "reduce it with integral, mean, min, max or norm");
}

void Scope::check_reduction(const Token& name, bool in_reduction) const {
  if (!symbols_.reductions)
    refuse(name, "the reduction " + in_quotes(name.text) + " is not allowed" +
                     (symbols_.place.empty() ? " here" : in_place()));
  if (in_reduction)
    refuse(name, "the reduction " + in_quotes(name.text) + " is inside of another reduction");
}

void Scope::check_not_redefined(const Token& name) const {
  if (is_reserved(name.text) && defined_by_user(name.text))
    refuse(name, in_quotes(name.text) + " is a reserved name and cannot be defined",
           "choose another name");
}

void Scope::check_operator(const Token& name, bool in_reduction) const {
  if (!symbols_.operators)
    refuse(name,
           "the operator " + in_quotes(name.text) + " is not allowed" +
               (symbols_.place.empty() ? " here" : in_place()),
           "nothing can be differentiated there");
  if (!symbols_.bare_fields && !in_reduction)
    refuse(name, "the value of " + in_quotes(name.text) + " is not a single number" + in_place(),
           "reduce it with integral, mean, min, max or norm");
}

void Scope::check_random(const Token& name) const {
  if (!symbols_.random)
    refuse(name,
           "the random number " + in_quotes(name.text) + " is not allowed" +
               (symbols_.place.empty() ? " here" : in_place()),
           "uniform and normal are for initial values");
}

void Scope::check_axis(const Token& name, int axis) const {
  if (axis >= symbols_.dimensions)
    refuse(name, "there is no " + in_quotes(name.text) + in_place() + ": the grid has " +
                     std::to_string(symbols_.dimensions) +
                     (symbols_.dimensions == 1 ? " dimension" : " dimensions"));
}

void Scope::refuse_unknown_name(const Token& name) const {
  const std::string word = lower(name.text);
  if (word == "nan" || word == "inf" || word == "infinity")
    refuse(name, in_quotes(name.text) + " is not a finite number");
  if (symbols_.absent_fields.count(std::string(name.text)) > 0)
    refuse(name, "the field " + in_quotes(name.text) + " is not allowed" +
                     (symbols_.place.empty() ? " here" : in_place()));
  if (symbols_.place != "a constant" &&
      (word == "true" || word == "false" || word == "yes" || word == "no"))
    refuse(name, "unknown name " + in_quotes(name.text) + in_place(),
           "write 1 for true, 0 for false");
  refuse(name, "unknown name " + in_quotes(name.text) + in_place(),
         suggestion(name.text, valid_names()));
}

void Scope::refuse_unknown_function(const Token& name) const {
  if (known(name.text))
    refuse(name, in_quotes(name.text) + " is not a function",
           "to multiply, write " + std::string(name.text) + "*(...)");
  const std::vector<std::string> valid = valid_functions();
  if (name.is_word("dt") && symbols_.operators)
    refuse(name, "unknown function 'dt'" + in_place(),
           "an equation is d/dt of its field; there are no other derivatives in time");
  const std::string word = lower(name.text);
  for (const Alias& alias : aliases)
    if (alias.name == word && std::find(valid.begin(), valid.end(), alias.function) != valid.end())
      refuse(name, "unknown function " + in_quotes(name.text) + in_place(),
             "did you mean " + in_quotes(alias.function) + "?");
  refuse(name, "unknown function " + in_quotes(name.text) + in_place(),
         suggestion(name.text, valid));
}

void Scope::refuse_suffix(const Token& number) const {
  const std::string written(number.text), suffix(number.suffix);
  const std::size_t length = number.length + number.suffix.size();
  const std::string whole = in_quotes(written + suffix);
  if (suffix[0] == '_')
    throw Mistake(number.offset, length, whole + " is not a number", "write digits without '_'");
  if (known(suffix))
    throw Mistake(number.offset, length, whole + " is not a number",
                  "write " + written + "*" + suffix);
  throw Mistake(number.offset, length, whole + " looks like a number with a unit",
                "write the number alone: " + written);
}

std::string Scope::suggestion(std::string_view name, const std::vector<std::string>& valid) const {
  // Every one-letter name is one change away from every other: only the case can be a slip.
  if (name.size() == 1) {
    for (const std::string& candidate : valid)
      if (lower(candidate) == lower(name)) return "did you mean '" + candidate + "'?";
    return {};
  }
  return did_you_mean(name, valid);
}

std::vector<std::string> Scope::valid_functions() const {
  std::vector<std::string> names;
  for (const Function& function : functions()) names.emplace_back(function.name);
  if (symbols_.reductions) names.insert(names.end(), {"integral", "mean", "norm"});
  if (symbols_.random) names.insert(names.end(), {"uniform", "normal"});
  if (symbols_.operators)
    for (const Operator& found : operators())
      if (std::max(found.axis, found.other) < symbols_.dimensions) names.emplace_back(found.name);
  return names;
}

std::vector<std::string> Scope::valid_names() const {
  std::vector<std::string> names;
  for (const auto& entry : symbols_.parameters) names.push_back(entry.first);
  for (const auto& entry : symbols_.definitions) names.push_back(entry.first);
  names.insert(names.end(), symbols_.fields.begin(), symbols_.fields.end());
  for (const auto& entry : symbols_.vectors) names.push_back(entry.first);
  if (symbols_.coordinates)
    for (int axis = 0; axis < symbols_.dimensions && axis < 3; ++axis)
      names.emplace_back(1, "xyz"[axis]);
  if (symbols_.time) names.emplace_back("t");
  names.insert(names.end(), {"pi", "e"});
  const std::vector<std::string> functions = valid_functions();
  names.insert(names.end(), functions.begin(), functions.end());
  return names;
}

}  // namespace xp::detail
