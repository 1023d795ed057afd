// Between outputs a run allocates nothing and copies no field to the host; the convergence norm
// leaves the device only at its checks.
#include <atomic>

#include <gtest/gtest.h>

#include "run_input.hpp"

extern "C" long heap_allocations(void);  // heap_counter.c

namespace {

std::atomic<long> kokkos_allocations{0};

void count_kokkos(Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t) {
  ++kokkos_allocations;
}

struct Counts {
  long heap = 0, kokkos = 0;
  xp::Transfers transfers;
  static Counts now() { return {heap_allocations(), kokkos_allocations, xp::transfers()}; }
};

// Remembers the counts after the first and after the last step.
class Watch final : public xp::Monitor {
 public:
  Watch(Counts& first, Counts& last) : first_(first), last_(last) {}
  std::optional<xp::Ending> look(const xp::RunState& state) override {
    if (state.step == 1) {
      forbid_ = std::make_unique<xp::ForbidTransfers>();
      first_ = Counts::now();
    }
    if (state.step == 99) {
      last_ = Counts::now();
      forbid_.reset();
    }
    return {};
  }

  std::int64_t next_step(std::int64_t step) const override {
    return step < 1 ? 1 : step < 99 ? 99 : step + 1;
  }

 private:
  Counts &first_, &last_;
  std::unique_ptr<xp::ForbidTransfers> forbid_;
};

class QuietSteps : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(QuietSteps, AllocateNothingAndKeepFieldsOnTheDevice) {
  Kokkos::Tools::Experimental::set_allocate_data_callback(count_kokkos);
  const auto [backend, scheme] = GetParam();
  Counts first, last;
  const test::Run result = test::run(
      R"yaml(
xpsim: 1
grid: {cells: [40, 50], periodic: x}
model: heat
heat: {diffusivity: "1 + 0.5*sin(2*pi*x)", source: "sin(t)*y", initial: "sin(2*pi*x)*y"}
boundary_conditions: {u: {y: {robin: {alpha: 1, beta: 1, value: "t*x"}}}}
time: {end: 1, max_steps: 100}
convergence: {tolerance: 1e-300, check_every: 25}
)yaml",
      {"run.backend=" + backend, "time.scheme=" + scheme}, xp::builtin_models(),
      [&](xp::Simulation& simulation) {
        simulation.add_monitor(std::make_unique<Watch>(first, last));
      });
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  EXPECT_EQ(result.report.steps, 100) << result.report.message;
  EXPECT_GT(first.kokkos, 0) << "the counter does not count";
  EXPECT_GT(first.heap, 0) << "the counter does not count";
  EXPECT_EQ(last.kokkos, first.kokkos);
#if KOKKOS_VERSION < 50000
  EXPECT_EQ(last.heap, first.heap);
#else
  // Kokkos 5 itself keeps small things of its launches on the host's heap.
  EXPECT_LT(last.heap - first.heap, 98 * 40);
#endif
  EXPECT_EQ(last.transfers.to_host.count, first.transfers.to_host.count);
  EXPECT_EQ(last.transfers.to_device.count, first.transfers.to_device.count);
  // Steps 25, 50 and 75: one norm each; rk32 and rk54 need the error of every try besides.
  const long scalars = last.transfers.scalars_to_host.count - first.transfers.scalars_to_host.count;
  const bool adaptive = scheme == "rk32" || scheme == "rk54";
  EXPECT_GE(scalars, adaptive ? 3 + 98 : 3);
  EXPECT_LE(scalars, adaptive ? 3 + 98 + result.report.rejected_steps : 3);
  // The first and the last snapshot.
  EXPECT_EQ(result.report.transfers.to_host.count, 2);
  EXPECT_EQ(result.report.transfers.to_host.bytes, 2 * 40 * 50 * 8);
}

TEST(Sweeps, SeveralStepsPerPassAllocateNothing) {
  for (const std::string& backend : test::backend_names()) {
    Kokkos::Tools::Experimental::set_allocate_data_callback(count_kokkos);
    Counts first, last;
    const test::Run result = test::run(
        R"yaml(
xpsim: 1
grid: {cells: [300, 400], periodic: x}
model: heat
heat: {initial: "sin(2*pi*x)*y"}
boundary_conditions: {u: {y: {dirichlet: 0.5}}}
time: {scheme: euler, end: 1, max_steps: 100}
)yaml",
        {"run.backend=" + backend}, xp::builtin_models(), [&](xp::Simulation& simulation) {
          simulation.add_monitor(std::make_unique<Watch>(first, last));
        });
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    EXPECT_EQ(result.report.steps, 100) << result.report.message;
    EXPECT_GT(first.kokkos, 0);
    EXPECT_EQ(last.kokkos, first.kokkos) << backend;
#if KOKKOS_VERSION < 50000
    EXPECT_EQ(last.heap, first.heap) << backend;
#endif
    EXPECT_EQ(last.transfers.to_host.count, first.transfers.to_host.count);
    EXPECT_EQ(last.transfers.scalars_to_host.count, first.transfers.scalars_to_host.count);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, QuietSteps,
                         testing::Combine(testing::ValuesIn(test::backend_names()),
                                          testing::Values("euler", "ssprk3", "rk4", "rk32",
                                                          "rk54")));

TEST(Transfers, AreForbiddenWhereTheyAre) {
  xp::GridSpec spec;
  spec.cells = {4, 1, 1};
  xp::FieldInfo info;
  info.name = "u";
  const xp::Field<Kokkos::Serial, double> field(xp::Grid(spec), info);
  const auto mirror = xp::host_mirror(field);
  const xp::Transfers before = xp::transfers();
  {
    const xp::ForbidTransfers forbid;
    EXPECT_THROW(xp::host_mirror(field), std::logic_error);
    EXPECT_THROW(xp::to_device(mirror, field), std::logic_error);
  }
  EXPECT_EQ(xp::transfers().to_host.count, before.to_host.count);
  xp::host_mirror(field);
  EXPECT_EQ(xp::transfers().to_host.count, before.to_host.count + 1);
  EXPECT_EQ(xp::transfers().to_host.bytes, before.to_host.bytes + 6 * 8);
}

}  // namespace
