#include <xp/config/emit.hpp>

#include <cstdio>

namespace xp {
namespace {

using Kind = ConfigNode::Kind;

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// Numbers and words that YAML reads as they are.
std::string scalar(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_.+-") == std::string::npos;
  const bool starts_well = plain && text[0] != '-' && text != "null";
  const bool number =
      plain && text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  return starts_well || number ? text : in_quotes(text);
}

void emit(const ConfigNode& node, const std::string& path, int depth, const Schema& schema,
          std::string& out) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  for (const ConfigItem& item : node.items) {
    const ConfigNode& value = item.value;
    const std::string below = path_below(path, item.key);
    const SchemaEntry* entry = schema.find(below);
    const bool as_text =
        entry && (entry->type == ValueType::text || entry->type == ValueType::expression);
    out += indent + scalar(item.key) + ":";
    if (value.kind == Kind::scalar) {
      out += " " + (as_text ? in_quotes(value.text) : scalar(value.text)) + "\n";
    } else if (value.kind == Kind::mapping) {
      out += value.items.empty() ? " {}\n" : "\n";
      emit(value, below, depth + 1, schema, out);
    } else if (value.kind == Kind::list && entry && entry->type == ValueType::list) {
      out += value.items.empty() ? " []\n" : "\n";
      for (std::size_t n = 0; n < value.items.size(); ++n) {
        // A mapping as a list item: its first key on the dash's line.
        std::string text;
        emit(value.items[n].value, below + "." + std::to_string(n), depth + 2, schema, text);
        const std::size_t dash = static_cast<std::size_t>(2 * depth + 2);
        if (text.size() > dash) text[dash] = '-';
        out += text;
      }
    } else {
      out += " [";
      for (std::size_t n = 0; n < value.items.size(); ++n)
        out += (n ? ", " : "") + scalar(value.items[n].value.text);
      out += "]\n";
    }
  }
}

}  // namespace

std::string emit_yaml(const ConfigNode& root, const Schema& schema) {
  std::string out;
  if (root.kind == Kind::mapping) emit(root, "", 0, schema, out);
  return out;
}

}  // namespace xp
