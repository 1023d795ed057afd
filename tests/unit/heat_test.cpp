// The heat model against discrete-exact and exact solutions, and its step limit (ACCEPTANCE 1, 2,
// 5). Its orders of accuracy are in heat_orders_test.cpp.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <xp/runtime/error.hpp>

#include "run_input.hpp"

namespace {

using std::numbers::pi;

class OnEveryBackend : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string backend() const { return std::get<0>(GetParam()); }
  std::string precision() const { return std::get<1>(GetParam()); }
  bool is_double() const { return precision() == "double"; }
  std::vector<std::string> on_backend(std::vector<std::string> overrides) const {
    overrides.push_back("run.backend=" + backend());
    overrides.push_back("run.precision=" + precision());
    return overrides;
  }
  test::Run run(const std::string& text, std::vector<std::string> overrides = {}) const {
    return test::run(text, on_backend(std::move(overrides)));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, OnEveryBackend,
                         testing::Combine(testing::ValuesIn(test::backend_names()),
                                          testing::Values("double", "float")));

TEST_P(OnEveryBackend, ModeDecaysAtTheDiscreteRate) {  // ACCEPTANCE 1
  const int cells = 64, steps = 200;
  const test::Run result = run(R"yaml(
xpsim: 1
grid: {cells: [64]}
model: heat
heat: {initial: "sin(pi*x)"}
boundary_conditions: {u: {all: {dirichlet: 0}}}
time: {scheme: euler, step: 1e-4, end: 0.02}
exact: {u: "exp(-pi^2*t)*sin(pi*x)"}
)yaml");
  EXPECT_EQ(result.report.steps, steps);
  const double h = 1.0 / cells, rate = 4 / (h * h) * std::pow(std::sin(pi * h / 2), 2);
  EXPECT_NEAR(rate, 9.867623, 1e-6);
  const double factor = std::pow(1 - 1e-4 * rate, steps);
  for (int i = 0; i < cells; ++i)
    EXPECT_NEAR(result.u[i], factor * std::sin(pi * (i + 0.5) * h), is_double() ? 1e-13 : 2e-6);
}

TEST_P(OnEveryBackend, ModesInThreeDimensionsWithUnequalSpacings) {
  const test::Run result = run(R"yaml(
xpsim: 1
grid: {lower: [-1, 0, 2], upper: [1, 3, 3], cells: [12, 10, 8], periodic: [x]}
model: heat
heat: {diffusivity: 0.5, initial: "cos(pi*x)*sin(pi*y/3)*cos(pi*(z-2))"}
boundary_conditions: {u: {y: {dirichlet: 0}, z: {neumann: 0}}}
time: {scheme: euler, step: 1e-3, end: 0.05}
)yaml");
  const auto eigenvalue = [](double k, double h) {
    return 4 / (h * h) * std::pow(std::sin(k * h / 2), 2);
  };
  const double rate =
      0.5 * (eigenvalue(pi, 2. / 12) + eigenvalue(pi / 3, 0.3) + eigenvalue(pi, 1. / 8));
  const double factor = std::pow(1 - 1e-3 * rate, 50);
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 10; ++j)
      for (int i = 0; i < 12; ++i)
        EXPECT_NEAR(result.u[(k * 10 + j) * 12 + i],
                    factor * std::cos(pi * (-1 + (i + 0.5) / 6)) * std::sin(pi * (j + 0.5) / 10) *
                        std::cos(pi * (k + 0.5) / 8),
                    is_double() ? 1e-13 : 2e-6);
}

TEST_P(OnEveryBackend, VariableDiffusivityIsNotTheLaplacianTimesIt) {  // ACCEPTANCE 2
  const test::Run result =
      run(R"yaml(
xpsim: 1
grid: {cells: [64]}
model: heat
heat: {diffusivity: "1 + x", initial: x}
boundary_conditions: {u: {x-: {dirichlet: 0}, x+: {dirichlet: 1}}}
time: {scheme: ssprk2, max_steps: 200000}
convergence: {tolerance: 1e-9, check_every: 500}
)yaml",
          {is_double() ? "convergence.tolerance=1e-9" : "convergence.tolerance=3e-3"});
  EXPECT_EQ(result.report.status, xp::RunStatus::converged) << result.report.message;
  const double middle = 0.5 * (result.u[31] + result.u[32]);
  EXPECT_NEAR(middle, std::log(1.5) / std::log(2.0), is_double() ? 2e-5 : 1e-3);
  // The flux is the same everywhere; the first half cell's is 2 (u - 0)/h at the wall, where D = 1.
  if (is_double()) {
    EXPECT_NEAR(result.u[0] * 2 * 64, 1 / std::log(2.0), 1e-2);
  }
}

