// The input as a tree whose every key and value knows its place in the text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <xp/runtime/error.hpp>

namespace xp {

struct ConfigNode;

struct ConfigItem;

/// From an offset of a text on: what stands in one line of the source.
struct ConfigPiece {
  std::size_t offset = 0;
  Position where;
};

/// A value: a scalar's text, a list, or a mapping in the order of the text.
struct ConfigNode {
  enum class Kind { null, scalar, list, mapping } kind = Kind::null;
  std::string text;                 ///< of a scalar, unquoted
  bool quoted = false;              ///< was it in quotes?
  bool block = false;               ///< not one piece of a line (`|`, `>`, escapes, more lines)
  std::vector<ConfigPiece> pieces;  ///< of such a text, where they are known: not with escapes
  bool refused = false;             ///< a mistake that has been reported: no more is said about it
  bool given = true;                ///< false for what a default put here
  Position where;                   ///< of the value's first character
  std::vector<ConfigItem> items;    ///< of lists (keys empty) and mappings

  /// Where a part of a scalar's text stands; the text's beginning where that is not known.
  Position position(std::size_t offset, std::size_t length) const;

  const ConfigItem* find(const std::string& key) const;
  ConfigItem* find(const std::string& key);
};

struct ConfigItem {
  std::string key;
  Position key_where;
  ConfigNode value;
};

/// Reads one YAML document. Syntax errors, tabs, duplicate keys, anchors, tags, further documents
/// and what is nested too deeply go into the diagnostics; what was read before them is returned. A
/// byte-order mark and CRLF line ends are accepted.
ConfigNode parse_yaml(const std::string& text, const std::string& file, Diagnostics& diagnostics);

}  // namespace xp
