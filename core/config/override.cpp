#include <xp/config/override.hpp>

#include <algorithm>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

}  // namespace

void apply_override(ConfigNode& root, const std::string& text, const Schema& schema,
                    Diagnostics& diagnostics) {
  Position where;
  where.file = "--set";
  where.line = 1;
  where.column = 1;
  where.length = static_cast<int>(std::max<std::size_t>(1, text.size()));
  const SourceLine line = text;
  where.source_line = line;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.add(where, "expected PATH=VALUE", "as in --set grid.cells=[64,64]");
    return;
  }
  // The value is read as YAML; its positions are moved behind the path.
  Diagnostics inside;
  ConfigNode value = parse_yaml(text.substr(equals + 1), "--set", inside);
  const auto move = [&](Position& place) {
    place.file = "--set";
    if (place.line == 1) place.column += static_cast<int>(equals) + 1;
    place.source_line = line;
  };
  value.refused = !inside.empty();
  if (!value.refused && value.kind == Kind::null) {
    Position behind = where;
    behind.column = static_cast<int>(equals) + 1;
    behind.length = 1;
    diagnostics.add(behind, "no value after '='", "a text that is empty is written \"\"");
    value.refused = true;
  }
  for (Diagnostic diagnostic : inside.list()) {
    move(diagnostic.where);
    diagnostics.add(diagnostic);
  }
  const auto move_all = [&](auto& self, ConfigNode& node) -> void {
    move(node.where);
    for (ConfigItem& item : node.items) {
      move(item.key_where);
      self(self, item.value);
    }
  };
  move_all(move_all, value);

  if (root.kind != Kind::mapping) return;
  ConfigNode* node = &root;
  std::string path;
  for (std::size_t start = 0; start <= equals;) {
    const std::size_t end = std::min(text.find('.', start), equals);
    const std::string key = text.substr(start, end - start);
    path = path_below(path, key);
    Position key_where = where;
    key_where.column = static_cast<int>(start) + 1;
    key_where.length = static_cast<int>(std::max<std::size_t>(1, key.size()));
    if (node->kind == Kind::list) {
      if (key.empty() || key.size() > 6 ||
          key.find_first_not_of("0123456789") != std::string::npos ||
          std::stoul(key) >= node->items.size()) {
        diagnostics.add(key_where,
                        "'" + key + "' is not an entry of a list with " +
                            std::to_string(node->items.size()) + " entries, counted from 0",
                        node->items.empty() ? "set the whole list" : "");
        if (node->items.empty()) node->refused = true;
        return;
      }
      node = &node->items[std::stoul(key)].value;
    } else {
      ConfigItem* item = node->find(key);
      if (!item) {
        node->items.push_back({key, key_where, {}});
        item = &node->items.back();
      }
      if (end == equals) item->key_where = key_where;
      node = &item->value;
    }
    start = end + 1;
    if (end == equals) break;
    const SchemaEntry* entry = schema.find(path);
    if (entry && is_list(entry->type) && node->kind != Kind::list) {
      // A single value stands for a list of one.
      ConfigNode single = std::move(*node);
      *node = {};
      node->kind = Kind::list;
      node->where = key_where;
      if (single.kind != Kind::null) node->items.push_back({{}, single.where, std::move(single)});
    } else if (node->kind == Kind::scalar || node->kind == Kind::null) {
      // A short form on the way is written out, anything else replaced.
      ConfigNode scalar = std::move(*node);
      *node = {};
      node->kind = Kind::mapping;
      node->where = key_where;
      if (scalar.kind == Kind::scalar && entry && !entry->shorthand.empty())
        node->items.push_back({entry->shorthand, scalar.where, std::move(scalar)});
    }
  }
  // A scalar for a block that has a short form sets that key and leaves the others.
  const SchemaEntry* entry = schema.find(path);
  if (entry && entry->type == ValueType::block && !entry->shorthand.empty() &&
      !entry->exactly_one && node->kind == Kind::mapping && value.kind == Kind::scalar)
    if (ConfigItem* item = node->find(entry->shorthand)) node = &item->value;
  *node = std::move(value);
}

}  // namespace xp
