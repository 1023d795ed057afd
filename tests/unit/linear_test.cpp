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
        EXPECT_TRUE(result.converged())
            << c.letters << " " << result.message(options.tolerance, options.max_iterations);
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
    cases.push_back({{100, 37, 53}, letters, {}, 0.2});
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
      EXPECT_TRUE(result.converged()) << result.message(options.tolerance, options.max_iterations);
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

// Sets the coefficients of faces to harmonic means of the cells'.
template <class Problem, class Value>
void set_beta_of_cells(Problem& problem, const Value& beta) {
  problem.op.coefficients = xp::Coefficients::faces;
  const xp::Grid& grid = problem.grid;
  for (int a = 0; a < grid.dimensions(); ++a) {
    const auto axis = static_cast<xp::Axis>(a);
    problem.faces.emplace_back(grid, Problem::info());
    problem.set(problem.faces.back(), grid.faces(axis), -1,
                [&](double x, double y, double z, auto...) {
                  double above[3] = {x, y, z}, below[3] = {x, y, z};
                  below[a] -= grid.spacing(axis);
                  // Beyond a wall is what lies at it, beyond a periodic end what follows.
                  const double size = grid.upper(axis) - grid.lower(axis);
                  if (above[a] > grid.upper(axis))
                    above[a] = grid.periodic(axis) ? above[a] - size : below[a];
                  if (below[a] < grid.lower(axis))
                    below[a] = grid.periodic(axis) ? below[a] + size : above[a];
                  const double b0 = beta(below[0], below[1], below[2]),
                               b1 = beta(above[0], above[1], above[2]);
                  return 2 * b0 * b1 / (b0 + b1);
                });
    problem.op.faces[a] = problem.faces.back().view();
  }
}

// As fast as V-cycles where those are fast, and faster where the first coarse levels do not help.
TYPED_TEST(LinearSolvers, WCycles) {
  using Space = typename TypeParam::Space;
  const auto result_of = [](xp::Cycle cycle, const std::vector<std::int64_t>& cells,
                            xp::LinearMethod method, bool blocks) {
    LinearProblem<Space, double> problem(box_of(cells, "dddddd"), "dddddd", alone());
    if (blocks)
      set_beta_of_cells(problem, [](double x, double y, double z) {
        const auto place = [](double a) { return static_cast<int>(std::floor(5.3 * a)); };
        return ((place(x) + place(y) + place(z)) & 1) != 0 ? 1e4 : 1.0;
      });
    problem.set_noise();
    LinearOptions options;
    options.method = method;
    options.multigrid.cycle = cycle;
    const LinearResult result = problem.solve(options);
    EXPECT_TRUE(result.converged());
    return result;
  };
  for (const std::vector<std::int64_t>& cells :
       {std::vector<std::int64_t>{64, 64}, {127, 100}, {32, 32, 32}})
    EXPECT_LE(slowest(result_of(xp::Cycle::w, cells, xp::LinearMethod::multigrid, false)), 0.05);
  const int v = result_of(xp::Cycle::v, {48, 48, 48}, xp::LinearMethod::cg, true).iterations;
  const int w = result_of(xp::Cycle::w, {48, 48, 48}, xp::LinearMethod::cg, true).iterations;
  EXPECT_LE(w, 0.7 * v);
}

// Full multigrid: one pass leaves less error than the scheme has. A V-cycle from zero does not.
TYPED_TEST(LinearSolvers, OneFullPassReachesTheErrorOfTheScheme) {
  using Space = typename TypeParam::Space;
  const auto wave = [](double x, double y, double) {
    return std::sin(pi * x) * std::sin(2 * pi * y);
  };
  for (const std::int64_t n : {32, 64, 128, 256}) {
    double errors[2];
    for (const auto cycle : {xp::Cycle::v, xp::Cycle::full}) {
      LinearProblem<Space, double> problem(box_of({n, n}, "dddd"), "dddd", alone());
      problem.set_source(
          [&](double x, double y, double z, auto...) { return 5 * pi * pi * wave(x, y, z); });
      LinearOptions options;
      options.multigrid.cycle = cycle;
      options.max_iterations = 1;
      problem.solve(options);
      errors[cycle == xp::Cycle::full] = problem.error(wave).largest;
    }
    // Of the waves' eigenvalues.
    const double h = 1 / static_cast<double>(n);
    const double scheme = 5 * pi * pi / (eigenvalue(pi, h) + eigenvalue(2 * pi, h)) - 1;
    EXPECT_LE(errors[1], 1.3 * scheme) << n;
    EXPECT_GE(errors[0], 3 * scheme) << n;
  }
}

