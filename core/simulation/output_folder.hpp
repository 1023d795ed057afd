// The folder of a run's files.
#pragma once

#include <cstdint>
#include <string>

namespace xp {

/// Makes the folder ready for a new run: one that holds the files of another is refused (an Error
/// of kind input) unless `overwrite`, which removes them, and them only.
void open_output_folder(const std::string& folder, bool overwrite);

/// Makes the folder ready for a run that goes on after `step`: snapshots and checkpoints of later
/// steps, which it will write again, go, and with them what was left half written.
void reopen_output_folder(const std::string& folder, std::int64_t step);

/// The folder of a run's checkpoints.
std::string checkpoint_folder(const std::string& folder);

}  // namespace xp
