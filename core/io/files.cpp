#include <xp/io/files.hpp>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include <xp/runtime/error.hpp>

namespace xp {
namespace {

std::string reason() {
  return std::strerror(errno);
}

void sync_path(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags);
  if (file < 0) throw Error(ErrorKind::failure, "cannot open '" + path + "': " + reason());
  const int result = ::fsync(file);
  const std::string why = reason();
  ::close(file);
  // Some network file systems do not sync folders and say so with EINVAL: nothing more can be done.
  if (result != 0 && errno != EINVAL)
    throw Error(ErrorKind::failure, "cannot write '" + path + "' to disk: " + why);
}

std::ifstream open_to_read(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(ErrorKind::input, "'" + path + "' is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::input, "cannot open '" + path + "': " + reason());
  return file;
}

// Does the path name something that is no regular file?
bool is_something_else(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path))
    throw Error(ErrorKind::failure,
                "cannot create the folder '" + path + "': " +
                    (error ? error.message() : std::string("a file of that name is in the way")));
}

std::string partial_name(const std::string& path) {
  return path + ".part";
}

void commit_file(const std::string& path) {
  sync_path(partial_name(path), O_RDONLY);
  rename_partial(path);
}

void rename_partial(const std::string& path) {
  const std::string partial = partial_name(path);
  if (std::rename(partial.c_str(), path.c_str()) != 0)
    throw Error(ErrorKind::failure, "cannot rename '" + partial + "': " + reason());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  sync_path(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

void write_file(const std::string& path, const std::string& text) {
  // A device, a pipe or a link takes the text itself: a rename would put a file in its place.
  const bool direct = is_something_else(path);
  const std::string target = direct ? path : partial_name(path);
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    const std::string why = reason();
    if (!direct) ::unlink(target.c_str());
    throw Error(ErrorKind::failure, "cannot write '" + path + "': " + why);
  }
  if (!direct) commit_file(path);
}

void require_file(const std::string& path) {
  open_to_read(path);
}

std::string read_file(const std::string& path) {
  std::ifstream file = open_to_read(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw Error(ErrorKind::input, "cannot read '" + path + "': " + reason());
  return text.str();
}

void write_all(int file, const std::string& path, std::int64_t offset, const char* data,
               std::int64_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file, data, static_cast<std::size_t>(bytes), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(ErrorKind::failure, "cannot write '" + path + "': " + reason());
    data += written;
    offset += written;
    bytes -= written;
  }
}

std::string date_now() {
  char text[40];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S +0000", std::gmtime(&now));
  return text;
}

}  // namespace xp