TYPED_TEST(LinearSolvers, ChebyshevFactorsDoNotDependOnTheGrid) {
  using Space = typename TypeParam::Space;
  std::vector<FactorCase> cases;
  for (const std::int64_t n : {16, 32, 64, 128}) cases.push_back({{n, n}, "ddnn", {}, 0.09});
  for (const std::int64_t n : {16, 32, 64}) cases.push_back({{n, n, n}, "dnppdd", {}, 0.12});
  cases.push_back({{45, 45, 45}, "pppppp", {}, 0.2});
  cases.push_back({{64, 64}, "dddd", {1, 10}, 0.2});
  cases.push_back({{500}, "dd", {}, 0.1});
  for (const FactorCase& c : cases) {
    LinearProblem<Space, double> problem(box_of(c.cells, c.letters, c.size), c.letters, alone());
    problem.set_noise();
    if (c.letters.find_first_of("dra") == std::string::npos) problem.subtract_mean();
    LinearOptions options;
    options.multigrid.smoother = xp::Smoother::chebyshev;
    const LinearResult result = problem.solve(options);
    EXPECT_TRUE(result.converged()) << c.letters << " " << c.cells[0];
    EXPECT_LE(slowest(result), c.most) << c.letters << " " << c.cells[0];
  }
}

struct Jumps {
  const char* name;
  std::vector<std::int64_t> cells;
  std::string letters;
  int most;  // iterations
};

// What is reached does not depend on the size of the grid, nor on how large the jump is once it is
// large.
TYPED_TEST(LinearSolvers, CoefficientsThatJump) {
  using Space = typename TypeParam::Space;
  const auto odd = [](double x, double y, double z) {
    return (static_cast<int>(std::floor(x) + std::floor(y) + std::floor(z)) & 1) != 0;
  };
  std::vector<Jumps> cases;
  for (const std::int64_t n : {48, 96, 192}) {
    cases.push_back({"aligned", {n, n}, "dddd", 14});
    cases.push_back({"blocks", {n, n}, "dddd", 18});
    cases.push_back({"layers", {n, n}, "ddpp", 26});
    cases.push_back({"inclusions", {n, n}, "dndn", 26});
  }
  cases.push_back({"blocks", {127, 101}, "dnpp", 42});
  for (const std::int64_t n : {24, 48}) {
    cases.push_back({"aligned", {n, n, n}, "dddddd", 14});
    cases.push_back({"blocks", {n, n, n}, "dddddd", 28});
    cases.push_back({"layers", {n, n, n}, "ppddnn", 14});
    cases.push_back({"inclusions", {n, n, n}, "dnpprd", 30});
  }
  cases.push_back({"blocks", {40, 37, 53}, "dddnpp", 66});
  for (const Jumps& c : cases)
    for (const double jump : {1., 1e2, 1e4, 1e-4}) {
      LinearProblem<Space, double> problem(box_of(c.cells, c.letters), c.letters, alone());
      const bool flat = c.cells.size() == 2;
      if (jump == 1 && c.name != std::string("blocks")) continue;
      set_beta_of_cells(problem, [&](double x, double y, double z) {
        if (flat) z = 0;
        const std::string name = c.name;
        bool inside = false;
        if (name == "aligned") {
          inside = odd(4 * x, 4 * y, 4 * z);
        } else if (name == "blocks") {
          inside = odd(5.3 * x, 5.3 * y, 5.3 * z);
        } else if (name == "layers") {
          inside = odd(7.7 * x, 0, 0);
        } else {
          for (int n = 0; n < 30 && !inside; ++n) {
            const double r = 0.07 + 0.05 * xp_test::noise(3, 0, n);
            const double dx = x - 0.5 - xp_test::noise(0, 0, n);
            const double dy = y - 0.5 - xp_test::noise(1, 0, n);
            const double dz = flat ? 0 : z - 0.5 - xp_test::noise(2, 0, n);
            inside = dx * dx + dy * dy + dz * dz < r * r;
          }
        }
        return inside ? jump : 1;
      });
      problem.set_noise();
      LinearOptions options;
      options.method = xp::LinearMethod::cg;
      options.tolerance = 1e-8;
      const LinearResult result = problem.solve(options);
      EXPECT_TRUE(result.converged()) << c.name << " " << c.cells[0] << " " << jump;
      EXPECT_LE(result.iterations, jump == 1 ? 7 : c.most)
          << c.name << " " << c.cells.size() << "-D " << c.cells[0] << " " << jump;
    }
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
    EXPECT_NE(result.message(options.tolerance, options.max_iterations).find("have to balance"),
              std::string::npos);
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
    EXPECT_EQ(result.message(options.tolerance, options.max_iterations).empty(),
              result.converged());
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

// Half sweeps in waves, by threads or by one, and one after the other; rows in blocks.
TYPED_TEST(LinearSolvers, BackendsGiveTheSameBits) {
  using Space = typename TypeParam::Space;
  const std::vector<std::int64_t> sizes[] = {{70, 52, 41}, {1000, 50, 7}};
  for (const auto& [cells, varies] :
       {std::pair(sizes[0], false), {sizes[0], true}, {sizes[1], false}, {sizes[1], true}}) {
    const auto run = [&, cells = cells, varies = varies]<class Backend>(Backend) {
      LinearProblem<Backend, double> problem(box_of(cells, "dnddrn"), "dnddrn", alone());
      if (varies)
        problem.set_beta([](double x, double y, double z) { return 1 + x * y + 0.5 * z; });
      problem.set_noise();
      LinearResult result = problem.solve({});
      EXPECT_TRUE(result.converged());
      result.history.push_back(problem.sums().sum_square);
      return result.history;
    };
    EXPECT_EQ(run(Space()), run(Kokkos::Serial()));
  }
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
