# Everything that xpsim builds on; found, never downloaded (docs/dependencies.md says why each).
# scripts/bootstrap installs what a Debian machine lacks.
find_package(Kokkos 3.4 CONFIG REQUIRED)
# Beside its Kokkos where there is one; without it sparse matrices have fewer preconditioners.
option(XPSIM_KOKKOS_KERNELS "Use Kokkos Kernels where it is found" ON)
if(XPSIM_KOKKOS_KERNELS)
  get_filename_component(xpsim_kokkos_prefix "${Kokkos_DIR}/../../.." ABSOLUTE)
  find_package(KokkosKernels CONFIG QUIET HINTS ${xpsim_kokkos_prefix} ${Kokkos_ROOT})
endif()
find_package(MPI REQUIRED COMPONENTS C)
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C HL)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "xpsim needs an HDF5 built for MPI (Debian: libhdf5-openmpi-dev); found a serial one")
endif()
find_package(yaml-cpp 0.6 CONFIG REQUIRED)
find_package(fmt 8 CONFIG REQUIRED)
find_package(spdlog 1.9 CONFIG REQUIRED)
find_package(nlohmann_json 3.9 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)

# Random123 is headers without a package file; as an imported target they are system headers, of whose
# warnings nothing is heard.
find_path(Random123_INCLUDE_DIR Random123/philox.h HINTS ${Random123_ROOT} ENV Random123_ROOT
  PATH_SUFFIXES include DOC "The folder that has Random123/philox.h")
mark_as_advanced(Random123_INCLUDE_DIR)
if(NOT Random123_INCLUDE_DIR)
  message(FATAL_ERROR "xpsim needs Random123 (Debian: librandom123-dev); found no Random123/philox.h. "
    "Where it is elsewhere: -DRandom123_ROOT=PREFIX, for PREFIX/include/Random123/philox.h")
endif()
if(NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  target_include_directories(Random123::Random123 INTERFACE ${Random123_INCLUDE_DIR})
endif()

if(NOT TARGET yaml-cpp::yaml-cpp) # the name before yaml-cpp 0.8
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
