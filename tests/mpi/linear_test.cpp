// Solutions of linear problems have the same bits on every number of ranks.
#include <gtest/gtest.h>

#include "../unit/linear_testing.hpp"

namespace {

constexpr double pi = 3.14159265358979323846;

template <class Space>
void expect_the_bits_of_one_rank(const xp::Communicator& world, const xp::Communicator& self,
                                 const std::vector<std::int64_t>& cells, const std::string& letters,
                                 xp::LinearMethod method, bool varies) {
  const xp::GridSpec spec = xp_test::box_of(cells, letters);
  xp_test::LinearProblem<Space, double> together(spec, letters, world), alone(spec, letters, self);
  xp::LinearOptions options;
  options.method = method;
  xp::LinearResult results[2];
  xp::Sums sums[2];
  int n = 0;
  for (auto* problem : {&together, &alone}) {
    if (varies)
      problem->set_beta([](double x, double y, double z) {
        return 1.5 + std::sin(2 * pi * x) * std::cos(2 * pi * (y + z));
      });
    problem->set_noise();
    if (letters.find_first_of("dra") == std::string::npos) problem->subtract_mean();
    results[n] = problem->solve(options);
    sums[n++] = problem->sums();
  }
  EXPECT_TRUE(results[0].converged()) << letters;
  EXPECT_EQ(results[0].history, results[1].history) << letters;
  EXPECT_EQ(sums[0].sum_square, sums[1].sum_square) << letters;
  EXPECT_EQ(sums[0].sum, sums[1].sum) << letters;
  EXPECT_EQ(sums[0].max, sums[1].max) << letters;
}

template <class Space>
void expect_the_bits_of_one_rank() {
  const xp::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const auto method : {xp::LinearMethod::multigrid, xp::LinearMethod::cg})
    for (const bool varies : {false, true}) {
      for (const char* letters : {"dnppnr", "pppppp", "nnnnnn"})
        for (const auto& cells :
             {std::vector<std::int64_t>{64, 32, 32}, std::vector<std::int64_t>{20, 37, 53}})
          expect_the_bits_of_one_rank<Space>(world, self, cells, letters, method, varies);
      for (const char* letters : {"dddd", "aarn"})
        for (const auto& cells :
             {std::vector<std::int64_t>{128, 256}, std::vector<std::int64_t>{37, 41}})
          expect_the_bits_of_one_rank<Space>(world, self, cells, letters, method, varies);
      expect_the_bits_of_one_rank<Space>(world, self, {1000}, "rd", method, varies);
    }
}

TEST(LinearSolvers, HaveTheBitsOfOneRank) {
  expect_the_bits_of_one_rank<Kokkos::Serial>();
}

}  // namespace
