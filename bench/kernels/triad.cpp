// The STREAM triad: what the memory gives. 1.08 GB in three arrays, and a case in cache.

#include <map>

#include <common/plain_loops.hpp>
#include <kernels/bench.hpp>

namespace bench {
namespace {

struct Arrays {
  plain::Array<double> a, b, c;
  Arrays(std::int64_t count, int threads)
      : a(plain::make_array<double>(count, threads)),
        b(plain::make_array<double>(count, threads)),
        c(plain::make_array<double>(count, threads)) {}
};

constexpr std::int64_t out_of_cache = 45'000'000, in_cache = 30'000;

void triad(benchmark::State& state, std::int64_t count, int threads) {
  const Arrays x(count, threads);
  const double seconds = time_steps(
      state, static_cast<double>(count),
      [&] { plain::triad(x.a.get(), x.b.get(), x.c.get(), 3.0, count, threads); }, [] {});
  state.counters["bytes/s"] = 24.0 * static_cast<double>(count) / seconds;
}

}  // namespace

int all_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  return xp::threads(xp::Backend::openmp);
#else
  return 1;
#endif
}

double triad_rate(int threads) {
  static std::map<int, double> known;
  if (const auto found = known.find(threads); found != known.end()) return found->second;
  const Arrays x(out_of_cache, threads);
  double best = 0;
  for (int n = 0; n < 6; ++n) {
    const xp::Stopwatch watch;
    plain::triad(x.a.get(), x.b.get(), x.c.get(), 3.0, out_of_cache, threads);
    if (n > 0) best = std::max(best, 24.0 * out_of_cache / watch.seconds());
  }
  return known[threads] = best;
}

void report(benchmark::State& state, double seconds, double cells, double bytes, double data_bytes,
            int threads) {
  state.counters["cells/s"] = cells / seconds;
  state.counters["bytes/s"] = bytes / seconds;
  constexpr double surely_no_cache = 128e6;
  if (data_bytes > surely_no_cache)
    state.counters["of_triad"] = bytes / seconds / (triad_rate(threads) * 32 / 24);
}

void register_triad(const Options&) {
  for (const std::int64_t count : {out_of_cache, in_cache})
    for (int threads = 1; threads <= all_threads(); threads += std::max(1, all_threads() - 1))
      benchmark::RegisterBenchmark(
          ("triad/" + std::to_string(count) + "/threads:" + std::to_string(threads)).c_str(),
          [=](benchmark::State& state) { triad(state, count, threads); })
          ->UseRealTime();
}

}  // namespace bench
