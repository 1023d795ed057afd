// Files that are always whole under their final name: written beside it, synced, renamed.
#pragma once

#include <cstdint>
#include <string>

namespace xp {

/// Creates a folder and its parents; throws an Error of kind failure with the system's reason.
void make_directory(const std::string& path);
/// The name under which a file is written before it is renamed to `path`.
std::string partial_name(const std::string& path);
/// Syncs the file partial_name(path), renames it to `path` and syncs the folder.
void commit_file(const std::string& path);
/// The same for a file that is synced already.
void rename_partial(const std::string& path);
/// Writes text to `path`: atomically where that is new or a regular file; into a device or a pipe
/// directly.
void write_file(const std::string& path, const std::string& text);
/// Reads a whole file; throws an Error of kind input that names it and the system's reason.
std::string read_file(const std::string& path);
/// Throws what read_file would throw where the file is missing, a folder or not readable.
void require_file(const std::string& path);
/// Writes all bytes at an offset of the open file `path`; throws an Error of kind failure that
/// names it and the system's reason.
void write_all(int file, const std::string& path, std::int64_t offset, const char* data,
               std::int64_t bytes);

/// The time now as files store it: "2031-02-03 04:05:06 +0000".
std::string date_now();

}  // namespace xp
