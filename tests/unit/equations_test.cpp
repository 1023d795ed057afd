// Equations of the input: orders of every operator, conservation, known solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "run_input.hpp"

namespace {

constexpr const char* axes = "xyz";

// w becomes the operator's value in one step of Euler's method; the errors are those of w.
xp::Norms error_of(const std::string& operation, const std::string& exact, int dimensions,
                   int cells, int order, const std::string& advection = "upwind1") {
  std::string size, lower, upper, periodic;
  for (int a = 0; a < dimensions; ++a) {
    const char* comma = a > 0 ? ", " : "";
    size += comma + std::to_string(cells + cells / 8 * a);
    lower += fmt::format("{}{}", comma, 0);
    upper += fmt::format("{}{}", comma, 1 + 0.25 * a);
    periodic += fmt::format("{}{}", comma, axes[a]);
  }
  const std::string text =
      fmt::format(R"yaml(
xpsim: 1
parameters: {{k: 2*pi, l: 2*pi/1.25, m: 2*pi/1.5}}
grid: {{cells: [{}], lower: [{}], upper: [{}], periodic: [{}]}}
definitions:
  f: "sin(k*x){}{}"
fields: {{u: f, v: "2 + cos(k*x)", w: 0}}
equations: {{u: 0, v: 0, w: "{}"}}
numerics: {{order: {}, advection: {}}}
time: {{scheme: euler, step: 1, end: 1}}
exact: {{w: "{}"}}
)yaml",
                  size, lower, upper, periodic, dimensions > 1 ? " * cos(l*y)" : "",
                  dimensions > 2 ? " * cos(m*z)" : "", operation, order, advection, exact);
  const test::Run run = test::run(text);
  EXPECT_EQ(run.report.status, xp::RunStatus::completed) << operation << run.report.message;
  for (const auto& [field, norms] : run.report.errors)
    if (field == "w") return norms;
  return {};
}

// More arrays than one program can give: 20 of one level.
TEST(Equations, ManyDerivativesOfExpressions) {
  std::string apart, together;
  for (int power = 2; power <= 21; ++power) {
    apart += fmt::format("{}dx(u^{})", power == 2 ? "" : " + ", power);
    together += fmt::format("{}u^{}", power == 2 ? "" : " + ", power);
  }
  const test::Run run = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [24], periodic: [x]}}
fields: {{u: "0.9*sin(2*pi*x)", v: 0, w: 0}}
equations: {{u: 0, v: "{}", w: "dx({})"}}
time: {{scheme: euler, step: 1, end: 1}}
verify:
  - {{name: the same, expression: "max(abs(v - w)) < 1e-12*max(abs(w))"}}
  - {{name: not nothing, expression: "max(abs(w)) > 1"}}
)yaml",
                                              apart, together));
  EXPECT_EQ(run.report.status, xp::RunStatus::completed) << run.report.message;
}

struct OperatorCase {
  int dimensions;
  std::string operation, exact;
};

