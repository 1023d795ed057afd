// Snapshots: one HDF5 file per output time that is at once VTKHDF ImageData, openPMD 1.1 and
// netCDF-like, by hard links to the same datasets; and the indices over them.
#pragma once

#include <cstdint>
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

/// Writes `fields_NNNNNN.vtkhdf` files into a folder, and after each of them `fields.xdmf` (XDMF2,
/// for ParaView 5.11 and VisIt) and `fields.vtkhdf.series` (for newer ParaView). Collective.
class SnapshotWriter {
 public:
  SnapshotWriter(const Communicator& communicator, std::string folder, const Grid& grid,
                 Provenance provenance);

  /// Starts the file of a step. `step_size` is the last one taken.
  void begin(std::int64_t step, double time, double step_size);
  /// Adds a dataset; throws an Error of kind failure when the disk is full or anything else fails.
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
  File* file_ = nullptr;
  std::vector<std::pair<std::string, double>> written_;  ///< names and times
  std::vector<std::string> names_;                       ///< of the datasets
  int bytes_per_value_ = 8;
};

/// Names in the root of every snapshot, which fields cannot have.
const std::vector<std::string>& snapshot_names();

/// What a snapshot contains, as `xpsim info FILE` prints it.
std::string describe_snapshot(const std::string& path);

}  // namespace xp