TEST_P(OnEveryBackend, HarmonicMeanCarriesTheFluxThroughAJump) {
  // Layers of D = 1 and D = 9 between 0 and 1: the exact solution is piecewise linear with flux
  // 1/(0.5/1 + 0.5/9), and the scheme with harmonic means has it at the cell centres.
  const test::Run result =
      run(R"yaml(
xpsim: 1
grid: {cells: [16]}
model: heat
heat: {diffusivity: "if(x < 0.5, 1, 9)", initial: x}
boundary_conditions: {u: {x-: {dirichlet: 0}, x+: {dirichlet: 1}}}
time: {scheme: ssprk3, max_steps: 200000}
convergence: {tolerance: 1e-10, check_every: 200}
)yaml",
          {is_double() ? "convergence.tolerance=1e-10" : "convergence.tolerance=1e-3"});
  EXPECT_EQ(result.report.status, xp::RunStatus::converged) << result.report.message;
  const double flux = 1 / (0.5 + 0.5 / 9);
  for (int i = 0; i < 16; ++i) {
    const double x = (i + 0.5) / 16, exact = x < 0.5 ? flux * x : 1 - flux * (1 - x) / 9;
    EXPECT_NEAR(result.u[i], exact, is_double() ? 1e-11 : 2e-4) << i;
  }
}

TEST_P(OnEveryBackend, HeatIsConservedBehindInsulation) {
  const test::Run result = run(R"yaml(
xpsim: 1
grid: {cells: [24, 20], periodic: y}
model: heat
heat: {diffusivity: "1 + 0.9*sin(2*pi*y)*x", initial: "exp(-20*((x-0.3)^2+(y-0.1)^2))"}
boundary_conditions: {u: {x: {neumann: 0}}}
time: {end: 0.05}
)yaml");
  const test::Run start = run(R"yaml(
xpsim: 1
grid: {cells: [24, 20], periodic: y}
model: heat
heat: {initial: "exp(-20*((x-0.3)^2+(y-0.1)^2))"}
boundary_conditions: {u: {x: {neumann: 0}}}
time: {end: 0}
)yaml");
  EXPECT_GT(result.report.steps, 50);
  EXPECT_NEAR(result.report.fields[0].second.integral, start.report.fields[0].second.integral,
              is_double() ? 1e-14 : 1e-6);
}

TEST_P(OnEveryBackend, StabilityLimitInTwoDimensions) {  // ACCEPTANCE 5
  const std::string text = R"yaml(
xpsim: 1
grid: {upper: [1, 0.2], cells: [10, 10], periodic: [x, y]}
model: heat
heat: {initial: "0"}
time: {scheme: euler, end: 1}
)yaml";
  const xp::Registry registry = xp::builtin_models();
  const auto forecast = [&](std::vector<std::string> overrides) {
    return xp::Simulation(test::read(text, registry, on_backend(std::move(overrides))), registry,
                          MPI_COMM_SELF)
        .forecast();
  };
  EXPECT_NEAR(forecast({}).stable_step, 1.923077e-4, 1e-10);
  EXPECT_EQ(forecast({"time.step=1.923e-4"}).steps, 5201);
  for (const std::string scheme : {"euler", "ssprk2", "ssprk3"}) {
    try {
      forecast({"time.step=1.924e-4", "time.scheme=" + scheme});
      FAIL() << scheme;
    } catch (const xp::Error& error) {
      EXPECT_EQ(error.kind(), xp::ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find("0.0001923077"), std::string::npos) << error.what();
    }
  }
}

TEST_P(OnEveryBackend, TheLimitIsThatOfTheAlternatingWave) {
  // The wave that alternates from cell to cell decays fastest: at the limit of Euler it is
  // multiplied by -1 in each step, so that the limit is sharp for every order and number of
  // dimensions.
  for (const std::string order : {"2", "4"})
    for (const std::string cells : {"[8]", "[8, 8]", "[8, 8, 8]"}) {
      const std::string text = "xpsim: 1\ngrid: {cells: " + cells + ", periodic: " +
                               (cells.size() > 6   ? "[x, y, z]"
                                : cells.size() > 3 ? "[x, y]"
                                                   : "[x]") +
                               "}\nmodel: heat\nheat: {initial: \"cos(8*pi*(x-1/16))" +
                               (cells.size() > 3 ? "*cos(8*pi*(y-1/16))" : "") +
                               (cells.size() > 6 ? "*cos(8*pi*(z-1/16))" : "") +
                               "\"}\nnumerics: {order: " + order + "}\n" +
                               "time: {scheme: euler, cfl: 1, end: 1, max_steps: 50}\n";
      const int dimensions = cells.size() > 6 ? 3 : cells.size() > 3 ? 2 : 1;
      const double rate = dimensions * (order == "2" ? 4 : 16. / 3) * 64;
      const test::Run result = run(text);
      EXPECT_LE(result.report.step_last, 2 / rate * (1 + 1e-9));
      EXPECT_GT(result.report.step_last, 2 / rate * 0.99);
      const double factor = std::pow(std::abs(1 - result.report.step_last * rate), 50);
      const double rounding = is_double() ? 1e-12 : 1e-5;
      EXPECT_NEAR(result.report.fields[0].second.max, factor, rounding) << text;
      EXPECT_NEAR(result.report.fields[0].second.min, -factor, rounding);
    }
}