TEST(Equations, OperatorsHaveTheirOrder) {
  const std::vector<OperatorCase> cases = {
      {1, "dx(u)", "k*cos(k*x)"},
      {1, "dxx(u)", "-k^2*sin(k*x)"},
      {1, "laplacian(u)", "-k^2*sin(k*x)"},
      {1, "dx(dxx(u))", "-k^3*cos(k*x)"},
      {1, "dx(dx(dx(u)))", "-k^3*cos(k*x)"},
      {1, "laplacian(u^3 - u - laplacian(u))",
       "k^2*(6*sin(k*x)*cos(k*x)^2 - 3*sin(k*x)^3) + k^2*sin(k*x) - k^4*sin(k*x)"},
      {1, "div(v*grad(u))", "-k^2*(2 + cos(k*x))*sin(k*x) - k^2*sin(k*x)*cos(k*x)"},
      {1, "dx(v*u^2)", "2*k*(2 + cos(k*x))*sin(k*x)*cos(k*x) - k*sin(k*x)^3"},
      {2, "dxy(u)", "-k*l*cos(k*x)*sin(l*y)"},
      {2, "dx(dy(u))", "-k*l*cos(k*x)*sin(l*y)"},
      {2, "laplacian(u)", "-(k^2 + l^2)*f"},
      {2, "div(v*grad(u))", "-(k^2 + l^2)*(2 + cos(k*x))*f - k^2*sin(k*x)*cos(k*x)*cos(l*y)"},
      {2, "dot(grad(u), grad(v))", "-k^2*cos(k*x)*sin(k*x)*cos(l*y)"},
      {2, "curl([u, v])", "-k*sin(k*x) + l*sin(k*x)*sin(l*y)"},
      {2, "div([u, u*v])", "k*cos(k*x)*cos(l*y) - l*(2 + cos(k*x))*sin(k*x)*sin(l*y)"},
      {2, "cross(grad(u), [0, 1])", "k*cos(k*x)*cos(l*y)"},
      {3, "laplacian(u)", "-(k^2 + l^2 + m^2)*f"},
      {3, "dyz(u)", "l*m*sin(k*x)*sin(l*y)*sin(m*z)"},
      {3, "dot(curl([0, 0, u]), [1, 0, 0])", "-l*sin(k*x)*sin(l*y)*cos(m*z)"},
      {3, "dzz(u)", "-m^2*f"},
  };
  for (const int order : {2, 4})
    for (const OperatorCase& one : cases) {
      const int fine = one.dimensions == 3 ? 48 : 96;
      const double coarse =
          error_of(one.operation, one.exact, one.dimensions, fine / 2, order).linf;
      const double finer = error_of(one.operation, one.exact, one.dimensions, fine, order).linf;
      const double observed = std::log2(coarse / finer);
      EXPECT_NEAR(observed, order, 0.15)
          << one.operation << " order " << order << ": " << coarse << " " << finer;
    }
}

TEST(Equations, AdvectionSchemesHaveTheirOrder) {
  struct Scheme {
    const char* name;
    double order;
  };
  for (const Scheme& scheme : {Scheme{"upwind1", 1}, Scheme{"central2", 2}, Scheme{"weno5", 5}})
    for (const char* operation : {"div(u*[-1.5])", "div(u*[0.75])", "-advect([1], u)"}) {
      const double speed = operation[0] == '-' ? -1 : operation[7] == '-' ? -1.5 : 0.75;
      const std::string exact = fmt::format("{}*k*cos(k*x)", speed);
      const double coarse = error_of(operation, exact, 1, 64, 2, scheme.name).l1;
      const double fine = error_of(operation, exact, 1, 128, 2, scheme.name).l1;
      EXPECT_NEAR(std::log2(coarse / fine), scheme.order, 0.1) << scheme.name << " " << operation;
    }
  // A limited scheme loses its order at extrema: in the mean it is close to 2.
  const double coarse = error_of("div(u*[1])", "k*cos(k*x)", 1, 256, 2, "vanleer").l1;
  const double fine = error_of("div(u*[1])", "k*cos(k*x)", 1, 512, 2, "vanleer").l1;
  EXPECT_GT(std::log2(coarse / fine), 1.7);
  // A velocity that varies: fluxes at faces with its mean.
  const double first =
      error_of("div(u*[v])", "k*cos(k*x)*(2 + cos(k*x)) - k*sin(k*x)^2", 1, 64, 2, "central2").l2;
  const double second =
      error_of("div(u*[v])", "k*cos(k*x)*(2 + cos(k*x)) - k*sin(k*x)^2", 1, 128, 2, "central2").l2;
  EXPECT_NEAR(std::log2(first / second), 2, 0.05);
}

// u = exp(-t) s(x) with a source that makes it the solution, between walls of every kind.
double wall_error(const std::string& condition, const std::string& rate, int cells, int order) {
  const std::string text = fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [{}]}}
