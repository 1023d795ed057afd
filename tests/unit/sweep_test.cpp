// Several steps in one pass over memory give the bits of single steps: for every way to cut a grid,
// every steady boundary condition, and in whole runs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include <xp/solvers/heat/heat_kernels.hpp>
#include <xp/time/sweep.hpp>

#include "operators_testing.hpp"
#include "run_input.hpp"

namespace {

using xp::Axis;
using xp::BoundaryConditions;
using xp::BoundaryKind;
using xp::Order;
using xp::Region;
using xp::SweepCuts;
using xp::SweepPlan;
using xp::SweepRange;

// Every cell takes every step once, when all of its neighbours have taken exactly the step before.
void follow(const SweepCuts& cuts, int steps) {
  std::vector<int> taken(static_cast<std::size_t>(cuts.cells), 0);
  const auto at = [&](int cell) -> int& {
    return taken[static_cast<std::size_t>((cell + cuts.cells) % cuts.cells)];
  };
  for (const bool gaps : {false, true})
    for (int n = 0; n < cuts.count(gaps); ++n) {
      const SweepRange range = cuts.range(gaps, n);
      for (int step = 0; step < steps; ++step) {
        for (int cell = range.first(step); cell < range.last(step); ++cell) {
          ASSERT_EQ(at(cell), step) << "cell " << cell;
          for (int m = -cuts.reach; m <= cuts.reach; ++m)
            if (cuts.wraps || (cell + m >= 0 && cell + m < cuts.cells)) {
              // One step ahead is in the other array still, two would have overwritten it.
              ASSERT_GE(at(cell + m), step) << cell << " reads " << cell + m;
              ASSERT_LE(at(cell + m), step + 1) << cell << " reads " << cell + m;
            }
        }
        for (int cell = range.first(step); cell < range.last(step); ++cell) ++at(cell);
      }
    }
  for (int cell = 0; cell < cuts.cells; ++cell) EXPECT_EQ(at(cell), steps) << "cell " << cell;
}

TEST(SweepCuts, EveryCellTakesEveryStepOnceAfterItsNeighbours) {
  for (const int reach : {1, 2})
    for (const int steps : {2, 3, 4, 8})
      for (const bool wraps : {false, true})
        for (const int parts : {1, 2, 3, 5})
          for (const int more : {0, 1, 7})
            follow({2 * steps * reach * parts + more, parts, wraps, reach}, steps);
}

xp::GridSpec grid_spec(std::vector<int> cells, Order order, std::array<bool, 3> periodic) {
  xp::GridSpec spec;
  spec.dimensions = static_cast<int>(cells.size());
  for (std::size_t a = 0; a < cells.size(); ++a) spec.cells[a] = cells[a];
  spec.periodic = periodic;
  spec.ghosts = xp::ghost_width(order);
  return spec;
}

TEST(SweepPlan, FitsTheCacheAndTheThreads) {
  const auto plan = [](std::vector<int> cells, int threads, Order order = Order::second) {
    return xp::plan_sweep(xp::Grid(grid_spec(cells, order, {})), order, {}, 2, 8, threads);
  };
  EXPECT_EQ(plan({1000000}, 1).steps, 1) << "no layers in one dimension";
  EXPECT_EQ(plan({100, 100}, 1).steps, 1) << "in the cache anyway";
  EXPECT_EQ(plan({100, 100}, 2).steps, 8);
  EXPECT_EQ(plan({100, 100}, 2).layers.parts, 2);
  xp::GridSpec wide = grid_spec({100, 100}, Order::second, {});
  wide.ghosts = 2;
  EXPECT_EQ(xp::plan_sweep(xp::Grid(wide), Order::second, {}, 2, 8, 2).steps, 1);
  EXPECT_EQ(plan({4096, 4096}, 1).steps, 8);
  EXPECT_EQ(plan({4096, 4096}, 1).layers.parts, 1);
  EXPECT_EQ(plan({4096, 4096}, 64).layers.parts, 64);
  EXPECT_EQ(plan({16000, 2000}, 1).steps, 4);
  EXPECT_EQ(plan({1000000, 2000}, 1).steps, 1) << "not even two rows fit";
  EXPECT_EQ(plan({256, 256, 256}, 1).steps, 8);
  const SweepPlan many = plan({256, 256, 256}, 128);
  EXPECT_GE(many.layers.parts * many.rows.parts, 128);
  // Never cut so finely that gaps meet.
  for (const int threads : {1, 2, 7, 64, 200})
    for (const int cells : {5, 40, 300})
      for (const Order order : {Order::second, Order::fourth}) {
        const SweepPlan p = plan({cells, cells, cells}, threads, order);
        if (p.layers.parts > 1) {
          EXPECT_GE(p.layers.cells / p.layers.parts, 2 * p.steps * p.layers.reach);
        }
        if (p.rows.parts > 1) {
          EXPECT_GE(p.rows.cells / p.rows.parts, 2 * p.steps * p.rows.reach);
        }
      }
}

xp::Program number(double value) {
  return *xp::compile(fmt::format("{:.17g}", value), xp::Symbols()).program;
}

template <class K>
class SweepOfKind : public testing::Test {
 public:
  using Space = typename K::Space;
  using Real = typename K::Real;

