#include <xp/io/shared_file.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <xp/io/file_exchange.hpp>
#include <xp/io/files.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

// So many ranks of each node write and read: more than one, for file systems that serve several
// streams faster, and few, because such file systems lock what is written.
constexpr int streams_per_node = 4;

}  // namespace

SharedFile::SharedFile(const Communicator& communicator, std::string path, Mode mode)
    : communicator_(communicator), path_(std::move(path)), mode_(mode) {
  name_ = mode == Mode::create ? partial_name(path_) : path_;
  try {
    open();
  } catch (const Error&) {
    close_and_remove();
    throw;
  }
}

SharedFile::~SharedFile() {
  close_and_remove();
}

void SharedFile::open() {
  const bool create = mode_ == Mode::create;
  const auto open_it = [&](int flags) {
    file_ = ::open(name_.c_str(), flags | O_CLOEXEC, 0666);
    if (file_ < 0) fail(create ? "write" : "open");
  };
  // The root first: it makes the file, and is never without it.
  on_root(communicator_, [&] { open_it(create ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY); });
  everywhere(communicator_, [&] {
    if (!communicator_.is_root() && communicator_.node_rank() < streams_per_node)
      open_it(create ? O_WRONLY : O_RDONLY);
  });
}

// After commit() the file is closed and has another name.
void SharedFile::close_and_remove() {
  if (file_ >= 0) ::close(file_);
  if (mode_ == Mode::create && communicator_.is_root()) ::unlink(name_.c_str());
}

void SharedFile::write(std::int64_t offset, const Grid& grid, const HostArray& values) {
  Piece piece;
  if (file_ >= 0)
    piece = [&](std::int64_t at, const char* data, std::int64_t bytes) {
      write_all(file_, path_, offset + at, data, bytes);
    };
  collect(communicator_, grid, bytes_of(values.precision), values.data, piece);
}

void SharedFile::read(std::int64_t offset, const Grid& grid, Precision precision, void* values) {
  Piece piece;
  if (file_ >= 0)
    piece = [&](std::int64_t at, char* data, std::int64_t bytes) {
      while (bytes > 0) {
        const ssize_t got = ::pread(file_, data, static_cast<std::size_t>(bytes), offset + at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("read");
        if (got == 0) throw Error(ErrorKind::failure, "'" + path_ + "' ends too early");
        data += got;
        at += got;
        bytes -= got;
      }
    };
  distribute(communicator_, grid, bytes_of(precision), values, piece);
}

void SharedFile::commit(const std::function<void(int file)>& complete) {
  on_root(communicator_, [&] { complete(file_); });
  everywhere(communicator_, [&] {
    if (file_ < 0) return;
    // Some file systems tell only now what they could not write.
    if (::fsync(file_) != 0 || ::close(std::exchange(file_, -1)) != 0) fail("write");
  });
  on_root(communicator_, [&] { rename_partial(path_); });
}

void SharedFile::fail(const std::string& verb) const {
  throw Error(ErrorKind::failure, "cannot " + verb + " '" + path_ + "': " + std::strerror(errno));
}

}  // namespace xp