parameters: {{a: 1.3}}
definitions:
  s: "sin(a*x + 0.4)"
  ds: "a*cos(a*x + 0.4)"
  dds: "-a^2*sin(a*x + 0.4)"
fields: {{u: s}}
equations: {{u: "{}"}}
boundary_conditions: {{u: {}}}
numerics: {{order: {}}}
time: {{scheme: rk4, end: 0.1}}
exact: {{u: "exp(-t)*s"}}
)yaml",
                                       cells, rate, condition, order);
  const test::Run run = test::run(text);
  EXPECT_EQ(run.report.status, xp::RunStatus::completed) << run.report.message;
  return run.report.errors.at(0).second.linf;
}

TEST(Equations, WallsOfEveryKindKeepTheOrder) {
  const std::vector<std::string> conditions = {
      "{x: {dirichlet: 'exp(-t)*s'}}",
      "{x-: {neumann: '-exp(-t)*ds'}, x+: {neumann: 'exp(-t)*ds'}}",
      "{x-: {robin: {alpha: 2, beta: 1, value: 'exp(-t)*(2*s - ds)'}},"
      " x+: {robin: {alpha: 1, beta: 3, value: 'exp(-t)*(s + 3*ds)'}}}"};
  const std::vector<std::string> rates = {
      "laplacian(u) - exp(-t)*(s + dds)", "div((1 + x)*grad(u)) - exp(-t)*(s + (1 + x)*dds + ds)",
      "div((2 + u)*grad(u)) - exp(-t)*(s + (2 + exp(-t)*s)*dds + exp(-t)*ds^2)"};
  for (const int order : {2, 4})
    for (const std::string& rate : rates)
      for (const std::string& condition : conditions) {
        const double coarse = wall_error(condition, rate, 32, order);
        const double fine = wall_error(condition, rate, 64, order);
        const double observed = std::log2(coarse / fine);
        EXPECT_GT(observed, order - 0.25) << rate << " " << condition;
      }
}

TEST(Equations, DefinitionsHaveConditionsOfTheirOwn) {
  // u_t = -u_xxxx with u = u_xx = 0 at walls: sin(pi x) decays with (4/h^2 sin^2(pi h/2))^2.
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [32]}
fields: {u: "sin(pi*x)"}
definitions: {bend: "dxx(u)"}
equations: {u: "-dxx(bend)"}
boundary_conditions: {u: {x: {dirichlet: 0}}, bend: {x: {dirichlet: 0}}}
time: {scheme: rk4, end: 0.01}
)yaml";
  const double h = 1. / 32, lambda = std::pow(4 / (h * h) * std::pow(std::sin(M_PI * h / 2), 2), 2);
  const test::Run run = test::run(text);
  EXPECT_NEAR(run.u[15] / std::sin(M_PI * 15.5 * h), std::exp(-lambda * 0.01), 1e-7);
  // A product with it has its ghost values, and needs no conditions.
  const test::Run scaled = test::run(text, {"equations.u=-0.5*dxx(2*bend)"});
  EXPECT_NEAR(scaled.u[15] / std::sin(M_PI * 15.5 * h), std::exp(-lambda * 0.01), 1e-7);
}

// The first cell of w after steps of length 1, where u = 1 + x on 8 cells.
double first_value(const std::string& rate, const std::string& definitions,
                   const std::string& conditions, int steps = 1) {
  return test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [8]}}
fields: {{w: 0, u: "1 + x"}}
definitions: {{{}}}
equations: {{w: "{}", u: 0}}
boundary_conditions:
  w: {{all: outflow}}
  u: {{x-: {{dirichlet: 1}}, x+: {{dirichlet: 2}}}}
  {}
time: {{scheme: euler, step: 1, end: {}}}
)yaml",
                               definitions, rate, conditions, steps))
      .u.at(0);
}

