#include <xp/config/checker.hpp>

#include <algorithm>
#include <cctype>
#include <set>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

// What a value of this type looks like, for messages.
std::string expected(const SchemaEntry& entry) {
  std::string words;
  for (const std::string& choice : entry.choices) words += (words.empty() ? "" : ", ") + choice;
  switch (entry.type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
    case ValueType::number: {
      const std::string what = entry.type == ValueType::integer ? "an integer" : "a number";
      return words.empty() ? what : what + " or " + words;
    }
    case ValueType::text:
      return "a text";
    case ValueType::choice:
      return "one of " + words;
    case ValueType::expression:
      return "a number or an expression in quotes";
    case ValueType::schedule:
      return "a time, \"50 steps\", \"30 s\" or a list of times";
    case ValueType::duration:
      return "a duration such as \"10 min\"";
    case ValueType::integers:
      return "a list of integers such as [64, 64]";
    case ValueType::numbers:
      return "a list of numbers such as [0, 0]";
    case ValueType::choice_list:
      return "a list of " + words;
    case ValueType::list:
      return "a list";
    case ValueType::map:
      return "names below it, each with its value";
    default:
      return entry.shorthand.empty() ? "keys below it" : "a value or keys below it";
  }
}

std::string found(const ConfigNode& node) {
  switch (node.kind) {
    case Kind::list:
      return "a list";
    case Kind::mapping:
      return "a mapping";
    default:
      return "'" + node.text + "'";
  }
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

class Checker {
 public:
  Checker(const Schema& schema, Diagnostics& diagnostics)
      : schema_(schema), diagnostics_(diagnostics) {}

  // The keys of a mapping; `path` is the schema's own ("fields.*"), `shown` what users read.
  void keys(ConfigNode& node, const std::string& path, const std::string& shown,
            const Position& where) {
    const SchemaEntry* own = path.empty() ? nullptr : schema_.find(path);
    const bool user_named = own && own->type == ValueType::map;
    std::vector<ConfigItem> kept;
    for (ConfigItem& item : node.items)
      if (key(item, path, shown, user_named)) kept.push_back(std::move(item));
    const bool complete = kept.size() == node.items.size();
    node.items = std::move(kept);
    if (user_named) return;
    if (own && own->exactly_one && complete && node.items.size() != 1) {
      std::string names;
      for (const std::string& name : schema_.keys_below(path))
        names += (names.empty() ? "" : ", ") + name;
      refuse(shown, where, "'" + shown + "' takes exactly one of: " + names);
    }
    for (const std::string& name : schema_.keys_below(path)) {
      const SchemaEntry* entry = schema_.find(path_below(path, name));
      if (entry->required && !node.find(name) && !was_refused(path_below(shown, name)))
        diagnostics_.add(
            where, "missing key '" + path_below(shown, name) + "': " + in_a_sentence(entry->help));
    }
  }

  const std::set<std::string>& refused() const { return refused_; }

  // Defaults of the whole input.
  void fill(ConfigNode& root) {
    const auto text = [](const ConfigNode& block, const char* key) {
      const ConfigItem* item = block.find(key);
      return item ? item->value.text : std::string();
    };
    model_ = text(root, "model");
    const ConfigItem* time = root.find("time");
    if (time) scheme_ = text(time->value, "scheme");
    fill(root, "");
  }

  // Defaults below a mapping, and blocks that have nothing but defaults.
  void fill(ConfigNode& node, const std::string& path) const {
    const SchemaEntry* own = path.empty() ? nullptr : schema_.find(path);
    if (own && own->exactly_one) return;
    if (own && own->type == ValueType::map) {
      for (ConfigItem& item : node.items)
        if (item.value.kind == Kind::mapping) fill(item.value, path + ".*");
      return;
    }
    std::vector<ConfigItem> ordered;
    for (const std::string& name : schema_.keys_below(path)) {
      const SchemaEntry* entry = schema_.find(path_below(path, name));
      ConfigItem item;
      item.key = name;
      if (ConfigItem* given = node.find(name)) {
        item = std::move(*given);
        if (item.value.kind == Kind::mapping) fill(item.value, path_below(path, name));
        if (item.value.kind == Kind::list && entry->type == ValueType::list)
          for (ConfigItem& element : item.value.items)
            if (element.value.kind == Kind::mapping)
              fill(element.value, path_below(path, name) + ".#");
      } else if (entry->type == ValueType::block) {
        if (entry->of_model ? name != model_ : needs_something(path_below(path, name))) continue;
        if (entry->applies && !entry->applies(model_, scheme_)) continue;
        item.value.kind = Kind::mapping;
        item.value.given = false;
        fill(item.value, path_below(path, name));
        if (item.value.items.empty()) continue;
      } else if (!entry->fallback.empty()) {
        item.value.kind = Kind::scalar;
        item.value.text = entry->fallback;
        item.value.given = false;
      } else {
        continue;
      }
      ordered.push_back(std::move(item));
    }
    node.items = std::move(ordered);
  }

 private:
  // Was the key, or one below it that stands elsewhere, refused?
  bool was_refused(const std::string& shown) const {
    const auto at = refused_.lower_bound(shown);
    return refused_.count(shown) || (at != refused_.end() && at->rfind(shown + ".", 0) == 0);
  }

  static std::string in_a_sentence(std::string help) {
    if (!help.empty() && help.back() == '.') help.pop_back();
    if (help.size() > 1 && std::islower(static_cast<unsigned char>(help[1])))
      help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
    return help;
  }

  bool needs_something(const std::string& path) const {
    for (const std::string& name : schema_.keys_below(path))
      if (schema_.find(path_below(path, name))->required) return true;
    return false;
  }

  bool refuse(const std::string& shown, Position where, std::string message,
              std::string hint = {}) {
    refused_.insert(shown);
    diagnostics_.add(std::move(where), std::move(message), std::move(hint));
    return false;
  }

  bool key(ConfigItem& item, const std::string& path, const std::string& shown, bool user_named) {
    const std::string name = path_below(shown, item.key);
    if (user_named) {
      const bool any_field = path == "boundary_conditions" && item.key == "*";
      if (!is_name(item.key) && !any_field)
        return refuse(
            name, item.key_where,
            "'" + item.key + "' is not a name: a letter, then letters, digits and underscores");
      return value(item.value, *schema_.find(path_below(path, "*")), name, item.key_where);
    }
    const SchemaEntry* entry = nullptr;
    for (const SchemaEntry& candidate : schema_.entries())
      if (candidate.path == path_below(path, item.key) && item.key.find('.') == std::string::npos)
        entry = &candidate;
    if (!entry) return unknown(item, path, shown);
    return value(item.value, *entry, name, item.key_where);
  }

  bool unknown(const ConfigItem& item, const std::string& path, const std::string& shown) {
    const std::vector<std::string> siblings = schema_.keys_below(path);
    const std::string message =
        "unknown key '" + item.key + "'" + (shown.empty() ? "" : " in " + shown);
    // A key that stands at the wrong place is worth more than a similar one.
    std::string places;
    for (const SchemaEntry& entry : schema_.entries()) {
      const std::size_t dot = entry.path.rfind('.');
      const std::string last = dot == std::string::npos ? entry.path : entry.path.substr(dot + 1);
      if (last != item.key || entry.path.find('*') != std::string::npos ||
          entry.path.find('#') != std::string::npos)
        continue;
      places += (places.empty() ? "" : " or ") +
                (dot == std::string::npos ? "at the top level"
                                          : "under '" + entry.path.substr(0, dot) + "'");
      refused_.insert(entry.path);
    }
    std::string hint;
    const std::string nearest = nearest_name(item.key, siblings);
    const std::size_t dot = item.key.find('.');
    if (dot != std::string::npos && schema_.find(path_below(path, item.key))) {
      hint =
          "write it as '" + item.key.substr(dot + 1) + "' under '" + item.key.substr(0, dot) + "'";
      refused_.insert(path_below(shown, item.key));
    } else if (!places.empty()) {
      hint = "'" + item.key + "' belongs " + places;
    } else if (!nearest.empty()) {
      hint = "did you mean '" + nearest + "'?";
      refused_.insert(path_below(shown, nearest));
    } else {
      for (const std::string& sibling : siblings)
        hint += (hint.empty() ? "known keys: " : ", ") + sibling;
    }
    return refuse(path_below(shown, item.key), item.key_where, message, hint);
  }

  bool value(ConfigNode& node, const SchemaEntry& entry, const std::string& shown,
             const Position& key_where) {
    if (node.refused) {
      refused_.insert(shown);
      return false;
    }
    if (node.kind == Kind::null) {
      const std::size_t behind = static_cast<std::size_t>(key_where.column + key_where.length - 1);
      const std::string& line = key_where.source_line.text();
      const bool comment = behind < line.size() && line.find(" #", behind) != std::string::npos;
      return refuse(shown, key_where, "'" + shown + "' has no value; expected " + expected(entry),
                    comment ? "what follows a '#' is a comment; a text with one needs quotes" : "");
    }
    if (is_list(entry.type)) return list(node, entry, shown);
    switch (entry.type) {
      case ValueType::block:
        if (node.kind == Kind::scalar && !entry.shorthand.empty()) {
          ConfigNode scalar = std::move(node);
          node = {};
          node.kind = Kind::mapping;
          node.where = scalar.where;
          node.items.push_back({entry.shorthand, scalar.where, std::move(scalar)});
        }
        [[fallthrough]];
      case ValueType::map:
        if (node.kind != Kind::mapping)
          return refuse(shown, node.where,
                        "'" + shown + "' is " + found(node) + ", but expected " + expected(entry),
                        entry.type == ValueType::map ? "write " + shown + ": {NAME: VALUE}, or a " +
                                                           "line NAME: VALUE for each below it"
                                                     : vector_hint(node, entry));
        keys(node, entry.path, shown, key_where);
        return true;
      case ValueType::schedule:
        if (node.kind == Kind::list) return true;
        break;
      default:
        break;
    }
    if (node.kind != Kind::scalar)
      return refuse(shown, node.where,
                    "'" + shown + "' is " + found(node) + ", but expected " + expected(entry),
                    vector_hint(node, entry));
    if (entry.type == ValueType::choice) return choice(node, entry, shown);
    if (entry.type == ValueType::boolean &&
        (node.quoted || (node.text != "true" && node.text != "false")))
      return refuse(shown, node.where,
                    "'" + shown + "' is '" + node.text + "': write true or false");
    return true;
  }

  // Brackets make a list of YAML, not a vector of an expression.
  std::string vector_hint(const ConfigNode& node, const SchemaEntry& entry) const {
    const SchemaEntry* short_form =
        entry.shorthand.empty() ? &entry : schema_.find(path_below(entry.path, entry.shorthand));
    const bool is_expression = short_form != nullptr && short_form->type == ValueType::expression;
    return node.kind == Kind::list && is_expression
               ? "an expression with brackets is written in quotes: \"[a, b]\""
               : "";
  }

  bool list(ConfigNode& node, const SchemaEntry& entry, const std::string& shown) {
    if (node.kind != Kind::list) {
      // A word that is taken beside a list of numbers.
      if (entry.type != ValueType::choice_list && node.kind == Kind::scalar &&
          std::find(entry.choices.begin(), entry.choices.end(), node.text) != entry.choices.end())
        return true;
      if (node.kind == Kind::mapping && entry.type != ValueType::list)
        return refuse(shown, node.where,
                      "'" + shown + "' is a mapping, but expected " + expected(entry));
      ConfigNode single = std::move(node);
      node = {};
      node.kind = Kind::list;
      node.where = single.where;
      node.items.push_back({{}, single.where, std::move(single)});
    }
    const int count = static_cast<int>(node.items.size());
    const bool any_number = entry.most_items >= (1 << 20);
    if (count < entry.least_items || count > entry.most_items)
      return refuse(shown, node.where,
                    "'" + shown + "' has " + std::to_string(count) +
                        (count == 1 ? " entry" : " entries") + "; expected " +
                        std::to_string(entry.least_items) +
                        (any_number ? " or more" : " to " + std::to_string(entry.most_items)));
    bool good = true;
    for (int n = 0; n < count; ++n) {
      ConfigNode& element = node.items[static_cast<std::size_t>(n)].value;
      const std::string name = shown + "." + std::to_string(n);
      if (entry.type == ValueType::list) {
        good = value(element, *schema_.find(entry.path + ".#"), name, element.where) && good;
      } else if (element.refused) {
        refused_.insert(shown);
        good = false;
      } else if (element.kind != Kind::scalar) {
        good = refuse(shown, element.where,
                      "an entry of '" + shown + "' is " +
                          (element.kind == Kind::null ? std::string("empty") : found(element)) +
                          "; expected " + expected(entry));
      } else if (entry.type == ValueType::choice_list) {
        good = choice(element, entry, shown) && good;
      }
    }
    return good;
  }

  bool choice(ConfigNode& node, const SchemaEntry& entry, const std::string& shown) {
    for (const std::string& allowed : entry.choices)
      if (node.text == allowed) return true;
    for (const std::string& allowed : entry.choices) {
      const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
      };
      if (allowed.size() == node.text.size() &&
          std::equal(node.text.begin(), node.text.end(), allowed.begin(), same)) {
        node.text = allowed;
        return true;
      }
    }
    for (const std::string& later : entry.reserved_choices)
      if (node.text == later)
        return refuse(shown, node.where,
                      "'" + later + "' in " + shown + " is not supported by this version of xpsim");
    // What is not written as an integer may still be one of numbers: evaluate() finds out.
    if (entry.type == ValueType::choice && has_numbers(entry) &&
        node.text.find_first_not_of("0123456789") != std::string::npos)
      return true;
    std::string hint = did_you_mean(node.text, entry.choices);
    // The short form of a side takes a word; what needs a value is a block.
    const std::string block = entry.path.substr(0, std::max<std::size_t>(1, entry.path.rfind('.')));
    const SchemaEntry* parent = schema_.find(block);
    if (parent && parent->exactly_one) {
      std::string others;
      for (const std::string& name : schema_.keys_below(block)) {
        if (name == parent->shorthand) continue;
        others += (others.empty() ? "" : ", ") + name;
        if (name == node.text) hint = name + " needs a value, as in {" + name + ": 0}";
      }
      if (hint.empty()) hint = "or a block with one of: " + others + ", as in {dirichlet: 0}";
    }
    return refuse(shown, node.where, unknown_choice(entry, shown, node.text), hint);
  }

  const Schema& schema_;
  Diagnostics& diagnostics_;
  std::set<std::string> refused_;
  std::string model_, scheme_;
};

}  // namespace

