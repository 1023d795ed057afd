// What the files of bench/kernels share. Each registers its benchmarks by one function.
#pragma once

#include <functional>
#include <string>

#include <benchmark/benchmark.h>

#include <xp/runtime/backend.hpp>

namespace bench {

struct Options {
  int threads = 0;           ///< 0: all
  std::string folder = ".";  ///< for files that are written
};

void register_triad(const Options& options);
void register_heat(const Options& options);
void register_ghosts(const Options& options);
void register_measure(const Options& options);
void register_tridiagonal(const Options& options);
void register_snapshot(const Options& options);
void register_functions(const Options& options);
void register_equations(const Options& options);
void register_multigrid(const Options& options);

/// Threads of hand-written loops: as many as the OpenMP backend uses.
int all_threads();

/// Bytes per second of a STREAM triad out of cache, by STREAM's count of 24 per element; measured
/// once per number of threads, best of five.
double triad_rate(int threads);

/// Runs `step` as often as Google Benchmark asks for, in batches long enough for the clock, each of
/// them ended by `fence`; returns the seconds of one step.
template <class Step, class Fence>
double time_steps(benchmark::State& state, double cells, const Step& step, const Fence& fence);

/// Counters: cell updates per second, bytes per second of the least traffic, and their part of the
/// triad's real traffic (32 bytes per element) where the data do not fit into caches.
void report(benchmark::State& state, double seconds, double cells, double bytes, double data_bytes,
            int threads);

/// Registers a benchmark of a step: wall time, in microseconds.
inline void add(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
}

/// Calls f(backend, "OpenMP/2") for each backend of the build.
template <class F>
void for_each_backend(const F& f) {
  for (const xp::Backend backend : xp::available_backends()) {
    std::string label = xp::name(backend);
    if (backend == xp::Backend::openmp) label += "/" + std::to_string(xp::threads(backend));
    f(backend, label);
  }
}

}  // namespace bench

#include <algorithm>
#include <cstdint>

#include <xp/runtime/timer.hpp>

template <class Step, class Fence>
double bench::time_steps(benchmark::State& state, double cells, const Step& step,
                         const Fence& fence) {
  const auto batch = static_cast<std::int64_t>(std::clamp(2e6 / cells, 1.0, 1000.0));
  step();  // warm caches, a team of threads that is awake
  fence();
  std::int64_t steps = 0;
  const xp::Stopwatch watch;
  while (state.KeepRunningBatch(batch)) {
    for (std::int64_t n = 0; n < batch; ++n) step();
    fence();
    steps += batch;
  }
  return watch.seconds() / static_cast<double>(std::max<std::int64_t>(steps, 1));
}