TEST(Equations, DefinitionsOfOneTextHaveConditionsApart) {
  const double h = 1. / 8, c0 = 1 + h / 2, c1 = 1 + 1.5 * h, beyond = 1 - h / 2;
  const std::string definitions = "q: 'u^2', p: 'u^2'";
  const std::string conditions = "q: {all: {dirichlet: 0}}\n  p: {all: {neumann: 0}}";
  const double by_q = (c1 * c1 + c0 * c0) / (2 * h), by_p = (c1 * c1 - c0 * c0) / (2 * h),
               by_u = (c1 * c1 - beyond * beyond) / (2 * h);
  const auto value = [&](const std::string& rate) {
    return first_value(rate, definitions, conditions);
  };
  EXPECT_NEAR(value("100*dx(q) + 10*dx(p) + dx(u^2)"), 100 * by_q + 10 * by_p + by_u, 1e-9);
  EXPECT_NEAR(value("dx(u^2) + 10*dx(p) + 100*dx(q)"), 100 * by_q + 10 * by_p + by_u, 1e-9);
  // At the cell itself they are the same.
  EXPECT_NEAR(value("q + 2*p + 4*u^2 + 0*dx(p)*dx(q)"), 7 * c0 * c0, 1e-12);
}

TEST(Equations, ConditionsOfDefinitionsCountInWhatIsMadeOfThem) {
  const double h = 1. / 8, c0 = 1 + h / 2, c1 = 1 + 1.5 * h;
  const std::string q = "q: 'u^2'", zero = "q: {all: {dirichlet: 0}}";
  EXPECT_NEAR(first_value("dx(2*q)", q, zero), (c1 * c1 + c0 * c0) / h, 1e-10);
  // The coordinate of the ghost cell is -h/2.
  EXPECT_NEAR(first_value("dx(x*q)", q, zero), (1.5 * h * c1 * c1 - h / 2 * c0 * c0) / (2 * h),
              1e-11);
  EXPECT_NEAR(first_value("div(q*[2])", q, zero), 2 * c0 * c0 / h + 2 * c0 * c0 / h, 1e-10);
  // A name for a field is a quantity of its own, too.
  EXPECT_NEAR(first_value("dx(q)", "q: u", "q: {all: {neumann: 0}}"), 0.5, 1e-12);
  EXPECT_NEAR(first_value("dx(q) - dx(u)", "q: u", "q: {all: {neumann: 0}}"), -0.5, 1e-12);
  // What does not change but for its values at walls, at t = 0 and 1.
  EXPECT_NEAR(first_value("dx(q)", "q: 'exp(x)'", "q: {x-: {dirichlet: t}, x+: outflow}", 2),
              (2 * std::exp(1.5 * h) + 2 * std::exp(h / 2) - 2) / (2 * h), 1e-10);
}

TEST(Equations, ConserveToRounding) {
  for (const char* advection : {"central2", "upwind1", "vanleer", "weno5"})
    for (const int order : {2, 4}) {
      const test::Run run = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [24, 20], periodic: [x, y]}}
fields: {{u: "1 + 0.5*uniform(-1, 1)", c: {{rank: vector, initial: "[sin(2*pi*y), 0.5 + uniform(0, 1)]"}}}}
equations: {{u: "div((0.01 + 0.001*u^2)*grad(u) - u*c)", c: "[0, 0]"}}
numerics: {{order: {}, advection: {}}}
time: {{end: 0.2}}
verify:
  - {{name: conserved, expression: "abs(mean(u) - 1) < 0.05", at: start}}
)yaml",
                                                  order, advection),
                                      {}, xp::builtin_models());
      double sum = 0;
      for (const double value : run.u) sum += value;
      const test::Run start = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [24, 20], periodic: [x, y]}}
fields: {{u: "1 + 0.5*uniform(-1, 1)"}}
equations: {{u: 0}}
time: {{end: 0}}
)yaml"));
      double before = 0;
      for (const double value : start.u) before += value;
      EXPECT_NEAR(sum, before, 1e-10) << advection << order;
    }
}

