// Kernels under Google Benchmark: xp_bench_kernels [--threads=N] [--folder=DIR] [--benchmark_...]
// The number of threads of Kokkos is that of the process: run it twice for one and all threads.

#include <cstdio>
#include <string>
#include <vector>

#include <mpi.h>

#include <kernels/bench.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/runtime/version.hpp>

namespace {

// Takes our own options out of the arguments; Google Benchmark reports the unknown ones.
bench::Options take_options(int& argc, char** argv) {
  bench::Options options;
  int kept = 1;
  for (int n = 1; n < argc; ++n) {
    const std::string argument = argv[n];
    const std::size_t at = argument.find('=') + 1;
    if (argument.rfind("--threads=", 0) == 0)
      options.threads = std::stoi(argument.substr(at));
    else if (argument.rfind("--folder=", 0) == 0)
      options.folder = argument.substr(at);
    else
      argv[kept++] = argv[n];
  }
  argc = kept;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options = take_options(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  MPI_Init(nullptr, nullptr);
  {
    const xp::KokkosSession kokkos(options.threads, {});
    const xp::BuildInfo build = xp::build_info();
    benchmark::AddCustomContext("compiler", build.compiler);
    benchmark::AddCustomContext("flags", build.flags);
    benchmark::AddCustomContext("kokkos", build.kokkos);
    benchmark::AddCustomContext("threads", std::to_string(bench::all_threads()));
    bench::register_triad(options);
    bench::register_heat(options);
    bench::register_ghosts(options);
    bench::register_measure(options);
    bench::register_tridiagonal(options);
    bench::register_snapshot(options);
    bench::register_functions(options);
    bench::register_equations(options);
    bench::register_multigrid(options);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  }
  MPI_Finalize();
  return 0;
}
