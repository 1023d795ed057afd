// What is in a file that xpsim wrote, as `xpsim info FILE` prints it.
#pragma once

#include <string>

namespace xp {

/// The listing of a snapshot or a checkpoint. Throws an Error of kind input for any other file.
std::string describe_file(const std::string& path);

}  // namespace xp
