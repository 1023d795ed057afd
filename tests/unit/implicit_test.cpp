// Implicit time schemes and steady models, as inputs have them.
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <xp/runtime/error.hpp>
#include <xp/time/scheme.hpp>

#include "run_input.hpp"

namespace {

using Status = xp::RunStatus;

class ImplicitHeat : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// What one step makes of u' = -z u with step 1: rational functions of the schemes' definitions.
double factor(const std::string& scheme, double z) {
  if (scheme == "backward_euler") return 1 / (1 + z);
  if (scheme == "crank_nicolson") return (1 - z / 2) / (1 + z / 2);
  if (scheme == "imex") {
    const double g = 1 - std::sqrt(0.5);
    return (1 - (1 - 2 * g) * z) / ((1 + g * z) * (1 + g * z));
  }
  return NAN;
}

TEST_P(ImplicitHeat, AModeDecaysByTheSchemesFactor) {
  // One discrete sine on odd ghost cells is an eigenvector, so that every step multiplies by the
  // same number however large it is: here 40 times the explicit limit.
  const auto& [backend, name] = GetParam();
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [32, 32]}
model: heat
heat: {initial: "sin(pi*x)*sin(2*pi*y)"}
boundary_conditions: {u: {all: {dirichlet: 0}}}
linear_solver: {tolerance: 1e-13}
)yaml";
  const double h = 1. / 32, step = 0.01, pi = M_PI;
  const double rate =
      4 / (h * h) * (std::pow(std::sin(pi * h / 2), 2) + std::pow(std::sin(pi * h), 2));
  const test::Run result =
      test::run(text + fmt::format("time: {{scheme: {}, step: {}, end: 0.05}}\n", name, step),
                {"run.backend=" + backend});
  ASSERT_EQ(result.report.steps, 5);
  double expected = 0;
  if (name == "bdf2") {
    const double z = rate * step;
    double before = 1, now = 1 / (1 + z);
    for (int n = 1; n < 5; ++n) {
      const double next = (4 * now - before) / (3 + 2 * z);
      before = now;
      now = next;
    }
    expected = now;
  } else {
    expected = std::pow(factor(name, rate * step), 5);
  }
  for (int j = 0; j < 32; ++j)
    for (int i = 0; i < 32; ++i)
      EXPECT_NEAR(result.u[static_cast<std::size_t>(32 * j + i)],
                  expected * std::sin(pi * (i + 0.5) * h) * std::sin(2 * pi * (j + 0.5) * h),
                  2e-13);
  EXPECT_EQ(result.report.linear.method, "multigrid");
  EXPECT_EQ(result.report.linear.solves, name == "imex" ? 10 : 5);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitHeat,
                         testing::Combine(testing::ValuesIn(test::backend_names()),
                                          testing::Values("backward_euler", "crank_nicolson",
                                                          "bdf2", "imex")));

class ImplicitOrder : public testing::TestWithParam<std::string> {};

TEST_P(ImplicitOrder, HoldsWithBoundariesAndSourceInTime) {
  // Linear in space, so that the error is that of time alone.
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [4]}
model: heat
heat: {diffusivity: "0.1 + 0*x", initial: "1 + x", source: "-2*(1+x)*sin(2*t)"}
boundary_conditions: {u: {x-: {neumann: "-cos(2*t)"}, x+: {dirichlet: "2*cos(2*t)"}}}
exact: {u: "(1+x)*cos(2*t)"}
)yaml";
  double before = 0;
  for (const int steps : {16, 32, 64, 128}) {
    const test::Run result = test::run(
        text + fmt::format("time: {{scheme: {}, step: 1/{}, end: 1}}\n", GetParam(), steps));
    ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
    const double error = result.report.errors[0].second.l2;
    // Conditions that change with the time bound what Runge-Kutta stages reach: order 2, at least.
    if (before > 0 && steps > 32) {
      if (scheme.order <= 2)
        EXPECT_NEAR(std::log2(before / error), scheme.order, 0.15) << steps;
      else
        EXPECT_GT(std::log2(before / error), 1.9) << steps;
    }
    before = error;
  }
}

