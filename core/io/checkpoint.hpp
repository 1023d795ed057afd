// Checkpoints: all that a run needs to go on, in one HDF5 file that any number of ranks can read,
// and that is known to be whole before a value of it is used.
//
// The arrays are contiguous datasets in the run's precision, `/arrays/NAME`, (z, y, x), beside the
// text `/state`. Checksums are ours: HDF5's fletcher32 needs chunks, one per rank, which another
// number of ranks would have to shuffle, while a sum over cells is the same however they are
// divided. The first 512 bytes, which HDF5 leaves to its users, locate the table of contents
// `/contents` and hold its checksum; that holds the checksums and places of all else. A reader
// needs no HDF5, which is not safe to use on damaged files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <xp/field/host_array.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/communicator.hpp>
#include <xp/runtime/error.hpp>

namespace xp {

class SharedFile;

/// Writes `checkpoint_NNNNNNNNN.h5` files into a folder. All calls are collective; what fails on
/// one rank throws the same Error of kind failure on all.
class CheckpointWriter {
 public:
  CheckpointWriter(const Communicator& communicator, std::string folder, const Grid& grid);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Starts the file of a step.
  void begin(std::int64_t step);
  /// Adds an array; names are those of fields.
  void write(const std::string& name, const HostArray& values);
  /// Stores a text (the root's), gives the file its final name, and only then removes others: those
  /// of the lowest steps until `keep` are left, at least this one, and what dead runs left behind.
  void finish(const std::string& state, int keep);

 private:
  struct File;
  const Communicator& communicator_;
  std::string folder_;
  Grid grid_;
  std::unique_ptr<File> file_;
};

/// A checkpoint that cannot be used; the one before may be whole.
class DamagedCheckpoint : public Error {
 public:
  DamagedCheckpoint(const std::string& path, const std::string& reason);
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// The table of contents of a checkpoint.
struct CheckpointContents {
  struct Array {
    std::string name;
    Precision precision = Precision::double_;
    std::array<std::int64_t, 3> shape{};  ///< z, y, x
    std::int64_t offset = 0;              ///< of its bytes in the file
    std::uint64_t hash = 0;
  };
  std::string version, date;  ///< of the xpsim that wrote it, and when
  std::int64_t step = 0;
  int ranks = 1;
  std::vector<Array> arrays;
  std::string state;
};

/// Opens a file that a CheckpointWriter wrote, on any number of ranks. All calls are collective and
/// throw the same on all: an Error of kind input for a file that is missing, cannot be read or is
/// no checkpoint, DamagedCheckpoint for one that is not as it was written.
class CheckpointReader {
 public:
  CheckpointReader(const Communicator& communicator, std::string path);
  ~CheckpointReader();

  const std::string& state() const { return contents_.state; }
  const CheckpointContents& contents() const { return contents_; }
  bool has(const std::string& name) const;
  std::array<std::int64_t, 3> shape(const std::string& name) const;  ///< z, y, x
  Precision precision(const std::string& name) const;
  /// Reads this rank's block, (z, y, x) in the stored precision. The array must have the grid's
  /// shape: else, or when there is none, an Error of kind input.
  void read(const std::string& name, const Grid& grid, std::vector<std::byte>& values) const;

 private:
  const CheckpointContents::Array& find(const std::string& name) const;

  const Communicator& communicator_;
  std::string path_;
  CheckpointContents contents_;
  std::unique_ptr<SharedFile> file_;
};

/// Paths of the checkpoints in a folder, the highest step first.
std::vector<std::string> list_checkpoints(const std::string& folder);

/// Reads all of a checkpoint but its arrays, on one process; throws what CheckpointReader does.
CheckpointContents read_checkpoint_contents(const std::string& path);
/// Does a file call itself a checkpoint, by its name or by its first bytes?
bool is_checkpoint(const std::string& path);

}  // namespace xp
