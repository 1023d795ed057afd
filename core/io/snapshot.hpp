// Snapshots: one HDF5 file per output time that is at once VTKHDF ImageData, openPMD 1.1 and
// netCDF-like, by hard links to the same datasets; and the indices over them.
//
// The root makes the HDF5 file in memory; the arrays have fixed places in it, where all ranks write
// their blocks at once. So the bytes do not depend on the ranks, and no HDF5 call meets a full
// disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <xp/field/host_array.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/communicator.hpp>

namespace xp {

/// Where a file comes from: stored in each as attributes.
struct Provenance {
  std::string title, input, version, kokkos, backend, device, precision;
  int ranks = 1, threads = 1;
};

/// A dataset of a snapshot.
struct SnapshotField {
  std::string name, description, units;
  HostArray values;  ///< own cells, (z, y, x)
};

/// A file that was written, as the indices list it.
struct SnapshotEntry {
  std::string file;
  double time = 0;
  std::vector<std::string> fields;
  int bytes_per_value = 8;
};

/// Writes `fields_NNNNNN.vtkhdf` files into a folder, and after each of them `fields.xdmf` (XDMF2,
/// for ParaView 5.11 and VisIt) and `fields.vtkhdf.series` (for newer ParaView). All calls are
/// collective; what fails on one rank throws the same Error of kind failure on all.
class SnapshotWriter {
 public:
  SnapshotWriter(const Communicator& communicator, std::string folder, const Grid& grid,
                 Provenance provenance);

  /// Continues a run that has written these files: later indices list them, too.
  void resume(std::vector<SnapshotEntry> files) { written_ = std::move(files); }
  const std::vector<SnapshotEntry>& written() const { return written_; }

  /// Starts the file of a step. `step_size` is the last one taken.
  void begin(std::int64_t step, double time, double step_size);
  /// Adds a dataset; throws when the disk is full or anything else fails.
  void write(const SnapshotField& field);
  /// Closes the file, gives it its final name and renews the indices.
  void finish();

  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

 private:
  void write_indices() const;

  struct File;
  const Communicator& communicator_;
  std::string folder_;
  Grid grid_;
  Provenance provenance_;
  std::unique_ptr<File> file_;
  std::vector<SnapshotEntry> written_;
  std::vector<std::string> names_;  ///< of the datasets
  int bytes_per_value_ = 8;
};

/// Names in the root of every snapshot, which fields cannot have.
const std::vector<std::string>& snapshot_names();

}  // namespace xp