TEST_P(ImplicitOrder, IsReachedWithASourceInTime) {
  // du/dt = D laplacian(u) + s(t), in space constant: stages without walls have their full order.
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [8], periodic: x}
model: heat
heat: {initial: "sin(2*pi*x)", source: "(8^2*4*sin(pi/8)^2 - 1)*sin(2*pi*x)*exp(-t)"}
exact: {u: "sin(2*pi*x)*exp(-t)"}
)yaml";
  double before = 0;
  for (const int steps : {64, 128, 256, 512}) {
    const test::Run result = test::run(
        text + fmt::format("time: {{scheme: {}, step: 1/{}, end: 1}}\n", GetParam(), steps),
        {"linear_solver.tolerance=1e-13"});
    ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
    const double error = result.report.errors[0].second.l2;
    // From below, the last ones are nearest to it.
    if (before > 0 && steps > 256) {
      EXPECT_GT(std::log2(before / error), scheme.order - 0.1) << steps;
    }
    before = error;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitOrder,
                         testing::Values("backward_euler", "crank_nicolson", "bdf2", "imex",
                                         "imex3", "adi"));

TEST(Implicit, SmallIncrementsOnALargeBackgroundAreKept) {
  for (const std::string scheme : {"backward_euler", "crank_nicolson", "bdf2", "imex", "imex3"})
    for (const std::string diffusivity : {"1", "1 + x"}) {
      const test::Run result = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [16, 16]}}
model: heat
heat: {{diffusivity: "{}", initial: 297, source: 1e-6}}
boundary_conditions: {{u: {{all: {{neumann: 0}}}}}}
time: {{scheme: {}, step: 1, end: 100}}
)yaml",
                                                     diffusivity, scheme));
      ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
      EXPECT_EQ(result.report.steps, 100);
      // Each solve rounds to a double beside 297 once.
      const double bound = static_cast<double>(result.report.linear.solves) * 0x1p-44;
      for (const double u : result.u) EXPECT_NEAR(u, 297.0001, bound) << scheme;
    }
}

TEST(Implicit, AStateThatStaysNeedsFewIterations) {
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [16, 16]}
model: heat
heat: {initial: "3 + x"}
boundary_conditions: {u: {x-: {neumann: -1}, x+: {neumann: 1}, y: {neumann: 0}}}
time: {scheme: backward_euler, step: 10, end: 100}
)yaml");
  ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
  EXPECT_LE(result.report.linear.iterations, 20);
  for (std::size_t n = 0; n < result.u.size(); ++n)
    EXPECT_NEAR(result.u[n], 3 + (static_cast<double>(n % 16) + 0.5) / 16, 1e-13);
}

TEST(Implicit, HeatIsConserved) {
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [33, 20]}
model: heat
heat: {diffusivity: "if(x < 0.5, 1, 10)", initial: "exp(-50*((x-0.4)^2 + (y-0.5)^2))"}
boundary_conditions: {u: {all: {neumann: 0}}}
time: {step: 0.01, end: 0.2}
)yaml";
  const double first = [&] {
    const test::Run run = test::run(text, {"time.scheme=imex", "time.end=0.0"});
    return run.report.fields[0].second.integral;
  }();
  for (const std::string scheme : {"backward_euler", "crank_nicolson", "bdf2", "imex", "imex3"}) {
    const test::Run result = test::run(text, {"time.scheme=" + scheme});
    ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
    EXPECT_NEAR(result.report.fields[0].second.integral, first, 1e-11) << scheme;
    EXPECT_EQ(result.report.linear.method, "cg");
  }
}

TEST(Implicit, WhatCannotBeSolvedEndsTheRun) {
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [32, 32]}
model: heat
heat: {initial: "sin(pi*x)"}
boundary_conditions: {u: {all: {dirichlet: 0}}}
time: {scheme: backward_euler, step: 0.1, end: 1}
linear_solver: {max_iterations: 1}
)yaml");
  EXPECT_EQ(result.report.status, Status::not_converged);
  EXPECT_EQ(xp::exit_code(result.report.status), 5);
  EXPECT_EQ(result.report.steps, 0);
  EXPECT_NE(result.report.message.find("max_iterations is 1"), std::string::npos)
      << result.report.message;
}

