// Orders of accuracy of the heat model: every boundary condition in one to three dimensions, and
// solutions that vary along all axes.
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "run_input.hpp"

namespace {

// Errors of runs on grids of `sizes` cells: the order seen on each of the last two pairs. Errors at
// the level of rounding say nothing of it. Half an order more is no mistake: on coarse grids
// errors of walls may still fall faster than those of the interior.
void expect_order(const std::vector<int>& sizes, const std::vector<double>& errors, double order,
                  double last, double before, double rounding) {
  ASSERT_GE(errors.size(), 3u);
  ASSERT_GT(errors.back(), rounding);
  for (std::size_t n = errors.size() - 2; n < errors.size(); ++n) {
    const double seen = std::log(errors[n - 1] / errors[n]) /
                        std::log(static_cast<double>(sizes[n]) / sizes[n - 1]);
    EXPECT_GT(seen, order - (n + 1 == errors.size() ? last : before))
        << fmt::format("sizes {}, errors {}", fmt::join(sizes, " "), fmt::join(errors, " "));
    EXPECT_LT(seen, order + 0.5);
  }
}

// A manufactured solution along one axis, S its coordinate: value, derivatives, and the condition
// that it meets at both ends.
struct Profile {
  std::string value, first, second, condition;
};

const Profile profiles[] = {
    {"sin(5*S+0.3)", "(5*cos(5*S+0.3))", "(-25*sin(5*S+0.3))", "dirichlet"},
    {"sin(5*S+0.3)", "(5*cos(5*S+0.3))", "(-25*sin(5*S+0.3))", "neumann"},
    {"cos(5*S-0.4)", "(-5*sin(5*S-0.4))", "(-25*cos(5*S-0.4))", "robin"},
    {"cos(2*pi*S)", "(-2*pi*sin(2*pi*S))", "(-4*pi^2*cos(2*pi*S))", "outflow"},
    {"sin(2*pi*S)", "(2*pi*cos(2*pi*S))", "(-4*pi^2*sin(2*pi*S))", "periodic"},
    {"sin(3*pi*S)", "(3*pi*cos(3*pi*S))", "(-9*pi^2*sin(3*pi*S))", "antiperiodic"},
};

// (dimensions, axis along which the solution varies, order, kind)
using OneAxis = std::tuple<int, int, int, int>;

class EveryBoundaryKind : public testing::TestWithParam<std::tuple<std::string, OneAxis>> {};

TEST_P(EveryBoundaryKind, HasTheDesignOrder) {
  const auto& [backend, one_axis] = GetParam();
  const auto [dimensions, along, order, kind] = one_axis;
  const Profile& profile = profiles[kind];
  const std::string axes[] = {"x", "y", "z"};
  const std::string axis = axes[along];
  const auto on_axis = [&](std::string text) {
    for (std::size_t at; (at = text.find('S')) != std::string::npos;) text.replace(at, 1, axis);
    return text;
  };
  const std::string solution = "exp(-t)*" + on_axis(profile.value);
  const std::string slope = "exp(-t)*" + on_axis(profile.first);
  const std::string curvature = "exp(-t)*" + on_axis(profile.second);
  // Constant along the other axes, which take turns at being periodic and insulated.
  std::string conditions, periodic;
  for (int a = 0; a < dimensions; ++a) {
    const std::string condition = a == along ? profile.condition
                                  : a == 1   ? "insulated"
                                             : "periodic";
    if (condition == "periodic") periodic += (periodic.empty() ? "" : ", ") + axes[a];
    if (condition == "insulated") conditions += "    " + axes[a] + ": {neumann: 0}\n";
    if (condition == "outflow" || condition == "antiperiodic")
      conditions += "    " + axes[a] + ": " + condition + "\n";
    for (const std::string side : {"-", "+"}) {
      const std::string sign = side == "-" ? "-" : "", key = "    " + axes[a] + side;
      if (condition == "dirichlet") conditions += key + ": {dirichlet: \"" + solution + "\"}\n";
      if (condition == "neumann") conditions += key + ": {neumann: \"" + sign + slope + "\"}\n";
      if (condition == "robin")
        conditions += key + ": {robin: {alpha: \"1 + 0.1*t\", beta: 2, value: \"(1 + 0.1*t)*" +
                      solution + " + 2*" + sign + slope + "\"}}\n";
    }
  }
  // The walls of fourth order need finer grids to show it.
  const std::vector<int> sizes = order == 2 ? std::vector{16, 32, 64} : std::vector{32, 64, 128};
  std::vector<double> errors;
  for (const int cells : sizes) {
    std::string list;
    for (int a = 0; a < dimensions; ++a)
      list += (a ? ", " : "") + std::to_string(a == along ? cells : 4);
    std::string text =
        "xpsim: 1\ngrid: {cells: [" + list + "], periodic: [" + periodic + "]}\nmodel: heat\n";
    text += "heat:\n  diffusivity: 0.7\n  initial: \"" + on_axis(profile.value) + "\"\n";
    text += "  source: \"-" + solution + " - 0.7*" + curvature + "\"\n";
    if (!conditions.empty()) text += "boundary_conditions:\n  u:\n" + conditions;
    text += "numerics: {order: " + std::to_string(order) +
            "}\ntime: {scheme: rk4, cfl: 0.9, end: 0.006}\n";
    text += "exact: {u: \"" + solution + "\"}\n";
    const test::Run result = test::run(text, {"run.backend=" + backend});
    ASSERT_EQ(result.report.status, xp::RunStatus::completed) << result.report.message;
    errors.push_back(result.report.errors[0].second.l2);
  }
  SCOPED_TRACE(profile.condition + " along " + axis);
  expect_order(sizes, errors, order, 0.05, 0.15, 1e-11);
}

std::vector<OneAxis> every_case() {
  std::vector<OneAxis> cases;
  for (int dimensions = 1; dimensions <= 3; ++dimensions)
    for (int along = 0; along < dimensions; ++along)
      for (const int order : {2, 4})
        for (int kind = 0; kind < 6; ++kind) {
          // Of fourth order outflow is neumann 0, bit for bit (heat_test.cpp); here it would need
          // finer grids than the others: its error at the wall is larger.
          const bool outflow = profiles[kind].condition == "outflow";
          if (!(outflow && order == 4)) cases.emplace_back(dimensions, along, order, kind);
        }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Orders, EveryBoundaryKind,
                         testing::Combine(testing::ValuesIn(test::backend_names()),
                                          testing::ValuesIn(every_case())));

// --- solutions that vary along all axes ---------------------------------------------------------

// A factor of the solution along one axis in terms of s, 0 to 1 from end to end: its value, its
// derivative by s, minus its second derivative divided by the value, and what it meets at each end.
struct Factor {
  std::string value, slope, curvature, lower, upper;
};

const std::map<std::string, Factor> factors = {
    {"walls", {"sin(3*s+0.4)", "3*cos(3*s+0.4)", "9", "dirichlet", "neumann"}},
    {"robin", {"cos(3*s-0.3)", "(-3)*sin(3*s-0.3)", "9", "robin", "robin"}},
    {"open", {"cos(3*s)", "(-3)*sin(3*s)", "9", "outflow", "dirichlet"}},
    {"periodic", {"sin(2*pi*s+0.5)", "", "(4*pi^2)", "periodic", "periodic"}},
    {"antiperiodic", {"cos(pi*s+0.5)", "", "pi^2", "antiperiodic", "antiperiodic"}},
};

class AlongAllAxes : public testing::TestWithParam<
                         std::tuple<std::string, std::string, std::vector<std::string>>> {};

TEST_P(AlongAllAxes, HasTheDesignOrder) {
  const auto& [backend, form, kinds] = GetParam();
  const bool is_double = form != "2 float";
  const int order = form[0] - '0';
  const std::string axes[] = {"x", "y", "z"};
  const double lower[] = {-0.2, 0, 1}, length[] = {1.1, 0.8, 1.3};
  const int base[] = {5, 4, 6};
  const double diffusivity = 0.7;

  std::string product, curvature, periodic;
  std::vector<std::string> values, slopes;
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    const Factor& factor = factors.at(kinds[a]);
    const auto on_axis = [&](const std::string& text) {
      const std::string s = fmt::format("(({}-({}))/{})", axes[a], lower[a], length[a]);
      return std::regex_replace(text, std::regex("\\bs\\b"), s);
    };
    values.push_back(on_axis(factor.value));
    slopes.push_back(on_axis(factor.slope) + fmt::format("/{}", length[a]));
    product += (a ? "*" : "") + values[a];
    curvature += fmt::format("{}{}/{}^2", a ? " + " : "", factor.curvature, length[a]);
    if (factor.lower == "periodic") periodic += (periodic.empty() ? "" : ", ") + axes[a];
  }
  // Slow in time, so that the error is that of space. In 3-D such that the source is without time
  // and evaluated once, which would take longest.
  const std::string decay = fmt::format("{}*({})", diffusivity, curvature);
  const bool timed = kinds.size() == 2;
  const std::string growth = timed ? "1 + 0.3*t" : "1 + 0.3*exp(-" + decay + "*t)";
  const std::string source = timed ? "w*(0.3 + " + decay + "*g)" : "w*" + decay;
  std::string text = fmt::format(R"yaml(
xpsim: 1
definitions:
  w: "{}"
  g: "{}"
model: heat
heat:
  diffusivity: {}
  initial: "{}*w"
  source: "{}"
exact: {{u: "g*w"}}
boundary_conditions:
  u:
)yaml",
                                 product, growth, diffusivity, timed ? 1 : 1.3, source);
  for (std::size_t a = 0; a < kinds.size(); ++a)
    for (const bool upper : {false, true}) {
      const Factor& factor = factors.at(kinds[a]);
      const std::string& kind = upper ? factor.upper : factor.lower;
      // The outward normal derivative.
      std::string slope = std::string("g*") + (upper ? "1" : "(-1)") + "*" + slopes[a];
      for (std::size_t b = 0; b < kinds.size(); ++b)
        if (b != a) slope += "*" + values[b];
      const std::string key = fmt::format("    {}{}: ", axes[a], upper ? "+" : "-");
      if (kind == "dirichlet") text += key + "{dirichlet: \"g*w\"}\n";
      if (kind == "neumann") text += key + "{neumann: \"" + slope + "\"}\n";
      if (kind == "robin") {
        // Both vary along the wall, differently on each side; alpha in time, too.
        const std::string& along = axes[a == 0 ? 1 : 0];
        const std::string alpha = fmt::format("({} + 0.2*{} + 0.1*t)", upper ? "2" : "1", along);
        const std::string beta = fmt::format("({} - 0.3*{})", upper ? "0.5" : "1.5", along);
        text += key + fmt::format(
                          "{{robin: {{alpha: \"{0}\", beta: \"{1}\", value: \"{0}*g*w + "
                          "{1}*{2}\"}}}}\n",
                          alpha, beta, slope);
      }
      if (kind == "outflow" || kind == "antiperiodic") text += key + kind + "\n";
    }
  std::vector<int> sizes;
  std::vector<double> errors;
  for (const int n : kinds.size() == 2 ? std::vector{3, 6, 9} : std::vector{3, 4, 5}) {
    std::vector<int> cells;
    double rate = 0;
    for (std::size_t a = 0; a < kinds.size(); ++a) {
      cells.push_back(base[a] * n);
      rate += diffusivity * 7.02 * std::pow(cells[a] / length[a], 2);
    }
    const std::string grid = fmt::format(
        "grid: {{lower: [{}], upper: [{}], cells: [{}], periodic: [{}]}}\n"
        "numerics: {{order: {}}}\ntime: {{scheme: rk4, step: {}, end: 0.02}}\n",
        fmt::join(lower, lower + kinds.size(), ", "),
        [&] {
          std::string upper;
          for (std::size_t a = 0; a < kinds.size(); ++a)
            upper += fmt::format("{}{}", a ? ", " : "", lower[a] + length[a]);
          return upper;
        }(),
        fmt::join(cells, ", "), periodic, order, 2.4 / rate);
    const test::Run result =
        test::run(text + grid, {"run.backend=" + backend,
                                std::string("run.precision=") + (is_double ? "double" : "float")});
    ASSERT_EQ(result.report.status, xp::RunStatus::completed) << result.report.message;
    sizes.push_back(n);
    errors.push_back(result.report.errors[0].second.linf);
  }
  expect_order(sizes, errors, order, 0.2, 0.3, is_double ? 1e-11 : 1e-5);
}

