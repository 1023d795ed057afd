#include <cmath>

#include <nlohmann/json.hpp>

#include <xp/config/schema.hpp>

namespace xp {
namespace {

using Json = nlohmann::ordered_json;

// A value as an editor's YAML reader sees it: `2` is a number, `auto` a string.
Json typed(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

Json number_or_expression(const SchemaEntry& entry, const char* type) {
  Json number = {{"type", type}};
  if (std::isfinite(entry.minimum))
    number[entry.above_minimum ? "exclusiveMinimum" : "minimum"] = entry.minimum;
  if (std::isfinite(entry.maximum)) number["maximum"] = entry.maximum;
  Json kinds = Json::array({number});
  // Any string may be a constant expression; the words are named for editors that complete them.
  if (!entry.choices.empty()) kinds.push_back({{"enum", entry.choices}});
  kinds.push_back({{"type", "string"}});
  return {{"anyOf", kinds}};
}

// A number in quotes is the same to xpsim, so both are listed.
Json choices(const SchemaEntry& entry) {
  Json result = Json::array();
  for (const std::string& choice : entry.choices) {
    result.push_back(typed(choice));
    if (!result.back().is_string()) result.push_back(choice);
  }
  return {{"enum", result}};
}

Json describe(const Schema& schema, const SchemaEntry& entry);

Json describe_keys(const Schema& schema, const std::string& path) {
  Json result = {
      {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  Json required = Json::array();
  for (const std::string& name : schema.keys_below(path)) {
    const SchemaEntry* entry = schema.find(path_below(path, name));
    result["properties"][name] = describe(schema, *entry);
    if (entry->required) required.push_back(name);
  }
  if (!required.empty()) result["required"] = required;
  return result;
}

Json describe(const Schema& schema, const SchemaEntry& entry) {
  Json result;
  switch (entry.type) {
    case ValueType::boolean:
      result = {{"type", "boolean"}};
      break;
    case ValueType::integer:
      result = number_or_expression(entry, "integer");
      break;
    case ValueType::number:
      result = number_or_expression(entry, "number");
      break;
    case ValueType::choice:
      result = choices(entry);
      break;
    case ValueType::text:
    case ValueType::expression:
    case ValueType::duration:
      result = {{"type", Json::array({"string", "number"})}};
      break;
    case ValueType::schedule:
      result = {
          {"anyOf",
           Json::array({Json{{"type", Json::array({"string", "number"})}},
                        Json{{"type", "array"},
                             {"items", Json{{"type", Json::array({"string", "number"})}}}}})}};
      break;
    case ValueType::integers:
    case ValueType::numbers:
    case ValueType::choice_list: {
      SchemaEntry item = entry;
      item.type = entry.type == ValueType::integers  ? ValueType::integer
                  : entry.type == ValueType::numbers ? ValueType::number
                                                     : ValueType::choice;
      item.help.clear();
      item.fallback.clear();
      const Json one = describe(schema, item);
      Json list = {{"type", "array"}, {"items", one}};
      if (entry.least_items > 0) list["minItems"] = entry.least_items;
      if (entry.most_items < SchemaEntry().most_items) list["maxItems"] = entry.most_items;
      result = {{"anyOf", Json::array({list, one})}};
      break;
    }
    case ValueType::list: {
      const Json one = describe(schema, *schema.find(entry.path + ".#"));
      result = {{"anyOf", Json::array({Json{{"type", "array"}, {"items", one}}, one})}};
      break;
    }
    case ValueType::map:
      result = {{"type", "object"},
                {"patternProperties",
                 Json{{entry.path == "boundary_conditions" ? "^([A-Za-z][A-Za-z0-9_]*|\\*)$"
                                                           : "^[A-Za-z][A-Za-z0-9_]*$",
                       describe(schema, *schema.find(entry.path + ".*"))}}},
                {"additionalProperties", false}};
      break;
    case ValueType::block:
      result = describe_keys(schema, entry.path);
      if (entry.exactly_one) result["minProperties"] = result["maxProperties"] = 1;
      if (!entry.shorthand.empty())
        result = {
            {"anyOf",
             Json::array({describe(schema, *schema.find(path_below(entry.path, entry.shorthand))),
                          result})}};
      break;
  }
  if (!entry.help.empty()) result["description"] = entry.help;
  if (!entry.fallback.empty()) result["default"] = typed(entry.fallback);
  return result;
}

std::string type_name(const SchemaEntry& entry) {
  std::string words;
  for (const std::string& choice : entry.choices)
    words += (words.empty() ? "`" : ", `") + choice + "`";
  switch (entry.type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return words.empty() ? "integer" : "integer, or " + words;
    case ValueType::number:
      return words.empty() ? "number" : "number, or " + words;
    case ValueType::text:
      return "text";
    case ValueType::choice:
      return words;
    case ValueType::expression:
      return entry.in_time ? "expression, may use t" : "expression";
    case ValueType::schedule:
      return "schedule";
    case ValueType::duration:
      return "duration";
    case ValueType::integers:
      return "list of integers";
    case ValueType::numbers:
      return "list of numbers";
    case ValueType::choice_list:
      return "list of " + words;
    case ValueType::list:
      return "list";
    case ValueType::map:
      return "names of your own";
    default:
      return entry.shorthand.empty() ? "block" : "block, or its `" + entry.shorthand + "`";
  }
}

std::string shown_path(const std::string& path) {
  std::string result = path;
  for (std::size_t at; (at = result.find('*')) != std::string::npos;) result.replace(at, 1, "NAME");
  for (std::size_t at; (at = result.find(".#")) != std::string::npos;) result.replace(at, 2, "[]");
  return result;
}

std::string range(const SchemaEntry& entry) {
  char text[64] = "";
  if (entry.minimum == entry.maximum) return text;
  if (std::isfinite(entry.minimum) && std::isfinite(entry.maximum))
    std::snprintf(text, sizeof text, "%s%.16g to %.16g", entry.above_minimum ? "above " : "",
                  entry.minimum, entry.maximum);
  else if (std::isfinite(entry.minimum))
    std::snprintf(text, sizeof text, "%s%.16g", entry.above_minimum ? "above " : "at least ",
                  entry.minimum);
  return text;
}

}  // namespace

std::string json_schema(const Schema& schema) {
  Json result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Input of xpsim"}};
  result.update(describe_keys(schema, ""));
  return result.dump(2) + "\n";
}

std::string reference_page(const Schema& schema) {
  std::string page =
      "# Input reference\n\n"
      "Generated by `xpsim schema --markdown`; do not edit.\n\n"
      "An input is YAML. Numbers are `12`, `1e-3`, or a constant expression such as `1/64` or "
      "`2*pi`, which\n"
      "may use parameters. Expressions in coordinates (`x`, `y`, `z`), time (`t`), parameters and "
      "definitions\n"
      "go in quotes; `xpsim list` shows the functions. A schedule is a simulation time (`0.1`), "
      "`\"50 steps\"`,\n"
      "wall time (`\"30 s\"`, `\"10 min\"`, `\"2 h\"`), or a list of times. A single value may "
      "stand for a list of one.\n"
      "Unknown, duplicate and misplaced keys are errors; all errors are reported at once.\n";
  for (const SchemaEntry& entry : schema.entries()) {
    // The ten sides of a field take the same keys: one stands for all.
    const std::string sides = "boundary_conditions.*.";
    if (entry.path.rfind(sides, 0) == 0) {
      const std::string rest = entry.path.substr(sides.size());
      if (rest.find('.') != std::string::npos && rest.rfind("all.", 0) != 0) continue;
    }
    const bool top = entry.path.find('.') == std::string::npos;
    if (top)
      page += "\n## `" + entry.path + "`\n\n" + entry.help +
              "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
    std::string meaning = entry.help;
    const std::string limits = range(entry);
    if (!limits.empty()) meaning += " (" + limits + ")";
    if (!entry.units.empty()) meaning += " [" + entry.units + "]";
    page += "| `" + shown_path(entry.path) + "` | " + type_name(entry) + " | " +
            (entry.required           ? "required"
             : entry.fallback.empty() ? ""
                                      : "`" + entry.fallback + "`") +
            " | " + meaning + " |\n";
  }
  return page;
}

}  // namespace xp
