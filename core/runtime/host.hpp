// The machine that a process runs on.
#pragma once

#include <string>

namespace xp {

std::string host_name();

/// Cores that this process may use, by its affinity; and those of the machine.
int available_cores();
int machine_cores();

}  // namespace xp