using Kinds = std::vector<std::string>;

INSTANTIATE_TEST_SUITE_P(
    Orders, AlongAllAxes,
    testing::Combine(testing::ValuesIn(test::backend_names()), testing::Values("2", "4", "2 float"),
                     testing::Values(Kinds{"walls", "robin"}, Kinds{"robin", "walls"},
                                     Kinds{"periodic", "walls"}, Kinds{"open", "antiperiodic"},
                                     Kinds{"antiperiodic", "robin"}, Kinds{"walls", "open"},
                                     Kinds{"walls", "robin", "periodic"},
                                     Kinds{"walls", "robin", "antiperiodic"},
                                     Kinds{"periodic", "walls", "robin"},
                                     Kinds{"robin", "antiperiodic", "open"},
                                     Kinds{"open", "periodic", "walls"},
                                     Kinds{"antiperiodic", "open", "robin"})));

// --- order in time, outflow and diffusivity -----------------------------------------------------

class HeatOrders : public testing::TestWithParam<std::string> {
 protected:
  // Of one-dimensional runs on grids of so many cells.
  static std::vector<double> l2_errors(const std::string& text, const std::vector<int>& sizes) {
    std::vector<double> errors;
    for (const int cells : sizes) {
      const test::Run result =
          test::run(text, {"run.backend=" + GetParam(), "grid.cells=" + std::to_string(cells)});
      errors.push_back(result.report.errors[0].second.l2);
    }
    return errors;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, HeatOrders, testing::ValuesIn(test::backend_names()));

TEST_P(HeatOrders, OutflowHasFourthOrder) {
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [16]}
model: heat
heat: {initial: "cos(6*pi*x)", source: "(36*pi^2 - 1)*exp(-t)*cos(6*pi*x)"}
boundary_conditions: {u: {all: outflow}}
numerics: {order: 4}
time: {scheme: rk4, end: 0.003}
exact: {u: "exp(-t)*cos(6*pi*x)"}
)yaml";
  const std::vector<int> sizes = {128, 256, 512, 1024};
  expect_order(sizes, l2_errors(text, sizes), 4, 0.05, 0.15, 1e-11);
}

