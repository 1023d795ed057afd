// Equations of the input, beside the same written by hand: Euler steps, periodic, two dimensions,
// double. In cache and out of it.

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <common/heat_run.hpp>
#include <common/plain_equations.hpp>
#include <kernels/bench.hpp>

namespace bench {
namespace {

// Steps are short, so that no state changes much while a benchmark runs.
constexpr double spacing = 1, step = 1e-3, diffusion_u = 0.2, diffusion_v = 0.1, feed = 0.037,
                 kill = 0.06;

struct Case {
  const char* name;
  const char* equations;
  int fields, arrays;  ///< arrays: read and written by a step, as few times as the stencils allow
};
const Case cases[] = {
    {"gray_scott",
     "definitions: {reaction: u*v^2}\n"
     "fields: {u: 0.6 + 0.1*sin(x), v: 0.2 + 0.1*cos(y)}\n"
     "equations:\n"
     "  u: 0.2*laplacian(u) - reaction + 0.037*(1 - u)\n"
     "  v: 0.1*laplacian(v) + reaction - (0.037 + 0.06)*v\n",
     2, 6},
    {"cahn_hilliard",
     "fields: {u: 0.3*sin(x)*cos(y)}\n"
     "equations: {u: laplacian(u^3 - u - laplacian(u))}\n",
     1, 6},
    {"source",
     "fields: {u: 0.3*sin(x)*cos(y)}\n"
     "equations: {u: 0.2*laplacian(u) + exp(-u^2)*sin(u)}\n",
     1, 3},
};

std::string input(const Case& equations, int cells, xp::Backend backend) {
  const std::string n = std::to_string(cells);
  return "xpsim: 1\nmodel: equations\ngrid: {upper: [" + n + ", " + n + "], cells: [" + n + ", " +
         n + "], periodic: [x, y]}\n" + equations.equations +
         "time: {scheme: euler, step: 1e-3, end: 1}\nrun: {backend: " + name(backend) + "}\n";
}

double bytes(const Case& equations, double cells) {
  return 8 * equations.arrays * cells;
}

void library(benchmark::State& state, const Case& equations, int n, xp::Backend backend) {
  ModelRun run(input(equations, n, backend), "euler");
  run.set_time_step(step);
  const double cells = static_cast<double>(n) * n;
  const double seconds = time_steps(
      state, cells, [&] { run.step(); }, [&] { run.fence(); });
  report(state, seconds, cells, bytes(equations, cells), 16 * equations.fields * cells,
         xp::threads(backend));
}

// Arrays with what the library's start with at large; only their size matters.
std::vector<plain::Array<double>> arrays(int count, std::int64_t size, int threads) {
  std::vector<plain::Array<double>> all;
  for (int m = 0; m < count; ++m) {
    all.push_back(plain::make_array<double>(size, threads));
    for (std::int64_t i = 0; i < size; ++i)
      all.back()[i] = 0.3 + 1e-4 * static_cast<double>(i % 1000);
  }
  return all;
}

void by_hand(benchmark::State& state, const Case& equations, int n, int threads) {
  const double cells = static_cast<double>(n) * n, r = 1 / (spacing * spacing);
  const std::int64_t size = plain::Square{n, n}.size();
  auto all = arrays(4, size, threads);
  std::function<void()> take;
  const std::string which = equations.name;
  if (which == "gray_scott")
    take = [&, gray_scott =
                   plain::GrayScott{{n, n}, diffusion_u * r, diffusion_v * r, feed, kill, step}] {
      gray_scott(all[2].get(), all[3].get(), all[0].get(), all[1].get(), threads);
      std::swap(all[0], all[2]);
      std::swap(all[1], all[3]);
    };
  else if (which == "cahn_hilliard")
    take = [&, cahn_hilliard = plain::CahnHilliard{{n, n}, r, step}] {
      cahn_hilliard(all[1].get(), all[0].get(), all[2].get(), threads);
      std::swap(all[0], all[1]);
    };
  else
    take = [&, source = plain::HeatedBySource{{n, n}, diffusion_u * r, step}] {
      source(all[1].get(), all[0].get(), threads);
      std::swap(all[0], all[1]);
    };
  const double seconds = time_steps(state, cells, take, [] {});
  report(state, seconds, cells, bytes(equations, cells), 16 * equations.fields * cells, threads);
}

}  // namespace

void register_equations(const Options&) {
  for (const Case& equations : cases)
    for (const int n : {128, 256, 4096}) {
      const std::string start = std::string("equations/") + equations.name + "/" +
                                std::to_string(n) + "x" + std::to_string(n) + "/";
      for (int threads = 1; threads <= all_threads(); threads += std::max(1, all_threads() - 1))
        add(start + "by_hand/threads:" + std::to_string(threads),
            [=](benchmark::State& state) { by_hand(state, equations, n, threads); });
      for_each_backend([&](xp::Backend backend, const std::string& where) {
        add(start + "input/" + where,
            [=](benchmark::State& state) { library(state, equations, n, backend); });
      });
    }
}

}  // namespace bench
