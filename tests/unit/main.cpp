// Runs all unit tests with MPI and Kokkos initialised once.
#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/runtime/kokkos_session.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(nullptr, nullptr);
  int failed = 0;
  {
    const xp::KokkosSession kokkos(0, {});
    failed = RUN_ALL_TESTS();
  }
  MPI_Finalize();
  return failed;
}
