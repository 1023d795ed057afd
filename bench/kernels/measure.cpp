// Filling ghost cells and reducing a field: what a step and a monitor cost beside the stencil.

#include <common/heat_run.hpp>
#include <common/plain_loops.hpp>
#include <kernels/bench.hpp>
#include <xp/field/ghosts.hpp>
#include <xp/operators/measure.hpp>

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

// A field of so many cells in a row, without ghosts, as one array.
template <class Space, class F>
void sum_a_row(benchmark::State& state, xp::Backend backend, std::int64_t cells, const F& sum) {
  xp::GridSpec spec;
  spec.dimensions = 1;
  spec.cells = {cells, 1, 1};
  const xp::Grid grid(spec);
  const Space space;
  xp::FieldInfo info;
  info.ghosted = false;
  const xp::Field<Space, double> u(grid, info);
  xp::Box box;
  box.upper[0] = static_cast<int>(cells);
  box.upper[1] = box.upper[2] = 1;
  const auto host = xp::host_mirror(u);
  for (int i = 0; i < box.upper[0]; ++i) host(0, 0, 0, i) = 1.0 / (i + 3) - 1e-7;
  xp::to_device(host, u);
  const double seconds = time_steps(
      state, static_cast<double>(cells), [&] { benchmark::DoNotOptimize(sum(space, u, box)); },
      [] {});
  const double bytes = 8.0 * static_cast<double>(cells);
  report(state, seconds, static_cast<double>(cells), bytes, bytes, xp::threads(backend));
}

// The reproducible sums beside the plain one.
template <class Space>
void add_sums(xp::Backend backend, const std::string& where, std::int64_t cells) {
  const auto add = [&](const std::string& what, const auto& run) {
    benchmark::RegisterBenchmark((what + "/" + std::to_string(cells) + "/" + where).c_str(), run)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  using Field = xp::Field<Space, double>;
  if constexpr (xp::is_host_space<Space>)
    add("sum/plain", [=](benchmark::State& state) {
      const int threads = xp::threads(backend);
      sum_a_row<Space>(state, backend, cells, [=](const Space&, const Field& u, const xp::Box&) {
        return plain::sum(&u.view()(0, 0, 0), cells, threads);
      });
    });
  for (const auto& [name, want] :
       {std::pair{"extrema", xp::Want::extrema}, std::pair{"sum/reproducible", xp::Want::sum},
        std::pair{"sum_square/reproducible", xp::Want::sum_square},
        std::pair{"sums/reproducible", xp::Want::sum | xp::Want::sum_abs | xp::Want::sum_square},
        std::pair{"sums/everything", xp::Want::all}})
    add(name, [=, want = want](benchmark::State& state) {
      xp::Measure<Space, double> measure;
      sum_a_row<Space>(state, backend, cells,
                       [&](const Space& space, const Field& u, const xp::Box& box) {
                         if (measure.box().count() == 0) measure = xp::Measure<Space, double>(box);
                         return measure.sums(space, u.view(), want).sum;
                       });
    });
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
  for (const std::int64_t cells : {80'000'000, 10'000'000, 10'000})
    for_each_backend([&](xp::Backend backend, const std::string& where) {
      xp::with_space(backend,
                     [&](auto space) { add_sums<decltype(space)>(backend, where, cells); });
    });
}

}  // namespace bench
