// The one place that knows which Kokkos this is: 3.4 (Debian 12), 4.x or 5.x.
#pragma once

#include <Kokkos_Core.hpp>

namespace xp {

/// "3.4.1" of the Kokkos that this was compiled with.
#define XP_KOKKOS_MAJOR (KOKKOS_VERSION / 10000)
#define XP_KOKKOS_MINOR (KOKKOS_VERSION / 100 % 100)
#define XP_KOKKOS_PATCH (KOKKOS_VERSION % 100)

/// True for execution spaces whose kernels run on the host's own cores.
template <class Space>
inline constexpr bool is_host_space =
#ifdef KOKKOS_ENABLE_OPENMP
    std::is_same_v<Space, Kokkos::OpenMP> ||
#endif
    std::is_same_v<Space, Kokkos::Serial>;

/// Where messages of a space wait for MPI when it does not take them from the space's own memory.
#ifdef KOKKOS_ENABLE_CUDA
template <class Space>
using StagingSpace =
    std::conditional_t<is_host_space<Space>, Kokkos::HostSpace, Kokkos::CudaHostPinnedSpace>;
#else
template <class Space>
using StagingSpace = Kokkos::HostSpace;
#endif

/// Threads that kernels of a host space use, 1 for others. `concurrency` is a static member
/// function up to 3.x and a member function later; calling it on an object works with both.
template <class Space>
int thread_count() {
  if constexpr (is_host_space<Space>)
    return static_cast<int>(Space().concurrency());
  else
    return 1;
}

}  // namespace xp

// For functions that are little more than a row loop, called from large ones: once inlined there,
// GCC leaves some of the loops scalar.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define XP_NOT_INLINED __attribute__((noinline))
#else
#define XP_NOT_INLINED
#endif

// Asks the compiler to vectorise a row loop whose iterations are independent.
#if defined(__CUDA_ARCH__)
#define XP_VECTORISE
#elif defined(__clang__)
#define XP_VECTORISE _Pragma("clang loop vectorize(enable)")
#elif defined(__GNUC__)
#define XP_VECTORISE _Pragma("GCC ivdep")
#else
#define XP_VECTORISE
#endif