TEST_P(OnEveryBackend, FourthOrderWallsAreStableUpToTheLimit) {
  // Any initial state decays at the largest step allowed, also next to walls.
  for (const std::string cells : {"4", "5", "8", "15", "16", "33"})
    for (const std::string wall :
         {"{dirichlet: 0}", "{neumann: 0}", "{robin: {alpha: 1, beta: 0.01, value: 0}}"}) {
      const test::Run result = run(
          "xpsim: 1\ngrid: {cells: [" + cells + "]}\nmodel: heat\n" +
          "heat: {initial: \"mod(7919*sin(91*x + 3), 1) - 0.5\"}\nboundary_conditions: {u: {all: " +
          wall +
          "}}\nnumerics: {order: 4}\ntime: {scheme: euler, cfl: 1, end: 1e3, max_steps: 2000}\n");
      EXPECT_LT(result.report.fields[0].second.max, 0.5) << cells << " " << wall;
      EXPECT_GT(result.report.fields[0].second.min, -0.5) << cells << " " << wall;
    }
}

TEST_P(OnEveryBackend, OutflowIsNoSlope) {
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [9, 8, 7]}
model: heat
heat: {initial: "sin(3*x)*cos(2*y)*exp(z)"}
boundary_conditions: {u: {all: outflow}}
time: {end: 0.01}
)yaml";
  for (const std::string order : {"2", "4"}) {
    const test::Run outflow = run(text, {"numerics.order=" + order});
    const test::Run neumann =
        run(text, {"numerics.order=" + order, "boundary_conditions.u.all={neumann: 0}"});
    EXPECT_EQ(outflow.u, neumann.u);
  }
}

TEST_P(OnEveryBackend, ModesDecayAroundAntiperiodicSeams) {
  // So large that on a CPU several steps are taken in one pass over memory, the first grid with two
  // threads, the others with one: a cut of such a pass goes through the seam where the sign
  // changes.
  const struct {
    std::vector<int> cells;
    std::string periodic, antiperiodic;
  } cases[] = {
      {{96, 128}, "x", "y"},      {{420, 360}, "x", "y"},     {{420, 360}, "y", "x"},
      {{420, 360}, "", "xy"},     {{24, 20, 160}, "xy", "z"}, {{64, 112, 32}, "x", "yz"},
      {{64, 112, 32}, "z", "xy"}, {{64, 112, 32}, "", "xyz"},
  };
  const int steps = 40;
  for (const auto& [cells, periodic, antiperiodic] : cases)
    for (const int order : {2, 4}) {
      const std::string axes = "xyz";
      std::string conditions, mode;
      double rate = 0, wave[3] = {}, phase[3] = {};
      for (std::size_t a = 0; a < cells.size(); ++a) {
        const bool anti = antiperiodic.find(axes[a]) != std::string::npos;
        wave[a] = (anti ? 7 : 6) * pi;
        phase[a] = 0.3 + 0.2 * static_cast<double>(a);
        mode += fmt::format("{}cos({:.17g}*{}+{:.17g})", a ? "*" : "", wave[a], axes[a], phase[a]);
        if (anti)
          conditions += fmt::format("{}{}: antiperiodic", conditions.empty() ? "" : ", ", axes[a]);
        const double h = 1. / cells[a], s = 4 * std::pow(std::sin(wave[a] * h / 2), 2);
        rate += (order == 2 ? s : s + s * s / 12) / (h * h);
      }
      const test::Run result =
          run(fmt::format("xpsim: 1\ngrid: {{cells: [{}], periodic: [{}]}}\nmodel: heat\n"
                          "heat: {{initial: \"{}\"}}\nboundary_conditions: {{u: {{{}}}}}\n"
                          "numerics: {{order: {}}}\n"
                          "time: {{scheme: euler, cfl: 0.9, end: 1, max_steps: {}}}\n",
                          fmt::join(cells, ", "),
                          fmt::join(std::vector<char>(periodic.begin(), periodic.end()), ", "),
                          mode, conditions, order, steps));
      ASSERT_EQ(result.report.steps, steps);
      const double factor = std::pow(1 - result.report.step_last * rate, steps);
      EXPECT_LT(factor, 0.97) << "the mode hardly decays";
      double worst = 0;
      for (std::size_t n = 0; n < result.u.size(); ++n) {
        double expected = factor;
        std::size_t rest = n;
        for (std::size_t a = 0; a < cells.size(); ++a) {
          const auto along = static_cast<std::size_t>(cells[a]);
          const double place = (static_cast<double>(rest % along) + 0.5) / cells[a];
          expected *= std::cos(wave[a] * place + phase[a]);
          rest /= along;
        }
        worst = std::max(worst, std::abs(result.u[n] - expected));
      }
      EXPECT_LT(worst, is_double() ? 1e-13 : 2e-6) << fmt::format(
          "{}, antiperiodic {}, order {}", fmt::join(cells, " x "), antiperiodic, order);
    }
}

}  // namespace
