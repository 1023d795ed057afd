// --set: one value laid over a tree.
#pragma once

#include <string>

#include <xp/config/node.hpp>
#include <xp/config/schema.hpp>

namespace xp {

/// Lays "PATH=VALUE" over a tree; the value is YAML, list items go by their index. Positions of
/// what it puts there are in a file "--set" whose only line is the text.
void apply_override(ConfigNode& root, const std::string& text, const Schema& schema,
                    Diagnostics& diagnostics);

}  // namespace xp
