// What this build is, for `xpsim info` and for every file that xpsim writes.
#pragma once

#include <string>

namespace xp {

struct BuildInfo {
  std::string version, build_type, compiler, flags;
  std::string kokkos, mpi, hdf5;  ///< versions; MPI as the library names itself
};
BuildInfo build_info();

}  // namespace xp
