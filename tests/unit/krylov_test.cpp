// Krylov methods on plain vectors: known solutions, known numbers of iterations, what the host
// waits for, and how solves end.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <xp/runtime/transfer.hpp>

#include "krylov_testing.hpp"
#include "operators_testing.hpp"

namespace {

using xp::KrylovMethod;
using xp::KrylovOptions;
using xp::KrylovSide;
using xp::LinearResult;
using xp_test::few_eigenvalues;
using xp_test::three_diagonals;

const xp::Communicator& alone() {
  static const xp::Communicator communicator(MPI_COMM_SELF);
  return communicator;
}

constexpr KrylovMethod all_methods[] = {KrylovMethod::cg, KrylovMethod::bicgstab,
                                        KrylovMethod::gmres};

struct Outcome {
  LinearResult result;
  std::vector<double> x;
};

template <class Space>
Outcome solve(const KrylovOptions& options, const xp::SystemMap<Space, double>& map,
              const std::vector<double>& b, const xp::SystemMap<Space, double>& preconditioner = {},
              bool constants_are_null = false) {
  const int n = static_cast<int>(b.size());
  xp::Krylov<Space, double> krylov(n, alone(), options);
  const auto ones = xp_test::vector_of<Space>(std::vector<double>(b.size(), 1.0));
  if (constants_are_null) krylov.set_null_space(Space(), {xp::system_of(ones)});
  const auto x = xp_test::vector_of<Space>(std::vector<double>(b.size(), 0.0));
  const auto right = xp_test::vector_of<Space>(b);
  Outcome outcome;
  outcome.result =
      krylov.solve(Space(), map, preconditioner, xp::system_of(x), xp::system_of(right));
  outcome.x = xp_test::values_of<Space>(x);
  return outcome;
}

template <class Kind>
class Krylov : public ::testing::Test {};
TYPED_TEST_SUITE(Krylov, xp_test::DoubleKinds);

// -u'' = 1 by second differences, u = 0 one place beyond the ends: u_i = i (n + 1 - i) / 2.
TYPED_TEST(Krylov, SolvePoissonsEquation) {
  using Space = typename TypeParam::Space;
  constexpr int n = 60;
  for (const KrylovMethod method : all_methods)
    for (const KrylovSide side : {KrylovSide::right, KrylovSide::left})
      for (const int check_every : {1, 7}) {
        KrylovOptions options;
        options.method = method;
        options.side = side;
        options.check_every = check_every;
        options.restart = 70;
        const Outcome outcome =
            solve<Space>(options, three_diagonals<Space>(n, -1, 2, -1), std::vector<double>(n, 1.0),
                         few_eigenvalues<Space>(n, 1, 2, 1, true));
        EXPECT_TRUE(outcome.result.converged());
        for (int i = 0; i < n; ++i)
          EXPECT_NEAR(outcome.x[static_cast<std::size_t>(i)], 0.5 * (i + 1) * (n - i), 1e-5);
      }
}

// Advection and diffusion: not symmetric. (lower + diagonal + upper) i + upper - lower = b_i has
// the solution i but for the ends, which are put into b.
TYPED_TEST(Krylov, SolveWhatIsNotSymmetric) {
  using Space = typename TypeParam::Space;
  constexpr int n = 100;
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i)
    b[static_cast<std::size_t>(i)] = -1.5 * (i - 1) + 3 * i - (i + 1 < n ? 0.5 * (i + 1) : 0);
  b[0] = -0.5;
  for (const KrylovMethod method : {KrylovMethod::bicgstab, KrylovMethod::gmres})
    for (const KrylovSide side : {KrylovSide::right, KrylovSide::left}) {
      KrylovOptions options;
      options.method = method;
      options.side = side;
      options.restart = 12;
      const Outcome outcome = solve<Space>(options, three_diagonals<Space>(n, -1.5, 3, -0.5), b,
                                           few_eigenvalues<Space>(n, 1, 3, 1, true));
      EXPECT_TRUE(outcome.result.converged());
      for (int i = 0; i < n; ++i) EXPECT_NEAR(outcome.x[static_cast<std::size_t>(i)], i, 1e-6);
    }
}

// As many iterations as there are eigenvalues: Saad, Iterative Methods, 6.11.
TYPED_TEST(Krylov, EndAfterAsManyIterationsAsThereAreEigenvalues) {
  using Space = typename TypeParam::Space;
  constexpr int n = 90;
  for (const KrylovMethod method : {KrylovMethod::cg, KrylovMethod::gmres})
    for (const int count : {1, 2, 5}) {
      KrylovOptions options;
      options.method = method;
      const Outcome outcome = solve<Space>(options, few_eigenvalues<Space>(n, count, 0.5, 2),
                                           std::vector<double>(n, 1.0));
      EXPECT_TRUE(outcome.result.converged());
      EXPECT_EQ(outcome.result.iterations, count);
      EXPECT_EQ(outcome.result.history.size(), static_cast<std::size_t>(count) + 1);
    }
}

