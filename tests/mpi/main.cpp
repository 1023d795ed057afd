// Runs the tests of many ranks: every rank runs all of them in the same order. Only the root
// reports what passes; a failure is reported by the rank that saw it.
#include <cstdio>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/runtime/kokkos_session.hpp>

namespace {

class FailuresOnly final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "rank %d, %s.%s, %s:%d: %s\n", rank_, test ? test->test_suite_name() : "",
                 test ? test->name() : "", result.file_name() ? result.file_name() : "",
                 result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(nullptr, nullptr);
  int rank = 0, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  {
    const xp::KokkosSession kokkos(1, {});
    failed = RUN_ALL_TESTS();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
