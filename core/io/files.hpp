// Files that are always whole under their final name: written beside it, synced, renamed.
#pragma once

#include <string>

namespace xp {

/// Creates a folder and its parents; throws an Error of kind failure with the system's reason.
void make_directory(const std::string& path);
/// The name under which a file is written before it is renamed to `path`.
std::string partial_name(const std::string& path);
/// Syncs the file partial_name(path), renames it to `path` and syncs the folder.
void commit_file(const std::string& path);
/// Writes text to `path`: atomically where that is new or a regular file; into a device or a pipe
/// directly.
void write_file(const std::string& path, const std::string& text);
/// Reads a whole file; throws an Error of kind input that names it and the system's reason.
std::string read_file(const std::string& path);

}  // namespace xp