  // `steps` steps by a sweep cut in so many parts against as many single steps.
  template <int dimensions, int order>
  static void compare(const std::vector<int>& cells, const BoundaryConditions& conditions,
                      int steps, int layer_parts, int row_parts) {
    if constexpr (xp::is_host_space<Space>) {
      const Order as_order = order == 2 ? Order::second : Order::fourth;
      // As in an input: the grid of an antiperiodic axis is not called periodic.
      std::array<bool, 3> periodic{};
      for (std::size_t a = 0; a < dimensions; ++a)
        periodic[a] = conditions[a][0].kind == BoundaryKind::periodic;
      const xp::Grid grid(grid_spec(cells, as_order, periodic));
      const xp::Box own = grid.cells(Region::own);
      xp::GhostFiller<Space, Real> ghosts(grid, conditions, as_order);
      ASSERT_TRUE(ghosts.is_steady());
      const Space space;
      const auto source = xp_test::make_field<Space, Real>(grid, "source");
      const auto start = [&] {
        auto field = xp_test::make_field<Space, Real>(grid, "u");
        xp_test::visit(field, grid, Region::own, [&](int, int k, int j, int i, const double*) {
          const int mixed = (k * 7919 + j * 104729 + i * 1299709) % 1000;
          field.view()(k, j, i) = static_cast<Real>(0.001 * mixed - 0.3);
          source.view()(k, j, i) = static_cast<Real>(0.01 * (mixed % 17));
        });
        return field;
      };
      using Rate = xp::ConstantDiffusion<dimensions, order, Space, Real>;
      const auto rate = [&](const xp::Field<Space, Real>& u) {
        Rate result{};
        result.u = u.view();
        for (int a = 0; a < dimensions; ++a) result.factor[a] = static_cast<Real>(1 + 0.25 * a);
        result.source = Real(0.125);
        return result;
      };
      const auto update = [&](const xp::Field<Space, Real>& u) {
        xp::StageTarget<Space, Real> result;
        result.rate = Real(0.04);
        result.add(u.view(), 1);
        if (dimensions == 3) result.add(source.view(), 0.04);
        return result;
      };
      xp::Field<Space, Real> single[2] = {start(), start()};
      for (int n = 0; n < steps; ++n) {
        const xp::Field<Space, Real>&in = single[n % 2], &out = single[1 - n % 2];
        ghosts.fill(space, in.view(), 0);
        xp::StageTarget<Space, Real> target = update(in);
        target.target = out.view();
        xp::apply_stage(space, "single", own, rate(in), &target, 1);
      }
      const xp::Field<Space, Real> swept[2] = {start(), start()};
      xp::Sweep<dimensions, order, Space, Real, Rate> sweep;
      for (const int n : {0, 1}) {
        sweep.u[n] = swept[n].view();
        sweep.rate[n] = rate(swept[n]);
        sweep.update[n] = update(swept[n]);
      }
      sweep.ghosts = ghosts.template steady<order>();
      sweep.own = own;
      constexpr int reach = xp::ghost_width(order == 2 ? Order::second : Order::fourth);
      sweep.plan.steps = steps;
      sweep.plan.lag = order == 2 ? 1 : 3;
      const auto wraps = [&](int axis) { return (ghosts.ends().wraps >> axis & 1u) != 0; };
      sweep.plan.layers = {cells.back(), layer_parts, wraps(dimensions - 1), reach};
      sweep.plan.rows = {dimensions == 3 ? cells[1] : 1, row_parts, row_parts > 1 && wraps(1),
                         reach};
      ghosts.fill(space, swept[0].view(), 0);
      sweep.run(space, "sweep", steps);
      space.fence();
      const auto a = single[steps % 2].view(), b = swept[steps % 2].view();
      int wrong = 0;
      xp_test::visit(swept[0], grid, Region::own, [&](int, int k, int j, int i, const double*) {
        if (a(k, j, i) == b(k, j, i)) return;
        if (++wrong < 4) ADD_FAILURE() << k << ' ' << j << ' ' << i;
      });
      ASSERT_EQ(wrong, 0) << dimensions << "-D, order " << order << ", " << steps << " steps, "
                          << layer_parts << " x " << row_parts << " parts";
    }
  }

