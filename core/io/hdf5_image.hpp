// HDF5 files made in memory, so that no call of HDF5 meets a full or broken disk: 1.10 keeps a file
// open that could not be written, and a parallel one makes it fall when MPI ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <xp/io/hdf5.hpp>

namespace xp::hdf5 {

struct Memory;

/// An HDF5 file that one process makes in memory: groups, attributes and small datasets, and the
/// places of large arrays whose values are written into the file by others (all ranks at once).
/// Its bytes depend on nothing but the calls: no time stamps, no values of earlier files.
class Image {
 public:
  /// `oldest` is the format that the file has at least; `user_block` bytes before HDF5's own are
  /// the caller's (0, or a power of two from 512 on).
  explicit Image(H5F_libver_t oldest, std::int64_t user_block = 0);

  hid_t root() const { return file_; }
  /// Creates a dataset whose values are written elsewhere, at the place that is returned.
  std::pair<Handle, Place> create_array(hid_t parent, const std::string& name, hid_t type,
                                        const std::vector<hsize_t>& shape);
  /// Ends the HDF5 file; all objects in it must be closed.
  void close();
  std::int64_t bytes() const;  ///< of the whole file, after close()
  /// Writes everything but the arrays' values into the open file `path`, and `user_block` before
  /// it.
  void copy_to(int file, const std::string& path, const std::string& user_block = {}) const;

 private:
  std::shared_ptr<Memory> memory_;
  Handle file_;
  std::map<std::int64_t, std::int64_t> arrays_;  ///< offset, bytes
};

}  // namespace xp::hdf5
