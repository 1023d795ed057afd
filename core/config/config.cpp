#include <xp/config/config.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include <xp/config/checker.hpp>
#include <xp/config/emit.hpp>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

std::string shown_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
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

}  // namespace

struct Config::Impl {
  std::string file;
  Position top;
  ConfigNode root;
  Schema schema;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
  std::map<std::string, ScheduleSpec> schedules;
  std::set<std::string> words, refused;

  // The deepest node along a path; `whole` says whether that is the path's own.
  const ConfigNode* descend(const std::string& path, bool& whole,
                            const ConfigItem** item = nullptr) const {
    const ConfigNode* node = &root;
    whole = true;
    for (std::size_t start = 0; !path.empty() && start <= path.size();) {
      const std::size_t end = std::min(path.find('.', start), path.size());
      const std::string key = path.substr(start, end - start);
      const ConfigItem* next = nullptr;
      if (node->kind == Kind::list) {
        const bool index = !key.empty() && key.size() < 7 &&
                           key.find_first_not_of("0123456789") == std::string::npos;
        if (index && std::stoul(key) < node->items.size()) next = &node->items[std::stoul(key)];
      } else {
        next = node->find(key);
      }
      if (!next || (item && !next->value.given)) {
        whole = false;
        return node;
      }
      if (item) *item = next;
      node = &next->value;
      start = end + 1;
    }
    return node;
  }
  const ConfigNode* find(const std::string& path) const {
    bool whole = false;
    const ConfigNode* node = descend(path, whole);
    return whole ? node : nullptr;
  }
  template <class Map>
  static const auto& get(const Map& map, const std::string& path) {
    const auto found = map.find(path);
    if (found == map.end()) throw std::logic_error("xp::Config: no value at '" + path + "'");
    return found->second;
  }
};

namespace {

// Gives scalars their values.
class ScalarReader {
 public:
  ScalarReader(const Evaluator& evaluator, const std::set<std::string>& failed,
               Diagnostics& diagnostics)
      : evaluator_(evaluator), failed_(failed), diagnostics_(diagnostics) {}

  // `text` is the node's own or a part of it that begins at `offset`.
  std::optional<double> number(const ConfigNode& node, const std::string& shown,
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
    Position where = node.where;
    if (!node.block) {
      where.column += static_cast<int>(result.offset);
      where.length = static_cast<int>(std::max<std::size_t>(1, result.length));
    }
    diagnostics_.add(where, "'" + shown + "' is not " + what + ": " + result.message, result.hint);
    return {};
  }

  bool in_range(const ConfigNode& node, const SchemaEntry& entry, const std::string& shown,
                double value) const {
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
    diagnostics_.add(node.where,
                     "'" + shown + "' must be " + range + ", not " + shown_number(value));
    return false;
  }

  std::optional<double> integer(const ConfigNode& node, const SchemaEntry& entry,
                                const std::string& shown) const {
    const auto value = number(node, shown, node.text, "an integer");
    if (!value) return {};
    if (*value != std::floor(*value) || std::abs(*value) > 9007199254740992.0) {
      diagnostics_.add(node.where, "'" + shown + "' must be an integer, not " + node.text);
      return {};
    }
    return in_range(node, entry, shown, *value) ? value : std::nullopt;
  }

  std::optional<double> real(const ConfigNode& node, const SchemaEntry& entry,
                             const std::string& shown) const {
    const auto value = number(node, shown, node.text, "a number");
    return value && in_range(node, entry, shown, *value) ? value : std::nullopt;
  }

  std::optional<double> duration(const ConfigNode& node, const SchemaEntry& entry,
                                 const std::string& shown) const {
    const Quantity quantity = split_unit(node.text);
    const double unit = quantity.unit.empty() ? 1 : seconds_of(quantity.unit);
    if (unit == 0) return unknown_unit(node, shown, quantity.unit, "s, min or h");
    const auto value = number(node, shown, quantity.number, "a duration");
    if (!value || !in_range(node, entry, shown, *value * unit)) return {};
    return *value * unit;
  }

