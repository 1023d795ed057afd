# Everything that xpsim builds on; found, never downloaded (docs/dependencies.md says why each).
# scripts/bootstrap installs what a Debian machine lacks.
find_package(Kokkos 3.4 CONFIG REQUIRED)
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

if(NOT TARGET yaml-cpp::yaml-cpp) # the name before yaml-cpp 0.8
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
