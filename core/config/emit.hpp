// A tree as YAML text.
#pragma once

#include <string>

#include <xp/config/node.hpp>
#include <xp/config/schema.hpp>

namespace xp {

/// Block style, two spaces per level; texts and expressions in double quotes, everything else as it
/// was written. Reading the text gives the same tree.
std::string emit_yaml(const ConfigNode& root, const Schema& schema);

}  // namespace xp
