#include <xp/config/config.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <xp/config/checker.hpp>
#include <xp/config/emit.hpp>
#include <xp/config/override.hpp>
#include <xp/config/scalar_reader.hpp>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

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
  const auto one = [&](ConfigNode& node, const SchemaEntry& entry, const std::string& path) {
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
        if (is_word()) {
          impl.words.insert(path);
          return;
        }
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
      case ValueType::choice:
        // From here on it is the choice itself, however the number was written.
        if (has_numbers(entry) && !is_word())
          if (const auto value = evaluation.choice(node, entry, path)) node.text = *value;
        return;
      default:
        return;
    }
  };
  const auto walk = [&](auto& self, ConfigNode& node, const std::string& path) -> void {
    const SchemaEntry* entry = path.empty() ? nullptr : impl.schema.find(path);
    if (entry && entry->type != ValueType::block && entry->type != ValueType::map &&
        entry->type != ValueType::list)
      return one(node, *entry, path);
    for (std::size_t n = 0; n < node.items.size(); ++n) {
      ConfigItem& item = node.items[n];
      self(self, item.value,
           path_below(path, node.kind == Kind::list ? std::to_string(n) : item.key));
    }
  };
  // Parameters first: numbers anywhere may be made of them.
  if (ConfigItem* parameters = impl.root.find("parameters"))
    for (ConfigItem& item : parameters->value.items) {
      const std::string path = "parameters." + item.key;
      walk(walk, item.value, path);
      const auto value = impl.numbers.find(path + ".value");
      if (value != impl.numbers.end())
        define(item.key, value->second);
      else
        failed.insert(item.key);
    }
  if (impl.root.kind == Kind::mapping)
    for (ConfigItem& item : impl.root.items)
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
  if (node->block && length == 0) return node->where;
  return node->position(offset, length > 0 ? length : node->text.size());
}

Position Config::key_position(const std::string& path) const {
  bool whole = false;
  const ConfigItem* item = nullptr;
  impl_->descend(path, whole, &item);
  return item ? item->key_where : impl_->top;
}

std::vector<std::string> Config::differences(const Config& other) const {
  std::vector<std::string> paths;
  const auto same = [&](const ConfigNode& a, const ConfigNode& b, const std::string& path) {
    const auto mine = impl_->numbers.find(path), theirs = other.impl_->numbers.find(path);
    if (mine != impl_->numbers.end() && theirs != other.impl_->numbers.end())
      return mine->second == theirs->second;
    return a.kind == b.kind && a.text == b.text;
  };
  const auto walk = [&](auto& self, const ConfigNode* a, const ConfigNode* b,
                        const std::string& path) -> void {
    if (!a || !b || (a->items.empty() && b->items.empty())) {
      if (!a || !b || !same(*a, *b, path)) paths.push_back(path);
      return;
    }
    if (a->kind == Kind::list && b->kind == Kind::list) {
      const auto mine = impl_->lists.find(path), theirs = other.impl_->lists.find(path);
      if (mine != impl_->lists.end() && theirs != other.impl_->lists.end()) {
        if (mine->second != theirs->second) paths.push_back(path);
        return;
      }
    }
    std::set<std::string> seen;
    for (const ConfigNode* node : {a, b})
      for (std::size_t n = 0; n < node->items.size(); ++n) {
        const std::string key = node->kind == Kind::list ? std::to_string(n) : node->items[n].key;
        if (!seen.insert(key).second) continue;
        const auto child = [&](const ConfigNode* of) -> const ConfigNode* {
          if (of->kind == Kind::list) return n < of->items.size() ? &of->items[n].value : nullptr;
          const ConfigItem* item = of->find(key);
          return item ? &item->value : nullptr;
        };
        self(self, child(a), child(b), path_below(path, key));
      }
  };
  walk(walk, &impl_->root, &other.impl_->root, "");
  return paths;
}

std::string Config::resolved() const {
  return emit_yaml(impl_->root, impl_->schema);
}

}  // namespace xp