// ACCEPTANCE 6: explicit dependence on t at the stage's time.
TEST(Equations, StagesSeeTheirOwnTime) {
  const double exact = 1 + std::exp(-2.0);
  const double expected[] = {-1.06e-4, -1.22e-5, -1.47e-6};
  for (int n = 0; n < 3; ++n) {
    const test::Run run = test::run(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [4], periodic: [x]}}
fields: {{u: 0}}
equations: {{u: "-u + t"}}
time: {{scheme: ssprk3, step: {}, end: 2}}
)yaml",
                                                2.0 / (10 << n)));
    EXPECT_NEAR(run.u[0] - exact, expected[n], 0.01 * std::abs(expected[n]));
  }
}

// ACCEPTANCE 8: u' = u^2 runs away at t = 1.
TEST(Equations, DivergenceIsReported) {
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [4], periodic: [x]}
fields: {u: 1}
equations: {u: "u^2"}
time: {scheme: rk54, end: 0.9, tolerance: {relative: 1e-8, absolute: 1e-10}}
)yaml";
  EXPECT_NEAR(test::run(text).u[0], 10, 1e-4);
  const test::Run late = test::run(text, {"time.end=2"});
  EXPECT_EQ(late.report.status, xp::RunStatus::diverged);
  EXPECT_NE(late.report.message.find("'u'"), std::string::npos) << late.report.message;
}

TEST(Equations, ReductionsAndStops) {
  // u' = mean(u) - u relaxes to the mean; the run ends when it is close.
  const test::Run run = test::run(R"yaml(
xpsim: 1
grid: {cells: [32], periodic: [x]}
fields: {u: "1 + sin(2*pi*x)"}
equations: {u: "mean(u) - u"}
stop: {when: "max(abs(u - 1)) < 0.1", check_every: 1}
time: {scheme: rk4, step: 0.01, end: 100}
)yaml");
  EXPECT_NEAR(run.report.time, std::log(std::sin(M_PI * 2 * 7.5 / 32) * 10), 0.011);
  EXPECT_NE(run.report.message.find("stopped at"), std::string::npos);
}

TEST(Equations, StopLooksAtTheLastStep) {
  // u = t reaches 0.5 with the last of 5 steps; the check of every 50th would not see it.
  const test::Run run = test::run(R"yaml(
xpsim: 1
grid: {cells: [4], periodic: [x]}
fields: {u: 0}
equations: {u: 1}
stop: "max(u) > 0.45"
time: {scheme: euler, step: 0.1, end: 0.5}
)yaml");
  EXPECT_EQ(run.report.status, xp::RunStatus::completed);
  EXPECT_EQ(run.report.message, "stopped at t = 0.5, step 5: max(u) > 0.45");
  EXPECT_FALSE(run.report.out_of_steps);
}

TEST(Equations, VectorsOfOneComponent) {
  const test::Run run = test::run(R"yaml(
xpsim: 1
grid: {cells: [4], periodic: [x]}
fields: {v: {rank: vector, initial: "[x]"}}
definitions: {g: "[2*v_x]"}
equations: {v: "[g_x]"}
time: {scheme: euler, step: 1, end: 1}
)yaml");
  EXPECT_EQ(run.u, (std::vector<double>{0.375, 1.125, 1.875, 2.625}));
}

TEST(Equations, InitialValuesOfModelsMayBeRandom) {
  const char* const common = "xpsim: 1\ngrid: {cells: [16], periodic: [x]}\nrun: {seed: 5}\n";
  const std::string initial = "uniform(1, 2) + normal(0, 0.1)";
  const test::Run heat = test::run(
      fmt::format("{}model: heat\nheat: {{initial: \"{}\"}}\ntime: {{end: 0}}\n", common, initial));
  const test::Run equations = test::run(fmt::format(
      "{}fields: {{u: \"{}\"}}\nequations: {{u: 0}}\ntime: {{end: 0}}\n", common, initial));
  EXPECT_EQ(heat.u, equations.u);
  EXPECT_NE(heat.u[0], heat.u[1]);
}

