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
  // Asking for the current test while a failure is reported waits for a lock that is held.
  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s.%s, %s:%d: %s\n", rank_,
                 test_ ? test_->test_suite_name() : "", test_ ? test_->name() : "",
                 result.file_name() ? result.file_name() : "", result.line_number(),
                 result.message());
  }

 private:
  int rank_;
  const testing::TestInfo* test_ = nullptr;
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
