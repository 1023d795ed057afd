// Explicit steps of the heat model, and the same by hand.

#include <common/heat_run.hpp>
#include <common/plain_loops.hpp>
#include <kernels/bench.hpp>

namespace bench {
namespace {

const std::vector<std::vector<int>> sizes = {
    {4096, 4096}, {256, 256, 256}, {1000, 1000}, {100, 100}};

std::string label(const std::vector<int>& cells) {
  std::string text;
  for (const int n : cells) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

void model_step(benchmark::State& state, const HeatCase& heat) {
  HeatRun run(heat);
  const double cells = static_cast<double>(heat.cell_count());
  const double seconds = time_steps(
      state, cells, [&] { run.step(); }, [&] { run.fence(); });
  report(state, seconds, cells, run.least_bytes(), 2 * cells * heat.value_bytes(),
         xp::threads(heat.backend));
}

template <class Real>
void plain_step(benchmark::State& state, const std::vector<int>& cells, int threads, bool fused) {
  plain::HeatStep<Real> step;
  step.nx = cells[0];
  step.ny = cells[1];
  step.nz = cells.size() > 2 ? cells[2] : 0;
  step.rx = step.ry = step.rz = static_cast<Real>(0.1 * part_of_limit);
  auto u = plain::make_array<Real>(step.size(), threads);
  auto out = plain::make_array<Real>(step.size(), threads);
  for (std::int64_t n = 0; n < step.size(); ++n) u[n] = 1;
  const double count = static_cast<double>(step.cells());
  const double seconds = time_steps(
      state, count,
      [&] {
        if (fused)
          step.in_one_pass(out.get(), u.get(), threads);
        else
          step.in_two_passes(out.get(), u.get(), threads);
        std::swap(u, out);
      },
      [] {});
  report(state, seconds, count, 3 * sizeof(Real) * count, 2 * sizeof(Real) * count, threads);
}

void register_plain(const std::vector<int>& cells) {
  for (int threads = 1; threads <= all_threads(); threads += std::max(1, all_threads() - 1))
    for (const bool fused : {false, true}) {
      const std::string end = "/threads:" + std::to_string(threads);
      const std::string start =
          std::string("heat/") + (fused ? "plain_fused/" : "plain/") + label(cells);
      add(start + "/double" + end,
          [=](benchmark::State& s) { plain_step<double>(s, cells, threads, fused); });
      add(start + "/float" + end,
          [=](benchmark::State& s) { plain_step<float>(s, cells, threads, fused); });
    }
}

}  // namespace

void register_heat(const Options&) {
  for (const std::vector<int>& cells : sizes) {
    register_plain(cells);
    for (const xp::Precision precision : {xp::Precision::double_, xp::Precision::float_})
      for (const char* scheme : {"euler", "ssprk3"})
        for (const bool variable : {false, true})
          for (const int order : {2, 4})
            for (const bool as_equation : {false, true})
              for_each_backend([&](xp::Backend backend, const std::string& where) {
                const HeatCase heat{cells, backend,  precision,  scheme,
                                    order, variable, as_equation};
                add(std::string("heat/") + (as_equation ? "equation/" : "model/") + label(cells) +
                        "/" + name(precision) + "/" + scheme + "/" +
                        (variable ? "variable" : "constant") + "/order:" + std::to_string(order) +
                        "/" + where,
                    [heat](benchmark::State& state) { model_step(state, heat); });
              });
  }
}

}  // namespace bench