std::string poisson(const std::string& block, const std::string& walls, const std::string& more,
                    const std::string& cells = "[64]") {
  return "xpsim: 1\ngrid: {cells: " + cells + "}\nmodel: poisson\npoisson: {" + block +
         "}\nboundary_conditions: {u: {" + walls + "}}\n" + more;
}

class EveryBackend : public testing::TestWithParam<std::string> {
 protected:
  test::Run run(const std::string& text, std::vector<std::string> overrides = {}) {
    overrides.push_back("run.backend=" + GetParam());
    return test::run(text, overrides);
  }
};

TEST_P(EveryBackend, PoissonWithAVariableCoefficient) {  // ACCEPTANCE 2
  const test::Run result =
      run(poisson("coefficient: 1 + x", "x-: {dirichlet: 0}, x+: {dirichlet: 1}",
                  "exact: {u: log(1+x)/log(2)}\n"));
  ASSERT_EQ(result.report.status, Status::converged) << result.report.message;
  EXPECT_NEAR(0.5 * (result.u[31] + result.u[32]), std::log(1.5) / std::log(2.0), 2e-5);
  // The flux is the same at every face; harmonic means are those of resistances in series.
  for (int i = 0; i < 63; ++i) {
    const double left = 1 + (i + 0.5) / 64, right = 1 + (i + 1.5) / 64;
    const double flux =
        2 * left * right / (left + right) * 64 *
        (result.u[static_cast<std::size_t>(i) + 1] - result.u[static_cast<std::size_t>(i)]);
    EXPECT_NEAR(flux, 1 / std::log(2.0), 2e-4);
  }
}

TEST_P(EveryBackend, PoissonHasTheErrorOfTheFivePointScheme) {  // ACCEPTANCE 3
  for (const int n : {32, 64, 128}) {
    const test::Run result = run(poisson("source: 2*pi^2*sin(pi*x)*sin(pi*y)",
                                         "all: {dirichlet: 0}", "", fmt::format("[{0}, {0}]", n)));
    ASSERT_EQ(result.report.status, Status::converged) << result.report.message;
    const double excess = std::pow(M_PI / (2 * n) / std::sin(M_PI / (2 * n)), 2);
    EXPECT_NEAR(excess - 1, n == 32 ? 8.0358e-4 : n == 64 ? 2.0082e-4 : 5.0201e-5, 1e-8);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(result.u[static_cast<std::size_t>(j * n + i)],
                    excess * std::sin(M_PI * (i + 0.5) / n) * std::sin(M_PI * (j + 0.5) / n), 1e-9);
  }
}

TEST_P(EveryBackend, PoissonWithoutGivenValuesHasZeroMean) {  // ACCEPTANCE 4
  const test::Run result = run(poisson("source: cos(2*pi*x)", "all: {neumann: 0}", "", "[64, 16]"));
  ASSERT_EQ(result.report.status, Status::converged) << result.report.message;
  const double factor = std::pow(M_PI / 64 / std::sin(M_PI / 64), 2) / (4 * M_PI * M_PI);
  for (int i = 0; i < 64; ++i)
    EXPECT_NEAR(result.u[static_cast<std::size_t>(i)], factor * std::cos(2 * M_PI * (i + 0.5) / 64),
                1e-10);
  EXPECT_NEAR(result.report.fields[0].second.mean, 0, 1e-15);
}

TEST_P(EveryBackend, PoissonWithReaction) {
  const test::Run result =
      run(poisson("coefficient: 2, reaction: 1 + x, source: (1+x)*(3 - y)",
                  "x: {neumann: 0}, y-: {dirichlet: 3}, y+: {neumann: -1}", "", "[24, 40]"));
  ASSERT_EQ(result.report.status, Status::converged) << result.report.message;
  for (int j = 0; j < 40; ++j)
    EXPECT_NEAR(result.u[static_cast<std::size_t>(24 * j)], 3 - (j + 0.5) / 40, 1e-9);
  EXPECT_EQ(result.report.linear.method, "cg");
}

