// Exchange of ghost cells between ranks.
#pragma once

#include <memory>
#include <vector>

#include <xp/field/field.hpp>
#include <xp/mesh/halo_plan.hpp>
#include <xp/runtime/communicator.hpp>

namespace xp {

/// How a field's ends meet: axes where each follows the other, and those where it does so with the
/// sign changed.
struct FieldEnds {
  AxisSet wraps = 0;
  AxisSet antiperiodic = 0;  ///< part of `wraps`
};

/// One exchange for several fields: one kernel packs them all, one message goes to each neighbour
/// by persistent requests, and the interior may be computed while they travel. Messages are made in
/// device memory where MPI takes it, else they go through the host's.
template <class Space, class Real>
class HaloExchange {
 public:
  /// One entry per field. Allocates the messages. Where mpi_takes_device_memory() has been called
  /// before, ranks need not call it together.
  HaloExchange(const Grid& grid, const Communicator& communicator, std::vector<FieldEnds> fields,
               bool corners = false);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Is there anybody to exchange with?
  bool has_neighbours() const { return !plan_.send.empty(); }
  /// Bytes of the messages, both directions, without a copy on the host.
  std::int64_t memory() const;

  /// Sends the fields' cells; ghosts along axes that are not cut must be filled where corners are
  /// asked for. Until finish() the fields must not be written, and ghosts across cuts not be read.
  void start(const Space& space, const std::vector<FieldView<Space, Real>>& fields);
  /// Waits for the neighbours' cells and writes them into the ghosts.
  void finish(const Space& space, const std::vector<FieldView<Space, Real>>& fields);

  double seconds() const { return seconds_; }            ///< in start() and finish()
  double wait_seconds() const { return wait_seconds_; }  ///< of those, waiting for others

  /// A piece of a message as kernels see it: public only because CUDA asks it of kernels.
  struct Piece {
    int lower[3], size[3];
    AxisSet crossed, walled;
    std::int64_t first_line, first_value;  ///< of its cells, counted over all messages
    std::int64_t offset, field_stride;     ///< in the buffer
  };
  struct Direction {
    Kokkos::View<Piece*, typename Space::memory_space> pieces;
    Kokkos::View<Real*, typename Space::memory_space> buffer;
    Kokkos::View<Real*, StagingSpace<Space>> staging;  ///< what MPI sees
    std::vector<MPI_Request> requests;
    std::int64_t lines = 0, values = 0, bytes = 0;
  };

 private:
  void prepare(Direction& direction, const std::vector<HaloMessage>& messages, bool sends);
  void copy(const Space& space, const char* kernel, const Direction& direction,
            const std::vector<FieldView<Space, Real>>& fields, bool unpacks) const;

  const Communicator& communicator_;
  std::vector<FieldEnds> fields_;
  HaloPlan plan_;
  bool staged_ = false;
  Direction send_, receive_;
  double seconds_ = 0, wait_seconds_ = 0;
};

}  // namespace xp