bool has_numbers(const SchemaEntry& entry) {
  return std::any_of(entry.choices.begin(), entry.choices.end(), [](const std::string& choice) {
    return choice[0] >= '0' && choice[0] <= '9';
  });
}

std::string unknown_choice(const SchemaEntry& entry, const std::string& shown,
                           const std::string& text) {
  std::string names;
  for (const std::string& allowed : entry.choices) names += (names.empty() ? "" : ", ") + allowed;
  return "unknown " + shown + " '" + text + "'; one of: " + names;
}

std::set<std::string> check_tree(ConfigNode& root, const Schema& schema, const Position& top,
                                 Diagnostics& diagnostics) {
  if (root.kind != Kind::mapping) {
    const bool empty = root.kind == Kind::null;
    const std::size_t colon = root.text.find(':');
    const bool no_space = root.kind == Kind::scalar && !root.quoted && colon != std::string::npos &&
                          colon + 1 < root.text.size() && root.text[colon + 1] != ' ';
    if (diagnostics.empty())
      diagnostics.add(empty ? top : root.where,
                      empty ? "the input is empty" : "an input is a mapping of keys to values",
                      no_space ? "a ':' needs a space after it, as in 'xpsim: 1'"
                               : "it begins with 'xpsim: 1'");
    return {""};
  }
  Checker checker(schema, diagnostics);
  checker.keys(root, "", "", top);
  checker.fill(root);
  return checker.refused();
}

}  // namespace xp