TEST_P(EveryBackend, PoissonInFloat) {
  const test::Run result = run(poisson("source: 1", "all: {dirichlet: 0}", ""),
                               {"run.precision=float", "linear_solver.tolerance=1e-5"});
  ASSERT_EQ(result.report.status, Status::converged) << result.report.message;
  for (int i = 0; i < 64; ++i) {
    const double x = (i + 0.5) / 64;
    // Second differences of a parabola are exact, its odd reflection at a wall is off by h^2/8.
    EXPECT_NEAR(result.u[static_cast<std::size_t>(i)], x * (1 - x) / 2 + 1. / (8 * 64 * 64), 3e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryBackend, testing::ValuesIn(test::backend_names()));

struct Ending {
  std::string block, walls, more;
  Status status;
  std::string message;
};

TEST(Poisson, EndsWithAMessageWhenItIsNotSolved) {
  const std::vector<Ending> endings = {
      {"source: 1", "all: {neumann: 0}", "", Status::not_converged, "there is no solution"},
      {"source: 0", "x-: {neumann: 0}, x+: {neumann: 1}, y: {neumann: 0}", "",
       Status::not_converged, "there is no solution"},
      {"source: 1", "all: {dirichlet: 0}", "linear_solver: {tolerance: 1e-30}\n",
       Status::not_converged, "below what rounding lets it reach"},
      {"source: 1", "all: {dirichlet: 0}", "linear_solver: {max_iterations: 1, tolerance: 1e-14}\n",
       Status::not_converged, "linear_solver.max_iterations is 1"},
  };
  for (const Ending& ending : endings) {
    const test::Run result =
        test::run(poisson(ending.block, ending.walls, ending.more, "[32, 32]"));
    EXPECT_EQ(result.report.status, ending.status) << ending.block;
    EXPECT_NE(result.report.message.find(ending.message), std::string::npos)
        << result.report.message;
  }
}

TEST(Poisson, RefusesWhatHasNoSolution) {
  const std::pair<std::string, std::string> wrong[] = {
      {"coefficient: 0", "poisson.coefficient is not positive everywhere"},
      {"coefficient: \"x - 0.5\"", "poisson.coefficient is not positive everywhere"},
      {"coefficient: 1/x/0", "poisson.coefficient is not a finite number everywhere"},
      {"reaction: -1", "poisson.reaction is negative somewhere"},
      {"source: log(x - 0.5)", "poisson.source is not a finite number everywhere"}};
  for (const auto& [block, message] : wrong) {
    try {
      test::run(poisson(block, "all: {dirichlet: 0}", ""));
      ADD_FAILURE() << block;
    } catch (const xp::Error& error) {
      EXPECT_EQ(error.kind(), xp::ErrorKind::input);
      EXPECT_EQ(error.diagnostics()[0].message, message);
    }
  }
}

// Equations with implicit parts.

class ImplicitEquations : public testing::TestWithParam<std::string> {};

TEST_P(ImplicitEquations, ModesChangeByTheSchemesFactor) {
  // The same mode as of heat, with a source that is linear in the field: backward Euler, 20 times
  // the explicit limit.
  for (const std::string method : {"bicgstab", "gmres", "cg"}) {
    const test::Run result = test::run(
        R"yaml(
xpsim: 1
grid: {cells: [24, 32]}
fields: {u: "sin(pi*x)*sin(2*pi*y)"}
equations: {u: "laplacian(u) - 3*u"}
boundary_conditions: {u: {all: {dirichlet: 0}}}
time: {scheme: backward_euler, step: 0.01, end: 0.04}
linear_solver: {tolerance: 1e-12}
)yaml",
        {"run.backend=" + GetParam(), "linear_solver.method=" + method});
    ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
    const double rate = 4 * 24 * 24 * std::pow(std::sin(M_PI / 48), 2) +
                        4 * 32 * 32 * std::pow(std::sin(M_PI / 32), 2) + 3;
    const double expected = std::pow(1 / (1 + 0.01 * rate), 4);
    for (int j = 0; j < 32; ++j)
      for (int i = 0; i < 24; ++i)
        EXPECT_NEAR(
            result.u[static_cast<std::size_t>(24 * j + i)],
            expected * std::sin(M_PI * (i + 0.5) / 24) * std::sin(2 * M_PI * (j + 0.5) / 32),
            1e-12);
    EXPECT_EQ(result.report.linear.method, method);
  }
}

TEST_P(ImplicitEquations, BiharmonicModesOfAnySize) {
  // u_t = -laplacian(laplacian(u)), periodic: 1000 times the explicit limit h^4/32.
  const double h = 1. / 16, step = 1000 * h * h * h * h / 32;
  const test::Run result = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [16, 16], periodic: [x, y]}}