  std::optional<ScheduleSpec> schedule(const ConfigNode& node, const std::string& shown) const {
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

 private:
  std::nullopt_t unknown_unit(const ConfigNode& node, const std::string& shown,
                              const std::string& unit, const char* known) const {
    Position where = node.where;
    if (!node.block) {
      where.column += static_cast<int>(node.text.size() - unit.size());
      where.length = static_cast<int>(unit.size());
    }
    diagnostics_.add(where, "unknown unit '" + unit + "' in " + shown,
                     std::string("known units: ") + known);
    return std::nullopt;
  }

  // ".inf", "-.inf", ".nan" and their capitals: numbers of YAML, not of an input.
  static bool is_yaml_infinity(std::string_view text) {
    std::string lower;
    for (const char c : text)
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!lower.empty() && (lower[0] == '-' || lower[0] == '+')) lower.erase(0, 1);
    return lower == ".inf" || lower == ".nan";
  }

  // What is made of a parameter without a value has none either, and that needs no words.
  bool mentions_failed(std::string_view text) const {
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

  const Evaluator& evaluator_;
  const std::set<std::string>& failed_;
  Diagnostics& diagnostics_;
};

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace

Config::Config(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

Config Config::read(const std::string& text, const std::string& file,
                    const std::vector<std::string>& overrides, const Schema& schema,
                    Diagnostics& diagnostics) {
  auto impl = std::make_unique<Impl>();
  impl->file = file;
  impl->schema = schema;
  impl->top.file = file;
  impl->top.line = 1;
  impl->top.column = 1;
  Diagnostics syntax;
  impl->root = parse_yaml(text, file, syntax);
  for (const Diagnostic& diagnostic : syntax.list()) diagnostics.add(diagnostic);
  // A text that could not be read to its end says nothing about what is missing in it.
  if (!syntax.empty() && impl->root.kind != Kind::mapping) {
    impl->refused = {""};
    return Config(std::move(impl));
  }
  // What is missing at the top level is said at the first key.
  if (!impl->root.items.empty() && impl->root.kind == Kind::mapping)
    impl->top = impl->root.items.front().key_where;
  for (const std::string& override_text : overrides)
    apply_override(impl->root, override_text, schema, diagnostics);
  impl->refused = check_tree(impl->root, schema, impl->top, diagnostics);
  return Config(std::move(impl));
}

void Config::evaluate(const Evaluator& evaluator,
                      const std::function<void(const std::string&, double)>& define,
                      Diagnostics& diagnostics) {
  std::set<std::string> failed;
  for (const std::string& name : refused_keys("parameters")) failed.insert(name);
  const ScalarReader evaluation(evaluator, failed, diagnostics);
  Impl& impl = *impl_;
  const auto one = [&](const ConfigNode& node, const SchemaEntry& entry, const std::string& path) {
    const auto is_word = [&] {
      return node.kind == Kind::scalar && std::find(entry.choices.begin(), entry.choices.end(),
                                                    node.text) != entry.choices.end();
    };
    switch (entry.type) {
      case ValueType::number:
      case ValueType::integer:
      case ValueType::duration:
        if (is_word()) {
          impl.words.insert(path);
        } else if (const auto value = entry.type == ValueType::number
                                          ? evaluation.real(node, entry, path)
                                      : entry.type == ValueType::integer
                                          ? evaluation.integer(node, entry, path)
                                          : evaluation.duration(node, entry, path)) {
          impl.numbers[path] = *value;
        }
        return;
      case ValueType::numbers:
      case ValueType::integers: {
        std::vector<double> values;
        for (const ConfigItem& item : node.items) {
          const auto value = entry.type == ValueType::numbers
                                 ? evaluation.real(item.value, entry, path)
                                 : evaluation.integer(item.value, entry, path);
          if (value) values.push_back(*value);
        }
        if (values.size() == node.items.size()) impl.lists[path] = values;
        return;
      }
      case ValueType::schedule:
        if (is_word())
          impl.words.insert(path);
        else if (const auto value = evaluation.schedule(node, path))
          impl.schedules[path] = *value;
        return;
      default:
        return;
    }
  };
  const auto walk = [&](auto& self, const ConfigNode& node, const std::string& path) -> void {
    const SchemaEntry* entry = path.empty() ? nullptr : impl.schema.find(path);
    if (entry && entry->type != ValueType::block && entry->type != ValueType::map &&
        entry->type != ValueType::list)
      return one(node, *entry, path);
    for (std::size_t n = 0; n < node.items.size(); ++n) {
      const ConfigItem& item = node.items[n];
      self(self, item.value, join(path, node.kind == Kind::list ? std::to_string(n) : item.key));
    }
  };
  // Parameters first: numbers anywhere may be made of them.
  if (const ConfigNode* parameters = impl.find("parameters"))
    for (const ConfigItem& item : parameters->items) {
      const std::string path = "parameters." + item.key;
      walk(walk, item.value, path);
      const auto value = impl.numbers.find(path + ".value");
      if (value != impl.numbers.end())
        define(item.key, value->second);
      else
        failed.insert(item.key);
    }
  if (impl.root.kind == Kind::mapping)
    for (const ConfigItem& item : impl.root.items)
      if (item.key != "parameters") walk(walk, item.value, item.key);
}

bool Config::refused(const std::string& path) const {
  const auto within = [](const std::string& inner, const std::string& outer) {
    return outer.empty() || inner == outer || inner.rfind(outer + ".", 0) == 0;
  };
  return std::any_of(impl_->refused.begin(), impl_->refused.end(), [&](const std::string& other) {
    return within(path, other) || within(other, path);
  });
}

std::vector<std::string> Config::refused_keys(const std::string& path) const {
  std::vector<std::string> result;
  const std::string prefix = path + ".";
  for (const std::string& other : impl_->refused)
    if (other.rfind(prefix, 0) == 0 && other.find('.', prefix.size()) == std::string::npos)
      result.push_back(other.substr(prefix.size()));
  return result;
}

bool Config::has(const std::string& path) const {
  return impl_->find(path) != nullptr;
}

bool Config::given(const std::string& path) const {
  const ConfigNode* node = impl_->find(path);
  return node && node->given;
}

bool Config::boolean(const std::string& path) const {
  return text(path) == "true";
}

std::int64_t Config::integer(const std::string& path) const {
  return static_cast<std::int64_t>(Impl::get(impl_->numbers, path));
}

double Config::number(const std::string& path) const {
  return Impl::get(impl_->numbers, path);
}

std::string Config::text(const std::string& path) const {
  const ConfigNode* node = impl_->find(path);
  if (!node || node->kind != Kind::scalar)
    throw std::logic_error("xp::Config: no text at '" + path + "'");
  return node->text;
}

std::vector<double> Config::numbers(const std::string& path) const {
  return Impl::get(impl_->lists, path);
}

std::vector<std::int64_t> Config::integers(const std::string& path) const {
  std::vector<std::int64_t> result;
  for (const double value : numbers(path)) result.push_back(static_cast<std::int64_t>(value));
  return result;
}

std::vector<std::string> Config::texts(const std::string& path) const {
  const ConfigNode* node = impl_->find(path);
  if (!node || node->kind != Kind::list)
    throw std::logic_error("xp::Config: no list at '" + path + "'");
  std::vector<std::string> result;
  for (const ConfigItem& item : node->items) result.push_back(item.value.text);
  return result;
}

ScheduleSpec Config::schedule(const std::string& path) const {
  return Impl::get(impl_->schedules, path);
}

double Config::seconds(const std::string& path) const {
  return number(path);
}

bool Config::is_word(const std::string& path) const {
  return impl_->words.count(path) > 0;
}

std::vector<std::string> Config::keys(const std::string& path) const {
  const ConfigNode* node = impl_->find(path);
  std::vector<std::string> result;
  if (!node) return result;
  for (std::size_t n = 0; n < node->items.size(); ++n)
    if (node->items[n].value.given)
      result.push_back(node->kind == Kind::list ? std::to_string(n) : node->items[n].key);
  return result;
}

Position Config::position(const std::string& path, std::size_t offset, std::size_t length) const {
  bool whole = false;
  const ConfigItem* item = nullptr;
  const ConfigNode* node = impl_->descend(path, whole, &item);
  if (!item) return impl_->top;
  if (!whole || node->kind != Kind::scalar)
    return whole && node->kind == Kind::list ? node->where : item->key_where;
  Position where = node->where;
  if (node->block) return where;
  where.column += static_cast<int>(offset);
  where.length =
      static_cast<int>(length > 0 ? length : std::max<std::size_t>(1, node->text.size()));
  return where;
}

Position Config::key_position(const std::string& path) const {
  bool whole = false;
  const ConfigItem* item = nullptr;
  impl_->descend(path, whole, &item);
  return item ? item->key_where : impl_->top;
}

std::string Config::resolved() const {
  return emit_yaml(impl_->root, impl_->schema);
}

}  // namespace xp
