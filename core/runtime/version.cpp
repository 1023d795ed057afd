#include <algorithm>

#include <hdf5.h>
#include <mpi.h>

#include <xp/runtime/kokkos.hpp>
#include <xp/runtime/version.hpp>

namespace xp {

BuildInfo build_info() {
  BuildInfo info{XPSIM_VERSION, XPSIM_BUILD_TYPE, XPSIM_COMPILER, XPSIM_FLAGS, {}, {}, {}};
  info.kokkos = std::to_string(XP_KOKKOS_MAJOR) + "." + std::to_string(XP_KOKKOS_MINOR) + "." +
                std::to_string(XP_KOKKOS_PATCH);
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  info.mpi.assign(text, static_cast<std::size_t>(length));
  info.mpi.resize(std::min(info.mpi.size(), info.mpi.find_first_of(",\n")));
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  info.hdf5 = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
  return info;
}

}  // namespace xp