fields: {{u: "sin(2*pi*x)*cos(4*pi*y)"}}
equations: {{u: {{implicit: "-laplacian(laplacian(u))"}}}}
time: {{scheme: imex, step: {0}, end: 3*({0})}}
linear_solver: {{tolerance: 1e-12}}
)yaml",
                                                 step),
                                     {"run.backend=" + GetParam()});
  ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
  ASSERT_EQ(result.report.steps, 3);
  const double k2 =
      4 / (h * h) * (std::pow(std::sin(M_PI * h), 2) + std::pow(std::sin(2 * M_PI * h), 2));
  const double expected = std::pow(factor("imex", k2 * k2 * step), 3);
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i)
      EXPECT_NEAR(
          result.u[static_cast<std::size_t>(16 * j + i)],
          expected * std::sin(2 * M_PI * (i + 0.5) * h) * std::cos(4 * M_PI * (j + 0.5) * h),
          1e-11);
  // Two multigrid cycles are nearly its inverse, however fine the grid.
  EXPECT_LE(result.report.linear.iterations, 6 * 20);
}

TEST_P(ImplicitEquations, MassIsKept) {
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [32, 32], upper: [32, 32], periodic: [x, y]}
fields: {c: "0.3 + 0.1*uniform(-1, 1)"}
equations:
  c: {explicit: "laplacian(c^3 - 3*c)", implicit: "2*laplacian(c) - laplacian(laplacian(c))"}
time: {scheme: imex, step: 3, end: 60}
output: {series: {every: "1 steps", columns: {mass: mean(c)}}}
verify:
  - {name: mass, expression: "abs(mean(c) - 0.3) < 1e-2"}
)yaml",
                                     {"run.backend=" + GetParam()});
  ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
  const test::Run start = test::run(R"yaml(
xpsim: 1
grid: {cells: [32, 32], upper: [32, 32], periodic: [x, y]}
fields: {c: "0.3 + 0.1*uniform(-1, 1)"}
equations: {c: 0}
time: {end: 0}
)yaml");
  EXPECT_NEAR(result.report.fields[0].second.mean, start.report.fields[0].second.mean, 1e-13);
  EXPECT_GT(result.report.fields[0].second.max, 0.8);
}

INSTANTIATE_TEST_SUITE_P(Backends, ImplicitEquations, testing::ValuesIn(test::backend_names()));

TEST_P(ImplicitOrder, OfEquationsInTwoParts) {
  if (GetParam() == "adi") GTEST_SKIP() << "for heat only";
  // u' = -u^3 + 4v, v' = -v + (cubed cosine and sine that make (cos t, sin t/4) the solution): one
  // part nonlinear and implicit, both fields coupled.
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [4], periodic: x}
fields: {u: 1, v: 0}
equations:
  u: {explicit: "cos(t)^3 - 2*sin(t) + u*0", implicit: "-u^3 + 4*v"}
  v: {explicit: "cos(t)/4 + sin(t)/2 - v", implicit: "-v"}
exact: {u: cos(t), v: sin(t)/4}
linear_solver: {tolerance: 1e-13}
)yaml";
  double before = 0;
  for (const int steps : {40, 80, 160, 320}) {
    const test::Run result = test::run(
        text + fmt::format("time: {{scheme: {}, step: 1/{}, end: 1}}\n", GetParam(), steps));
    ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
    const double error = result.report.errors[0].second.l2;
    if (before > 0 && steps > 80) {
      EXPECT_NEAR(std::log2(before / error), scheme.order, 0.12) << steps;
    }
    before = error;
  }
}