// What a run of these equations on a periodic grid of 32 cells is warned of.
std::vector<std::string> warnings_of(const std::string& u, const std::string& v = "0",
                                     const std::string& order = "2") {
  const xp::Simulation simulation(test::read(fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [32], periodic: [x]}}
fields: {{u: "sin(2*pi*x)", v: "1 + x"}}
equations: {{u: "{}", v: "{}"}}
numerics: {{order: {}}}
time: {{step: 1e-9, end: 1e-8}}
)yaml",
                                                         u, v, order),
                                             xp::builtin_models()),
                                  xp::builtin_models(), MPI_COMM_SELF);
  return simulation.warnings();
}

TEST(Equations, BackwardDiffusionIsWarnedOf) {
  const std::string end = " the solution grows without bound, the faster the finer the grid";
  using Texts = std::vector<std::string>;
  EXPECT_EQ(warnings_of("-laplacian(u)"),
            Texts{"by the coefficient -1 of laplacian(u) in d/dt u" + end});
  EXPECT_EQ(warnings_of("dx(u) + u + dxx(u) - 1e-3*dxx(dxx(u)) - 2*dxx(u)"), Texts{});
  EXPECT_EQ(warnings_of("dxx(dxx(u)) + dxx(u)"),
            Texts{"by the coefficient 1 of dxx(dxx(u)) in d/dt u" + end});
  // Negative somewhere, and nowhere though bounds of the factors alone would allow it.
  EXPECT_EQ(warnings_of("div(u*grad(u))"), Texts{"by the coefficient u of dxx(u) in d/dt u" + end});
  EXPECT_EQ(warnings_of("div((v^2 - v + 1)*grad(u))"), Texts{});
  // Cahn and Hilliard's equation has a negative diffusivity, and holds it by fourth derivatives.
  EXPECT_EQ(warnings_of("laplacian(u^3 - u - 1e-4*laplacian(u))"), Texts{});
  EXPECT_EQ(warnings_of("laplacian(u^3 - u - 1e-4*laplacian(u))", "0", "4"), Texts{});
  // Waves travel; u'' = -laplacian(u) has none: its Fourier modes grow as exp(k t).
  EXPECT_EQ(warnings_of("v", "laplacian(u)"), Texts{});
  EXPECT_EQ(warnings_of("v", "-laplacian(u)"), Texts{"by what couples the equations" + end});
}

TEST(Equations, TermsWithoutBoundsAreWarnedOf) {
  using Texts = std::vector<std::string>;
  const auto of_limit = [](const std::string& term) {
    return "the stability limit leaves out the coefficient " + term + ": nothing bounds it";
  };
  // u goes through 0, v does not.
  const Texts expected = {of_limit("-(v/u/u) of u in d/dt u"), of_limit("1/u of v in d/dt u")};
  EXPECT_EQ(warnings_of("laplacian(u) + v/u"), expected);
  EXPECT_EQ(warnings_of("laplacian(u) + u/v"), Texts{});
}

// ACCEPTANCE 10: a standing wave as two fields. The spatial operator's frequency is discrete.
TEST(Equations, StandingWaveHasTheDiscreteFrequency) {
  const test::Run run = test::run(R"yaml(
xpsim: 1
grid: {cells: [64], periodic: [x]}
fields: {u: "cos(2*pi*x)", v: 0}
equations: {u: v, v: "laplacian(u)"}
time: {scheme: rk4, step: 1/1024, end: 1}
)yaml");
  const double h = 1. / 64, omega = 2 / h * std::sin(M_PI * h);
  EXPECT_NEAR(run.u[0] / std::cos(M_PI * h), std::cos(omega), 1e-7);
}

