// Multigrid and conjugate gradients for elliptic problems: discrete-exact solutions, convergence
// factors that do not depend on the grid, and what has no solution.
#include <gtest/gtest.h>

#include <algorithm>

#include "linear_testing.hpp"
#include "operators_testing.hpp"

namespace {

using xp::LinearOptions;
using xp::LinearResult;
using xp_test::box_of;
using xp_test::LinearProblem;
constexpr double pi = 3.14159265358979323846;

const xp::Communicator& alone() {
  static const xp::Communicator communicator(MPI_COMM_SELF);
  return communicator;
}

double slowest(const LinearResult& result) {
  double factor = 0;
  for (std::size_t n = 1; n < result.history.size(); ++n)
    factor = std::max(factor, result.history[n] / result.history[n - 1]);
  return factor;
}

// Minus the second difference of a wave sin(k x) at cell centres is this much times it.
double eigenvalue(double k, double h) {
  const double s = std::sin(0.5 * k * h);
  return 4 * s * s / (h * h);
}

TEST(LevelAxis, CellsOfAnyNumberFillTheAxis) {
  for (int n = 1; n <= 70; ++n) {
    xp::LevelAxis axis(n, 0.5, {}, {});
    while (true) {
      double sum = 0, widest = 0, narrowest = 1e9;
      for (int c = 0; c < axis.cells(); ++c) {
        sum += axis.width(c);
        widest = std::max(widest, axis.width(c));
        narrowest = std::min(narrowest, axis.width(c));
      }
      EXPECT_DOUBLE_EQ(sum, 0.5 * n);
      EXPECT_LE(widest, 2 * narrowest);
      if (!axis.can_be_coarsened()) break;
      // Every coarse cell is as wide as its children together.
      const xp::LevelAxis coarse = axis.coarsened();
      std::vector<double> widths(static_cast<std::size_t>(coarse.cells()), 0);
      for (int c = 0; c < axis.cells(); ++c)
        widths[static_cast<std::size_t>(axis.parent(c))] += axis.width(c);
      for (int c = 0; c < coarse.cells(); ++c)
        EXPECT_DOUBLE_EQ(widths[static_cast<std::size_t>(c)], coarse.width(c));
      axis = coarse;
    }
    EXPECT_EQ(axis.cells(), 1);
  }
}

TEST(LevelAxis, InterpolationIsExactForWhatIsLinear) {
  const auto center = [](const xp::LevelAxis& axis, std::int64_t cell) {
    double start = 0;
    for (std::int64_t c = 0; c < cell; ++c) start += axis.width(c);
    return start + 0.5 * axis.width(cell);
  };
  for (const int n : {4, 7, 12, 13, 37, 64}) {
    // Zero at both walls, with a slope of one at the lower one and of minus one at the upper.
    const xp::AxisEnd wall{false, false, 1, 0};
    xp::LevelAxis axis(n, 1, wall, wall);
    for (; axis.cells() >= 4; axis = axis.coarsened()) {
      const xp::LevelAxis coarse = axis.coarsened();
      for (std::int64_t c = 0; c < axis.cells(); ++c) {
        const auto weights = axis.weights(c);
        const std::int64_t own = axis.parent(c), other = c == 2 * own ? own - 1 : own + 1;
        const double from_below = center(axis, c), from_above = n - from_below;
        if (other >= 0 && other < coarse.cells())
          EXPECT_NEAR(weights.near * center(coarse, own) + weights.far * center(coarse, other),
                      from_below, 1e-12);
        else if (other < 0)
          EXPECT_NEAR(weights.near * center(coarse, own), from_below, 1e-12);
        else
          EXPECT_NEAR(weights.near * (n - center(coarse, own)), from_above, 1e-12);
      }
    }
  }
}

TEST(LevelAxis, LinksOfWalls) {
  const xp::LevelAxis axis(8, 0.25, {false, false, 1, 0}, {false, false, 3, 2});
  EXPECT_DOUBLE_EQ(axis.link(0), 8);
  EXPECT_DOUBLE_EQ(axis.link(3), 4);
  EXPECT_DOUBLE_EQ(axis.link(8), 3 / (3 * 0.125 + 2));
  EXPECT_EQ(xp::LevelAxis(8, 0.25, {}, {}).link(0), 0);
}

template <class Kind>
class LinearSolvers : public testing::Test {};
TYPED_TEST_SUITE(LinearSolvers, xp_test::DoubleKinds);

// Waves that meet the conditions are eigenvectors of the difference operator.
TYPED_TEST(LinearSolvers, GiveWhatIsKnownExactly) {
  using Space = typename TypeParam::Space;
  struct Case {
    std::string letters;
    double k, l;  // along x, y
    bool cosine_x, cosine_y;
  };
  for (const Case& c :
       {Case{"dddd", pi, 2 * pi, false, false}, Case{"nnnn", pi, pi, true, true},
        Case{"ddpp", 2 * pi, 4 * pi, false, true}, Case{"aapp", pi, 2 * pi, false, false},
        Case{"nndd", 2 * pi, pi, true, false}})
    for (const auto method : {xp::LinearMethod::multigrid, xp::LinearMethod::cg})
      for (const double alpha : {0.0, 7.0}) {
        const std::vector<std::int64_t> cells{37, 50};
        LinearProblem<Space, double> problem(box_of(cells, c.letters), c.letters, alone());
        problem.op.alpha = alpha;
        problem.op.beta = 3;
        const auto wave = [&](double x, double y, double) {
          return (c.cosine_x ? std::cos(c.k * x) : std::sin(c.k * x)) *
                 (c.cosine_y ? std::cos(c.l * y) : std::sin(c.l * y));
        };
        const double factor = alpha + 3 * (eigenvalue(c.k, 1. / 37) + eigenvalue(c.l, 1. / 50));
        problem.set_source(
            [&](double x, double y, double z, auto...) { return factor * wave(x, y, z); });
        LinearOptions options;
        options.method = method;
        options.tolerance = 1e-12;
        const LinearResult result = problem.solve(options);
        EXPECT_TRUE(result.converged()) << c.letters << " " << result.message(options);
        EXPECT_LE(problem.error(wave).largest, 1e-11) << c.letters;
      }
}

// Errors of the five-point scheme for -laplacian(u) = 2 pi^2 sin(pi x) sin(pi y), and the factor of
// V(2,1) that does not depend on the spacing.
TYPED_TEST(LinearSolvers, PoissonEquationHasItsErrors) {
  using Space = typename TypeParam::Space;
  const std::pair<int, double> known[] = {{32, 8.0358e-4}, {64, 2.0082e-4}, {128, 5.0201e-5}};
  for (const auto& [n, error] : known) {
    LinearProblem<Space, double> problem(box_of({n, n}, "dddd"), "dddd", alone());
    const auto wave = [](double x, double y, double) {
      return std::sin(pi * x) * std::sin(pi * y);
    };
    problem.set_source(
        [&](double x, double y, double z, auto...) { return 2 * pi * pi * wave(x, y, z); });
    LinearOptions options;
    options.multigrid.after = 1;
    const LinearResult result = problem.solve(options);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(slowest(result), 0.12);
    EXPECT_NEAR(
        problem.error([&](double x, double y, double z) { return (1 + error) * wave(x, y, z); })
            .largest,
        0, 1e-4 * error);
  }
}

struct FactorCase {
  std::vector<std::int64_t> cells;
  std::string letters;
  std::vector<double> size;
  double most;
};

TYPED_TEST(LinearSolvers, FactorsDoNotDependOnTheGrid) {
  using Space = typename TypeParam::Space;
  std::vector<FactorCase> cases;
  for (const char* letters : {"dddd", "nnnn", "pppp", "rrdn", "aapp"})
    for (const std::int64_t n : {16, 32, 64, 128}) cases.push_back({{n, n}, letters, {}, 0.055});
  for (const char* letters : {"dddddd", "nnnnnn", "pppppp", "dnpprd"})
    for (const std::int64_t n : {16, 32}) cases.push_back({{n, n, n}, letters, {}, 0.055});
  // Odd numbers, and odd periodic ones, where two red cells meet.
  for (const char* letters : {"dddddd", "nnnnnn", "pppppp", "rnppdd"})
    cases.push_back({{50, 37, 53}, letters, {}, 0.2});
  cases.push_back({{45, 45, 45}, "pppppp", {}, 0.15});
  cases.push_back({{127, 129}, "dddd", {}, 0.12});
  // Cells a hundred times longer than wide, and everything between.
  for (const double aspect : {1.4, 1.6, 3., 10., 100.})
    cases.push_back({{64, 64}, "dddd", {1, aspect}, 0.2});
  cases.push_back({{32, 32, 32}, "dndnpp", {1, 30, 100}, 0.2});
  cases.push_back({{32, 32, 32}, "dddddd", {1, 1, 100}, 0.06});
  cases.push_back({{1000}, "dd", {}, 0.25});
  cases.push_back({{3, 2}, "dnpp", {}, 0.2});
  cases.push_back({{1}, "dd", {}, 0.2});
  for (const FactorCase& c : cases) {
    LinearProblem<Space, double> problem(box_of(c.cells, c.letters, c.size), c.letters, alone());
    problem.set_noise();
    if (c.letters.find_first_of("dra") == std::string::npos) problem.subtract_mean();
    const LinearResult result = problem.solve({});
    EXPECT_TRUE(result.converged()) << c.letters << " " << c.cells[0];
    EXPECT_LE(slowest(result), c.most) << c.letters << " " << c.cells[0];
  }
}

TYPED_TEST(LinearSolvers, CoefficientsThatVary) {
  using Space = typename TypeParam::Space;
  const auto beta = [](double x, double y, double z) {
    return 1 + 0.9 * std::sin(2 * pi * x) * std::sin(2 * pi * y) * std::cos(2 * pi * z);
  };
  for (const auto method : {xp::LinearMethod::multigrid, xp::LinearMethod::cg})
    for (const bool reacts : {false, true}) {
      LinearProblem<Space, double> problem(box_of({32, 29, 24}, "ddnnpp"), "ddnnpp", alone());
      problem.set_beta(beta);
      if (reacts) problem.set_reaction([](double x, double, double) { return 50 * x; });
      problem.set_noise();
      LinearOptions options;
      options.method = method;
      const LinearResult result = problem.solve(options);
      EXPECT_TRUE(result.converged()) << result.message(options);
      EXPECT_LE(result.iterations, 16);
    }
  // One that is the same everywhere is a number.
  LinearProblem<Space, double> constant(box_of({20, 30}, "ddrr"), "ddrr", alone()),
      array(box_of({20, 30}, "ddrr"), "ddrr", alone());
  constant.op.beta = 2.5;
  array.set_beta([](double, double, double) { return 2.5; });
  constant.set_noise();
  array.set_noise();
  constant.solve({});
  array.solve({});
  EXPECT_NEAR(constant.sums().sum_square / array.sums().sum_square, 1, 1e-8);
}

TYPED_TEST(LinearSolvers, WithoutAWallValueTheSourceHasToBalance) {
  using Space = typename TypeParam::Space;
  for (const auto method : {xp::LinearMethod::multigrid, xp::LinearMethod::cg}) {
    LinearOptions options;
    options.method = method;
    LinearProblem<Space, double> problem(box_of({40, 20}, "nnnn"), "nnnn", alone());
    const auto wave = [](double x, double, double) {
      return std::cos(2 * pi * x) / eigenvalue(2 * pi, 1. / 40);
    };
    problem.set_source([](double x, auto...) { return std::cos(2 * pi * x); });
    EXPECT_TRUE(problem.solve(options).converged());
    EXPECT_LE(problem.error(wave).largest, 1e-11);
    EXPECT_LE(std::abs(problem.sums().sum), 1e-12);

    LinearProblem<Space, double> wrong(box_of({40, 20}, "nnpp"), "nnpp", alone());
    wrong.set_source([](auto...) { return 1.0; });
    const LinearResult result = wrong.solve(options);
    EXPECT_EQ(result.reason, LinearResult::Reason::incompatible);
    EXPECT_NE(result.message(options).find("have to balance"), std::string::npos);
    EXPECT_EQ(wrong.sums().largest, 0);
  }
}

TYPED_TEST(LinearSolvers, SayWhyTheyStop) {
  using Space = typename TypeParam::Space;
  using Reason = LinearResult::Reason;
  const auto reason = [](const LinearOptions& options, double alpha, double source) {
    LinearProblem<Space, double> problem(box_of({24, 24}, "dddd"), "dddd", alone());
    problem.op.alpha = alpha;
    problem.set_source([&](double x, double y, auto...) { return source + x * y; });
    const LinearResult result = problem.solve(options);
    EXPECT_EQ(result.message(options).empty(), result.converged());
    return result.reason;
  };
  LinearOptions cg, short_one, exact;
  cg.method = xp::LinearMethod::cg;
  short_one.max_iterations = 2;
  exact.tolerance = 1e-30;
  EXPECT_EQ(reason(cg, 0, 1), Reason::converged);
  EXPECT_EQ(reason(cg, -300, 1), Reason::indefinite);
  EXPECT_EQ(reason({}, 0, NAN), Reason::not_finite);
  EXPECT_EQ(reason(cg, 0, NAN), Reason::not_finite);
  EXPECT_EQ(reason(short_one, 0, 1), Reason::too_many_iterations);
  EXPECT_EQ(reason(exact, 0, 1), Reason::stalled);
  LinearProblem<Space, double> nothing(box_of({24, 24}, "dddd"), "dddd", alone());
  const LinearResult result = nothing.solve({});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 0);
}

// Right sides of any size, with cycles in float and in double; fields in float.
TYPED_TEST(LinearSolvers, SizesAndPrecisions) {
  using Space = typename TypeParam::Space;
  for (const double size : {1e-200, 1e-30, 1.0, 1e30, 1e200})
    for (const bool mixed : {true, false}) {
      LinearProblem<Space, double> problem(box_of({32, 32}, "dddd"), "dddd", alone());
      const auto wave = [](double x, double y, double) {
        return std::sin(pi * x) * std::sin(pi * y);
      };
      const double factor = size * 2 * eigenvalue(pi, 1. / 32);
      problem.set_source(
          [&](double x, double y, double z, auto...) { return factor * wave(x, y, z); });
      LinearOptions options;
      options.mixed = mixed;
      EXPECT_TRUE(problem.solve(options).converged()) << size;
      const auto expected = [&](double x, double y, double z) { return size * wave(x, y, z); };
      EXPECT_LE(problem.error(expected).largest, 1e-9 * size);
    }
  LinearProblem<Space, float> problem(box_of({32, 32}, "dddd"), "dddd", alone());
  problem.set_noise();
  LinearOptions options;
  options.tolerance = 1e-4;
  EXPECT_TRUE(problem.solve(options).converged());
}

}  // namespace
