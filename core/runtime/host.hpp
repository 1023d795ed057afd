// The machine that a process runs on.
#pragma once

#include <string>

namespace xp {

std::string host_name();

/// Cores that this process may use, by its affinity: how many, and which as a text to compare.
int available_cores();
std::string core_set();

}  // namespace xp