TEST(Equations, StepsComeFromTheStabilityLimit) {
  struct Case {
    const char *scheme, *field, *rate, *order;
    double limit;  // with spacing 1/64
  };
  const double h = 1. / 64, root3 = std::sqrt(3.0), root8 = std::sqrt(8.0);
  for (const Case& one : {
           Case{"euler", "u", "laplacian(u)", "2", h * h / 2},
           Case{"ssprk3", "u", "3*laplacian(u)", "2", h * h / 6},
           Case{"rk4", "u", "laplacian(u)", "2", 2.785293563 * h * h / 4},
           Case{"euler", "u", "-laplacian(laplacian(u))", "2", 2 * std::pow(h, 4) / 16},
           Case{"rk4", "u", "dx(dxx(u))", "2", root8 * std::pow(h, 3) / (1.5 * root3)},
           Case{"ssprk3", "u", "dx(u)", "2", root3 * h},
           Case{"euler", "u", "-div(u*[2])", "2", h / 2},
           Case{"euler", "u", "-div(u*[-2])", "2", h / 2},
           Case{"rk4", "u", "v", "2", root8 * h / 2},  // with v' = laplacian(u)
           Case{"euler", "u", "-50*u", "2", 2. / 50},
           Case{"euler", "u", "(2 + x)*laplacian(u)", "2", h * h / 6},
           Case{"euler", "u", "laplacian(u*(1 + u))", "2", h * h / 6},  // u up to 1
       }) {
    const std::string text =
        fmt::format(R"yaml(
xpsim: 1
grid: {{cells: [64], periodic: [x]}}
fields: {{u: "sin(2*pi*x)", v: 0}}
equations: {{u: "{}", v: "{}"}}
time: {{scheme: {}, end: 0.01}}
)yaml",
                    one.rate, std::string(one.rate) == "v" ? "laplacian(u)" : "0", one.scheme);
    xp::Simulation simulation(test::read(text, xp::builtin_models()), xp::builtin_models(),
                              MPI_COMM_SELF);
    EXPECT_NEAR(simulation.forecast().stable_step, one.limit, 0.01 * one.limit) << one.rate;
  }
}

// Of a grid that no machine holds the limit is found from some of its cells, at once.
TEST(Equations, LimitsOfHugeGrids) {
  const auto forecast = [](const std::string& cells) {
    const std::string text = "xpsim: 1\ngrid: {cells: " + cells +
                             ", periodic: [x, y]}\n"
                             "fields: {u: \"1 + 0.5*sin(2*pi*x)*cos(2*pi*y)\"}\n"
                             "equations: {u: \"div(u*grad(u))\"}\ntime: {end: 1}\n";
    const xp::Registry registry = xp::builtin_models();
    return xp::Simulation(test::read(text, registry), registry, MPI_COMM_SELF).forecast();
  };
  const xp::RunForecast few = forecast("[64, 64]"), many = forecast("[6553600, 6553600]");
  EXPECT_EQ(many.cells, 6553600LL * 6553600);
  EXPECT_NEAR(many.stable_step * 1e10, few.stable_step, 0.1 * few.stable_step);
}

TEST(Equations, DerivativesOfDerivativesWithoutEndAreRefused) {
  std::string text = "xpsim: 1\ngrid: {cells: [16, 16], periodic: [x, y]}\ndefinitions:\n  d0: u\n";
  for (int n = 1; n <= 12; ++n) text += fmt::format("  d{0}: \"dx(d{1}) + dy(d{1})\"\n", n, n - 1);
  text += "fields: {u: x}\nequations: {u: d12}\ntime: {end: 1}\n";
  const xp::Registry registry = xp::builtin_models();
  try {
    xp::Simulation(test::read(text, registry), registry, MPI_COMM_SELF);
    FAIL();
  } catch (const xp::Error& error) {
    EXPECT_EQ(error.diagnostics()[0].message,
              "the equations are too complicated to find their stability limit");
  }
}

}  // namespace