TEST_P(HeatOrders, FourthOrderVariableDiffusivity) {
  // u = exp(-t) sin(2x), D = 1 + x^2/2: source = u_t - D u_xx - D_x u_x.
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [16]}
model: heat
definitions:
  u0: "exp(-t)*sin(2*x)"
heat:
  diffusivity: "1 + x^2/2"
  initial: "sin(2*x)"
  source: "-u0 + 4*(1 + x^2/2)*u0 - x*2*exp(-t)*cos(2*x)"
boundary_conditions:
  u:
    all: {dirichlet: u0}
numerics: {order: 4}
time: {scheme: rk4, cfl: 0.5, end: 0.05}
exact: {u: u0}
)yaml";
  const std::vector<int> sizes = {16, 32, 64, 128};
  expect_order(sizes, l2_errors(text, sizes), 4, 0.05, 0.15, 1e-11);
}

class EveryHeatScheme : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EveryHeatScheme, HasItsOrderInTimeWithBoundariesAndSource) {
  // u = (1 + x) cos(2t), linear in space, so that the error is that of time alone; the walls and
  // the source depend on time and are needed at the stages' own times.
  const auto& [backend, name] = GetParam();
  const xp::Scheme& scheme = xp::find_scheme(name);
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [4]}
model: heat
heat: {diffusivity: 0.1, initial: "1 + x", source: "-2*(1+x)*sin(2*t) + 0*t"}
boundary_conditions: {u: {x-: {neumann: "-cos(2*t)"}, x+: {dirichlet: "2*cos(2*t)"}}}
exact: {u: "(1+x)*cos(2*t)"}
)yaml";
  const std::vector<int> sizes = {16, 32, 64, 128};
  std::vector<double> errors;
  for (const int steps : sizes) {
    const test::Run result =
        test::run(text + fmt::format("time: {{scheme: {}, step: 1/{}, end: 1}}\n", name, steps),
                  {"run.backend=" + backend});
    ASSERT_EQ(result.report.steps, steps);
    errors.push_back(result.report.errors[0].second.l2);
  }
  // Stages of order one at the walls bound what any explicit scheme reaches there (order reduction,
  // Sanz-Serna et al. 1986): 2 is expected of all above it, at least.
  if (scheme.order <= 2)
    expect_order(sizes, errors, scheme.order, 0.05, 0.15, 1e-11);
  else
    EXPECT_GT(std::log2(errors[2] / errors[3]), 1.95);
}

INSTANTIATE_TEST_SUITE_P(Schemes, EveryHeatScheme,
                         testing::Combine(testing::ValuesIn(test::backend_names()),
                                          testing::Values("euler", "ssprk2", "ssprk3", "rk4")));

}  // namespace
