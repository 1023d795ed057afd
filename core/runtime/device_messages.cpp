#include <xp/runtime/device_messages.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <xp/runtime/kokkos.hpp>
#include <xp/runtime/log.hpp>

namespace xp {

#ifdef KOKKOS_ENABLE_CUDA
namespace {

bool is_claimed() {
  if (const char* wish = std::getenv("XPSIM_DEVICE_MPI")) return std::string(wish) == "1";
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

// A known pattern goes around the ring of ranks, from device memory to device memory.
bool works(const Communicator& communicator) {
  constexpr int count = 4096;
  const int ranks = communicator.size(), rank = communicator.rank();
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  std::vector<double> pattern(count), arrived(count, -1.0);
  for (int n = 0; n < count; ++n) pattern[static_cast<std::size_t>(n)] = rank + 1.0 / (n + 1);
  using Host = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::View<double*, Kokkos::CudaSpace> from("messages: pattern", count);
  Kokkos::View<double*, Kokkos::CudaSpace> to("messages: arrived", count);
  Kokkos::deep_copy(from, Host(pattern.data(), count));
  Kokkos::fence();
  MPI_Sendrecv(from.data(), count, MPI_DOUBLE, next, 2, to.data(), count, MPI_DOUBLE, before, 2,
               communicator.get(), MPI_STATUS_IGNORE);
  Kokkos::deep_copy(Host(arrived.data(), count), to);
  bool right = true;
  for (int n = 0; n < count; ++n)
    right = right && arrived[static_cast<std::size_t>(n)] == before + 1.0 / (n + 1);
  return right;
}

}  // namespace
#endif

bool mpi_takes_device_memory(const Communicator& communicator) {
#ifdef KOKKOS_ENABLE_CUDA
  static const bool result = [&] {
    int wanted = is_claimed() ? 1 : 0, all = 0;
    MPI_Allreduce(&wanted, &all, 1, MPI_INT, MPI_MIN, communicator.get());
    if (all == 0) return false;
    int good = works(communicator) ? 1 : 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, communicator.get());
    if (all == 0 && communicator.is_root())
      log_warning(
          "MPI claims to take device memory, but a message did not arrive whole: ghost "
          "cells go through the host's memory");
    return all == 1;
  }();
  return result;
#else
  static_cast<void>(communicator);
  return false;
#endif
}

}  // namespace xp
