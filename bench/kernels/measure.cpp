// Filling ghost cells and reducing a field: what a step and a monitor cost beside the stencil.

#include <common/heat_run.hpp>
#include <kernels/bench.hpp>
#include <xp/field/ghosts.hpp>

namespace bench {
namespace {

const std::vector<std::vector<int>> sizes = {{4096, 4096}, {256, 256, 256}, {100, 100}};

HeatCase case_of(const std::vector<int>& cells, xp::Backend backend) {
  HeatCase heat;
  heat.cells = cells;
  heat.backend = backend;
  return heat;
}

void fill_ghosts(benchmark::State& state, const HeatCase& heat) {
  const HeatRun run(heat);
  const xp::Grid grid(run.settings().grid);
  xp::with_space(heat.backend, [&](auto space) {
    using Space = decltype(space);
    xp::GhostFiller<Space, double> filler(grid, run.settings().boundaries[0], run.settings().order);
    const xp::Field<Space, double> u(grid, {});
    const double ghosts = static_cast<double>(grid.cells(xp::Region::ghosted).count() -
                                              grid.cells(xp::Region::own).count());
    const double seconds = time_steps(
        state, 100 * ghosts, [&] { filler.fill(space, u.view(), 0); }, [&] { space.fence(); });
    state.counters["ghosts/s"] = ghosts / seconds;
  });
}

void statistics(benchmark::State& state, const HeatCase& heat) {
  HeatRun run(heat);
  const double cells = static_cast<double>(heat.cell_count());
  const double seconds = time_steps(
      state, cells, [&] { benchmark::DoNotOptimize(run.model().statistics(0, 0)); }, [] {});
  report(state, seconds, cells, 8 * cells, 8 * cells, xp::threads(heat.backend));
}

void add(const char* what, void (*run)(benchmark::State&, const HeatCase&)) {
  for (const std::vector<int>& cells : sizes)
    for_each_backend([&](xp::Backend backend, const std::string& where) {
      std::string size;
      for (const int n : cells) size += (size.empty() ? "" : "x") + std::to_string(n);
      const HeatCase heat = case_of(cells, backend);
      benchmark::RegisterBenchmark((what + ("/" + size) + "/" + where).c_str(),
                                   [=](benchmark::State& state) { run(state, heat); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    });
}

}  // namespace

void register_ghosts(const Options&) {
  add("ghosts", fill_ghosts);
}

void register_measure(const Options&) {
  add("measure", statistics);
}

}  // namespace bench