  template <int order>
  static void compare_all() {
    constexpr int reach = order == 2 ? 1 : 2;
    std::vector<BoundaryConditions> all(5);
    const auto set = [](xp::BoundaryCondition& side, BoundaryKind kind, double value) {
      side.kind = kind;
      side.value = number(value);
      side.alpha = number(1);
      side.beta = number(0.5);
    };
    for (std::size_t a = 0; a < 3; ++a) {
      for (auto& side : all[0][a]) side.kind = BoundaryKind::periodic;
      for (auto& side : all[1][a]) side.kind = BoundaryKind::antiperiodic;
      set(all[2][a][0], BoundaryKind::dirichlet, 0.25);
      set(all[2][a][1], BoundaryKind::neumann, -1);
      set(all[3][a][0], BoundaryKind::robin, 0.5);
      all[3][a][1].kind = BoundaryKind::outflow;
    }
    // One kind along each axis.
    all[4] = {all[2][0], all[0][1], all[3][2]};
    for (const BoundaryConditions& conditions : all)
      for (const int steps : {2, 3, 8})
        for (const int parts : {1, 2, 3}) {
          const int size = 2 * steps * reach * parts + 1;
          compare<2, order>({9, size}, conditions, steps, parts, 1);
          if (steps == 8) continue;
          for (const int row_parts : {1, 2, 3})
            compare<3, order>({7, 2 * steps * reach * row_parts + 1, size}, conditions, steps,
                              parts, row_parts);
        }
  }
};
TYPED_TEST_SUITE(SweepOfKind, xp_test::AllKinds);

TYPED_TEST(SweepOfKind, GivesTheBitsOfSingleSteps) {
  TestFixture::template compare_all<2>();
  TestFixture::template compare_all<4>();
}

// Wants to see every step, so that none are taken together.
class EveryStep final : public xp::Monitor {};

// Sees what the loop shows it.
class Witness final : public xp::Monitor {
 public:
  explicit Witness(std::set<std::int64_t>& seen) : seen_(seen) {}
  std::optional<xp::Ending> look(const xp::RunState& state) override {
    seen_.insert(state.step);
    return {};
  }
  std::int64_t next_step(std::int64_t) const override { return 1'000'000; }

 private:
  std::set<std::int64_t>& seen_;
};

class SweptRuns : public testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {
};

TEST_P(SweptRuns, AreThoseOfSingleSteps) {
  const auto [backend, precision, special] = GetParam();
  // Large enough to be out of one core's cache.
  const std::string text = R"yaml(
xpsim: 1
grid: {cells: [300, 400], periodic: x}
model: heat
heat: {initial: "sin(2*pi*x)*y + 0.1*cos(9*x*y)"}
boundary_conditions: {u: {y-: {dirichlet: 0.25}, y+: {robin: {alpha: 1, beta: 0.5, value: 1}}}}
time: {scheme: euler, end: 2e-4}
output: {every: 3e-5}
)yaml";
  std::vector<std::string> overrides = {"run.backend=" + backend, "run.precision=" + precision};
  if (!special.empty()) overrides.push_back(special);
  if (special.rfind("grid.periodic", 0) == 0) overrides.push_back("boundary_conditions={}");
  std::set<std::int64_t> seen;
  const test::Run together = test::run(
      text, overrides, xp::builtin_models(),
      [&](xp::Simulation& simulation) { simulation.add_monitor(std::make_unique<Witness>(seen)); });
  const test::Run single = test::run(
      text, overrides, xp::builtin_models(),
      [&](xp::Simulation& simulation) { simulation.add_monitor(std::make_unique<EveryStep>()); });
  EXPECT_EQ(together.report.steps, single.report.steps);
  EXPECT_EQ(together.report.time, single.report.time);
  EXPECT_EQ(together.report.transfers.to_host.count, single.report.transfers.to_host.count);
  EXPECT_EQ(together.u, single.u);
  const bool host = backend == "serial" || backend == "openmp";
  if (host) {
    EXPECT_LT(static_cast<double>(seen.size()), 0.6 * static_cast<double>(together.report.steps))
        << "no steps were taken together";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Backends, SweptRuns,
    testing::Combine(testing::ValuesIn(test::backend_names()), testing::Values("double", "float"),
                     testing::Values("", "numerics.order=4", "heat.source=x*y",
                                     "heat.diffusivity=1 + x*y", "output.every=7 steps",
                                     "time.max_steps=13",
                                     "boundary_conditions.u.y+={dirichlet: 0.5}",
                                     "boundary_conditions={u: {y: antiperiodic}}",
                                     "grid.periodic=[x, y]")));

TEST(SweptRuns, NotWhereSomethingDependsOnTheTime) {
  for (const std::string special :
       {"heat.source=t", "boundary_conditions.u.y+={dirichlet: t}", "time.scheme=ssprk3"}) {
    std::set<std::int64_t> seen;
    const test::Run result =
        test::run(R"yaml(
xpsim: 1
grid: {cells: [300, 400]}
model: heat
heat: {initial: "1"}
boundary_conditions: {u: {x: {neumann: 0}, y-: {dirichlet: 0.25}, y+: {dirichlet: 0}}}
time: {scheme: euler, end: 2e-5}
)yaml",
                  {special}, xp::builtin_models(), [&](xp::Simulation& simulation) {
                    simulation.add_monitor(std::make_unique<Witness>(seen));
                  });
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), result.report.steps) << special;
  }
}

}  // namespace