TEST(ImplicitEquationsOnce, StepsAreLimitedByTheExplicitPart) {
  // Explicit diffusion that the implicit part damps twice over has no limit, one half of all has.
  const auto limit = [](const std::string& plain, const std::string& stiff) {
    double result = 0;
    test::run(
        "xpsim: 1\ngrid: {cells: [32], periodic: x}\nfields: {u: sin(2*pi*x)}\n"
        "equations: {u: {explicit: \"" +
            plain + "\", implicit: \"" + stiff + "\"}}\ntime: {scheme: backward_euler, end: 0}\n",
        {}, xp::builtin_models(),
        [&](xp::Simulation& simulation) { result = simulation.forecast().stable_step; });
    return result;
  };
  // |1 - z e| <= 1 + z i for z = 4 dt/h^2: dt = h^2/2 / (e - i).
  const double h = 1. / 32;
  EXPECT_NEAR(limit("dxx(u)", "0"), h * h / 2, 1e-3 * h * h);
  EXPECT_NEAR(limit("0.75*dxx(u)", "0.25*dxx(u)"), h * h, 2e-3 * h * h);
  EXPECT_EQ(limit("0.5*dxx(u)", "dxx(u)"), INFINITY);
  EXPECT_EQ(limit("1 + x", "dxx(u)"), INFINITY);
}

TEST_P(ImplicitEquations, WavesTurnByTheSchemesAngle) {
  // u_tt = u_xx as two equations, neither of which multigrid knows. Crank-Nicolson turns a mode of
  // frequency w by 2 atan(w h/2) and keeps its size; the step is 24 times that of the shortest
  // wave.
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [48], periodic: x}
fields: {u: "sin(2*pi*x)", v: 0}
equations: {u: v, v: "laplacian(u)"}
time: {scheme: crank_nicolson, step: 0.25, end: 2.5}
linear_solver: {tolerance: 1e-12}
)yaml",
                                     {"run.backend=" + GetParam()});
  ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
  const double w = 96 * std::sin(M_PI / 48), angle = 10 * 2 * std::atan(w * 0.125);
  for (int i = 0; i < 48; ++i)
    EXPECT_NEAR(result.u[static_cast<std::size_t>(i)],
                std::cos(angle) * std::sin(2 * M_PI * (i + 0.5) / 48), 1e-9);
  EXPECT_NE(result.report.linear.why.find("a factorised matrix, for multigrid"), std::string::npos);
  EXPECT_LE(result.report.linear.iterations, 10 * 8);
}

TEST_P(ImplicitEquations, AMatrixKnowsCoefficientsThatVary) {
  // Half conducts 10^4 times better: to multigrid it is the mean, and of no use. Nothing goes
  // through the walls, so that the integral changes by the scheme's factor.
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [40, 30]}
fields: {u: "1 + x*y"}
equations: {u: "div(if(x < 0.5, 10, 1e-3)*grad(u)) - u"}
boundary_conditions: {u: {all: {neumann: 0}}}
time: {scheme: backward_euler, step: 0.1, end: 0.3}
)yaml";
  const test::Run result = test::run(text, {"run.backend=" + GetParam()});
  ASSERT_EQ(result.report.status, Status::completed) << result.report.message;
  EXPECT_NEAR(result.report.fields[0].second.mean, 1.25 / std::pow(1.1, 3), 1e-9);
  EXPECT_LE(result.report.linear.iterations, 3 * 24);
  EXPECT_EQ(test::run(text, {"run.backend=" + GetParam(), "linear_solver.preconditioner=multigrid"})
                .report.status,
            Status::not_converged);
}

TEST(ImplicitEquationsOnce, AMatrixWithoutDiagonalEndsTheRun) {
  // v - 0.1 (10 v + dv/dx) has none.
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [16], periodic: x}
fields: {u: "sin(2*pi*x)"}
equations: {u: "10*u + dx(u)"}
time: {scheme: backward_euler, step: 0.1, end: 0.2}
)yaml");
  EXPECT_EQ(result.report.status, Status::not_converged);
  EXPECT_NE(result.report.message.find("the diagonal of row 0 is zero"), std::string::npos)
      << result.report.message;
}

TEST(ImplicitEquationsOnce, NewtonSaysWhenItFails) {
  const test::Run result = test::run(R"yaml(
xpsim: 1
grid: {cells: [4], periodic: x}
fields: {u: 1}
equations: {u: "u^2 + 1"}
time: {scheme: backward_euler, step: 10, end: 20}
)yaml");
  EXPECT_EQ(result.report.status, Status::not_converged);
  EXPECT_NE(result.report.message.find("a smaller time.step"), std::string::npos)
      << result.report.message;
}

}  // namespace
