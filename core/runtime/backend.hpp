// Execution spaces chosen at run time: all that Kokkos was built with are in one binary.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <xp/runtime/kokkos.hpp>

namespace xp {

enum class Backend { serial, openmp, cuda };
enum class Precision { double_, float_ };

/// Backends of this build, the preferred one (a GPU, then OpenMP) first.
std::vector<Backend> available_backends();
/// "Serial", "OpenMP", "Cuda".
std::string name(Backend backend);
std::string name(Precision precision);
/// Bytes of a number.
constexpr int bytes_of(Precision precision) {
  return precision == Precision::double_ ? 8 : 4;
}
/// The backend of a name as `run.backend` takes it (any case; "auto" is the preferred one). Throws
/// an Error of kind input that lists what this build has.
Backend backend_from_name(const std::string& name);
/// Name of the device that a backend runs on, or an empty string for the host's cores.
std::string device_name(Backend backend);
/// Threads that a backend uses in this process.
int threads(Backend backend);

/// Calls `f(space)` with an instance of the Kokkos execution space of `backend`.
template <class F>
decltype(auto) with_space(Backend backend, F&& f) {
  switch (backend) {
#ifdef KOKKOS_ENABLE_OPENMP
    case Backend::openmp:
      return f(Kokkos::OpenMP());
#endif
#ifdef KOKKOS_ENABLE_CUDA
    case Backend::cuda:
      return f(Kokkos::Cuda());
#endif
    case Backend::serial:
      return f(Kokkos::Serial());
    default:
      throw std::logic_error("xp::with_space: a backend that Kokkos was not built with");
  }
}

}  // namespace xp

// Instantiates what `macro(Space, Real)` writes for every execution space and precision of the
// build.
#ifdef KOKKOS_ENABLE_OPENMP
#define XP_INSTANTIATE_OPENMP(macro) macro(Kokkos::OpenMP, double) macro(Kokkos::OpenMP, float)
#else
#define XP_INSTANTIATE_OPENMP(macro)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define XP_INSTANTIATE_CUDA(macro) macro(Kokkos::Cuda, double) macro(Kokkos::Cuda, float)
#else
#define XP_INSTANTIATE_CUDA(macro)
#endif
#define XP_INSTANTIATE(macro)                                                             \
  macro(Kokkos::Serial, double) macro(Kokkos::Serial, float) XP_INSTANTIATE_OPENMP(macro) \
      XP_INSTANTIATE_CUDA(macro)
