// Solutions of linear problems have the same bits on every number of ranks.
#include <gtest/gtest.h>

#include "../unit/linear_testing.hpp"

namespace {

constexpr double pi = 3.14159265358979323846;

template <class Space>
void expect_the_bits_of_one_rank(const xp::Communicator& world, const xp::Communicator& self,
                                 const std::vector<std::int64_t>& cells, const std::string& letters,
                                 xp::LinearMethod method, double varies,
                                 const xp::MultigridOptions& cycles = {}) {
  const xp::GridSpec spec = xp_test::box_of(cells, letters);
  xp_test::LinearProblem<Space, double> together(spec, letters, world), alone(spec, letters, self);
  xp::LinearOptions options;
  options.method = method;
  options.multigrid = cycles;
  if (varies > 1) options.tolerance = 1e-8;
  xp::LinearResult results[2];
  xp::Sums sums[2];
  int n = 0;
  for (auto* problem : {&together, &alone}) {
    // Smoothly, or by steps.
    if (varies > 0)
      problem->set_beta([&](double x, double y, double z) {
        const double wave = std::sin(2 * pi * x) * std::cos(2 * pi * (y + z));
        return varies < 1 ? 1.5 + wave : wave > 0.1 ? varies : 1.0;
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
    for (const double varies : {0.0, 0.5, 1e3}) {
      if (varies > 1 && method == xp::LinearMethod::multigrid) continue;
      for (const char* letters : {"dnppnr", "pppppp", "nnnnnn"})
        for (const auto& cells :
             {std::vector<std::int64_t>{64, 32, 32}, std::vector<std::int64_t>{20, 37, 53}})
          expect_the_bits_of_one_rank<Space>(world, self, cells, letters, method, varies);
      // Large enough for waves of half sweeps on one rank, and on two and four.
      expect_the_bits_of_one_rank<Space>(world, self, {64, 48, 41}, "dnddrn", method, varies);
      for (const char* letters : {"dnppaa", "pppppp", "dnrddn"})
        expect_the_bits_of_one_rank<Space>(world, self, {64, 80, 81}, letters, method, varies);
      for (const char* letters : {"dddd", "aarn"})
        for (const auto& cells :
             {std::vector<std::int64_t>{128, 256}, std::vector<std::int64_t>{37, 41}})
          expect_the_bits_of_one_rank<Space>(world, self, cells, letters, method, varies);
      expect_the_bits_of_one_rank<Space>(world, self, {1000}, "rd", method, varies);
    }
  for (const auto smoother : {xp::Smoother::red_black, xp::Smoother::chebyshev})
    for (const auto cycle : {xp::Cycle::w, xp::Cycle::full}) {
      xp::MultigridOptions cycles;
      cycles.cycle = cycle;
      cycles.smoother = smoother;
      expect_the_bits_of_one_rank<Space>(world, self, {64, 32, 32}, "dnppnr",
                                         xp::LinearMethod::multigrid, 0.5, cycles);
    }
}

TEST(LinearSolvers, HaveTheBitsOfOneRank) {
  expect_the_bits_of_one_rank<Kokkos::Serial>();
}

}  // namespace
