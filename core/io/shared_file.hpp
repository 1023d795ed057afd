// Arrays in a file that all ranks write or read together, each its block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <xp/field/host_array.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/communicator.hpp>

namespace xp {

/// An open file of all ranks. All calls are collective, and what fails on one rank fails on all
/// with the same Error of kind failure, which names the file and the system's reason.
class SharedFile {
 public:
  enum class Mode { create, read };
  /// Mode::create makes partial_name(path) anew; Mode::read opens `path`.
  SharedFile(const Communicator& communicator, std::string path, Mode mode);
  /// Removes a created file that was not committed. The only call that is not collective.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Writes this rank's block of an array over the whole grid that begins at a byte of the file.
  void write(std::int64_t offset, const Grid& grid, const HostArray& values);
  /// Reads this rank's block.
  void read(std::int64_t offset, const Grid& grid, Precision precision, void* values);
  /// Calls `complete` on the root with a descriptor of a created file, for what is not in the
  /// arrays; syncs it on all ranks that wrote to it and gives it its final name.
  void commit(const std::function<void(int file)>& complete);

 private:
  void open();
  void close_and_remove();
  [[noreturn]] void fail(const std::string& verb) const;

  const Communicator& communicator_;
  std::string path_, name_;  ///< final name, name on the disk
  Mode mode_;
  int file_ = -1;  ///< on the ranks that write and read for the others
};

}  // namespace xp
