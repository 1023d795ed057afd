// May device memory be handed to MPI?
#pragma once

#include <xp/runtime/communicator.hpp>

namespace xp {

/// Decides once per process, in this order: the environment's XPSIM_DEVICE_MPI (1 or 0), else what
/// the MPI library says of itself; a yes is then tried with a message whose content is known, and
/// holds when it arrived whole on every rank. Collective at the first call. Always false without a
/// GPU backend.
bool mpi_takes_device_memory(const Communicator& communicator);

}  // namespace xp