TYPED_TEST(Krylov, AnExactInverseTakesOneIteration) {
  using Space = typename TypeParam::Space;
  constexpr int n = 50;
  for (const KrylovMethod method : all_methods)
    for (const KrylovSide side : {KrylovSide::right, KrylovSide::left}) {
      KrylovOptions options;
      options.method = method;
      options.side = side;
      const Outcome outcome =
          solve<Space>(options, few_eigenvalues<Space>(n, 7, 1, 3), std::vector<double>(n, 1.0),
                       few_eigenvalues<Space>(n, 7, 1, 3, true));
      EXPECT_EQ(outcome.result.iterations, 1);
    }
}

TYPED_TEST(Krylov, TheHostKnowsTheResidualWhenItLooks) {
  using Space = typename TypeParam::Space;
  constexpr int n = 400;
  for (const KrylovMethod method : all_methods) {
    KrylovOptions options;
    options.method = method;
    options.check_every = 10;
    options.max_iterations = 40;
    options.restart = 40;
    options.tolerance = 1e-30;
    const auto before = xp::transfers().scalars_to_host.count;
    const Outcome outcome =
        solve<Space>(options, three_diagonals<Space>(n, -1, 2, -1), std::vector<double>(n, 1.0));
    // Before the first iteration and after 10, 20, 30, 40; of gmres once more what is left then.
    const int looks = method == KrylovMethod::gmres ? 6 : 5;
    EXPECT_EQ(xp::transfers().scalars_to_host.count - before, looks);
    EXPECT_EQ(outcome.result.history.size(), 5u);
    EXPECT_EQ(outcome.result.reason, LinearResult::Reason::too_many_iterations);
  }
}

// Second differences around a ring take constants to zero. The part of the right side that has no
// solution is left out, and what is left is solved.
TYPED_TEST(Krylov, ANullSpaceIsLeftOut) {
  using Space = typename TypeParam::Space;
  constexpr int n = 64;
  constexpr double pi = 3.14159265358979323846;
  const double eigenvalue = 2 - 2 * std::cos(2 * pi * 3 / n);
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i)
    b[static_cast<std::size_t>(i)] = 1 + eigenvalue * std::sin(2 * pi * 3 * i / n);
  for (const KrylovMethod method : all_methods) {
    KrylovOptions options;
    options.method = method;
    const Outcome outcome = solve<Space>(options, three_diagonals<Space>(n, -1, 2, -1, true), b,
                                         few_eigenvalues<Space>(n, 2, 2, 1.5, true), true);
    EXPECT_TRUE(outcome.result.converged());
    EXPECT_NEAR(outcome.result.imbalance, 1 / std::sqrt(1 + 0.5 * eigenvalue * eigenvalue), 1e-10);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(outcome.x[static_cast<std::size_t>(i)], std::sin(2 * pi * 3 * i / n), 1e-8);
  }
}

TYPED_TEST(Krylov, SayHowTheyEnd) {
  using Space = typename TypeParam::Space;
  using Reason = LinearResult::Reason;
  constexpr int n = 40;
  const std::vector<double> ones(n, 1.0);
  for (const int check_every : {1, 4}) {
    KrylovOptions options;
    options.check_every = check_every;
    options.method = KrylovMethod::cg;
    // Eigenvalues 1 and -4.
    EXPECT_EQ(solve<Space>(options, few_eigenvalues<Space>(n, 2, 1, -4), ones).result.reason,
              Reason::indefinite);
    for (const KrylovMethod method : all_methods) {
      options.method = method;
      std::vector<double> b = ones;
      b[3] = std::numeric_limits<double>::quiet_NaN();
      const auto map = three_diagonals<Space>(n, -1, 2, -1);
      EXPECT_EQ(solve<Space>(options, map, b).result.reason, Reason::not_finite);
      EXPECT_EQ(solve<Space>(options, three_diagonals<Space>(n, -1, b[3], -1), ones).result.reason,
                Reason::not_finite);
      const Outcome zero = solve<Space>(options, map, std::vector<double>(n, 0.0));
      EXPECT_TRUE(zero.result.converged());
      EXPECT_EQ(zero.result.iterations, 0);
    }
    // Zero has no inverse, and ones are not in its range.
    options.method = KrylovMethod::gmres;
    EXPECT_EQ(solve<Space>(options, few_eigenvalues<Space>(n, 1, 0, 1), ones).result.reason,
              Reason::stalled);
  }
  KrylovOptions options;
  options.check_every = 0;
  using Solver = xp::Krylov<Space, double>;
  EXPECT_THROW(Solver(n, alone(), options), std::invalid_argument);
}

}  // namespace
