// The entry points of libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include <mpi.h>

#include <xp/runtime/kokkos_session.hpp>
#include <xp/solvers/solvers.hpp>

#include "check_input.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // Signals are libFuzzer's: it keeps the input that caused one. Open MPI would take them.
  setenv("OMPI_MCA_opal_signal", "", 1);
  MPI_Init(nullptr, nullptr);
  // Until the process ends, which libFuzzer does without a word to anyone.
  static const xp::KokkosSession* const kokkos = new xp::KokkosSession(1, {});
  static_cast<void>(kokkos);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const xp::Registry registry = xp::builtin_models();
  try {
    fuzz::check_input(std::string(reinterpret_cast<const char*>(data), size), registry);
  } catch (const std::exception& error) {
    std::cerr << "FAILED: " << error.what() << "\n";
    std::abort();
  }
  return 0;
}
