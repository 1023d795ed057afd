// Checks a tree against the schema and brings it into its full form.
#pragma once

#include <set>
#include <string>

#include <xp/config/node.hpp>
#include <xp/config/schema.hpp>

namespace xp {

/// Reports unknown, missing, misplaced and reserved keys and wrong kinds of values; writes short
/// forms out (`D: 0.1` as `D: {value: 0.1}`), puts a single value where a list is expected into
/// one, and fills in defaults. What was refused is removed from the tree; its paths are returned,
/// with those of keys that were probably meant by an unknown one: nothing more is said about them.
std::set<std::string> check_tree(ConfigNode& root, const Schema& schema, const Position& top,
                                 Diagnostics& diagnostics);

/// Are there numbers among the choices of an entry, as the 2 and 4 of numerics.order?
bool has_numbers(const SchemaEntry& entry);

/// The message about a value that is none of the choices of its entry.
std::string unknown_choice(const SchemaEntry& entry, const std::string& shown,
                           const std::string& text);

}  // namespace xp
