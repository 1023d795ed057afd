// One contender of bench/side_by_side/heat, in a process of its own because the number of threads
// of Kokkos is that of a process. Started by the script, which takes turns between contenders:
//
//   xp_bench_heat CONTENDER THREADS PRECISION NX NY [NZ]     contender: triad, plain, plain-fused,
//                                                            serial, openmp, cuda; with
//                                                            "-single" one step per pass
//
// Commands on the standard input, one answer on the standard output each:
//   N      runs N steps                      seconds that they took, by the clock and of processors
//   info   -                                 versions, as JSON
//   sum    -                                 sum of u over the cells (triad: bytes moved per step)

#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include <common/heat_run.hpp>
#include <common/plain_loops.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/runtime/version.hpp>

namespace {

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void steps(long count) = 0;  ///< all work has ended when it returns
  virtual double sum() = 0;
};

class Triad final : public Contender {
 public:
  explicit Triad(int threads)
      : threads_(threads),
        a_(plain::make_array<double>(count, threads)),
        b_(plain::make_array<double>(count, threads)),
        c_(plain::make_array<double>(count, threads)) {}
  void steps(long number) override {
    for (long n = 0; n < number; ++n)
      plain::triad(a_.get(), b_.get(), c_.get(), 3.0, count, threads_);
  }
  double sum() override { return 24.0 * count; }

 private:
  static constexpr std::int64_t count = 45'000'000;  // 1.08 GB in the three arrays
  int threads_;
  plain::Array<double> a_, b_, c_;
};

template <class Real>
class Plain final : public Contender {
 public:
  Plain(const std::vector<int>& cells, int threads, bool one_pass)
      : threads_(threads), one_pass_(one_pass) {
    step_.nx = cells[0];
    step_.ny = cells[1];
    step_.nz = cells.size() > 2 ? cells[2] : 0;
    double rate = 0;
    for (const int n : cells) rate += 4.0 * n * n;
    const double dt = bench::part_of_limit * 2 / rate;  // times D, which is in the rate too
    step_.rx = static_cast<Real>(dt * cells[0] * cells[0]);
    step_.ry = static_cast<Real>(dt * cells[1] * cells[1]);
    if (step_.nz) step_.rz = static_cast<Real>(dt * cells[2] * cells[2]);
    u_ = plain::make_array<Real>(step_.size(), threads);
    out_ = plain::make_array<Real>(step_.size(), threads);
    each([&](std::int64_t at, double value) { u_[at] = static_cast<Real>(value); });
  }
  void steps(long number) override {
    for (long n = 0; n < number; ++n) {
      if (one_pass_)
        step_.in_one_pass(out_.get(), u_.get(), threads_);
      else
        step_.in_two_passes(out_.get(), u_.get(), threads_);
      std::swap(u_, out_);
    }
  }
  double sum() override {
    double sum = 0;
    each([&](std::int64_t at, double) { sum += static_cast<double>(u_[at]); });
    return sum;
  }

 private:
  // f(place in the arrays, initial value) for every own cell.
  template <class F>
  void each(const F& f) const {
    const auto mode = [](std::int64_t n, std::int64_t cells) {
      return std::sin(M_PI * (static_cast<double>(n) + 0.5) / static_cast<double>(cells));
    };
    const std::int64_t sy = step_.nx + 2, sz = sy * (step_.ny + 2);
    const bool deep = step_.nz > 0;
    std::vector<double> x;
    for (std::int64_t i = 0; i < step_.nx; ++i) x.push_back(mode(i, step_.nx));
    for (std::int64_t k = 0; k < (deep ? step_.nz : 1); ++k)
      for (std::int64_t j = 0; j < step_.ny; ++j) {
        const double yz = mode(j, step_.ny) * (deep ? mode(k, step_.nz) : 1);
        for (std::int64_t i = 0; i < step_.nx; ++i)
          f((deep ? (k + 1) * sz : 0) + (j + 1) * sy + i + 1, x[static_cast<std::size_t>(i)] * yz);
      }
  }

  plain::HeatStep<Real> step_;
  int threads_;
  bool one_pass_;
  plain::Array<Real> u_, out_;
};

class Xpsim final : public Contender {
 public:
  Xpsim(const bench::HeatCase& heat, bool single)
      : cells_(heat.cell_count()), single_(single), run_(heat) {}
  void steps(long number) override {
    run_.steps(number, single_);
    run_.fence();
  }
  double sum() override { return run_.model().statistics(0, 0).mean * static_cast<double>(cells_); }

 private:
  std::int64_t cells_;
  bool single_;
  bench::HeatRun run_;
};

std::unique_ptr<Contender> make(const std::string& name, const bench::HeatCase& heat, int threads) {
  if (name == "triad") return std::make_unique<Triad>(threads);
  if (name == "plain" || name == "plain-fused") {
    const bool fused = name != "plain";
    if (heat.precision == xp::Precision::float_)
      return std::make_unique<Plain<float>>(heat.cells, threads, fused);
    return std::make_unique<Plain<double>>(heat.cells, threads, fused);
  }
  bench::HeatCase chosen = heat;
  const std::string ending = "-single";
  const bool single = name.ends_with(ending);
  chosen.backend =
      xp::backend_from_name(single ? name.substr(0, name.size() - ending.size()) : name);
  return std::make_unique<Xpsim>(chosen, single);
}

void serve(Contender& contender) {
  std::string line;
  std::puts("ready");
  std::fflush(stdout);
  while (std::getline(std::cin, line)) {
    if (line == "sum") {
      std::printf("%.17g\n", contender.sum());
    } else if (line == "info") {
      std::printf("{\"kokkos\": \"%s\"}\n", xp::build_info().kokkos.c_str());
    } else {
      const long count = std::stol(line);
      const xp::Stopwatch watch;
      const std::clock_t processor = std::clock();
      contender.steps(count);
      std::printf("%.9g %.9g\n", watch.seconds(),
                  static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fputs("usage: xp_bench_heat CONTENDER THREADS PRECISION NX NY [NZ]\n", stderr);
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  int code = 0;
  try {
    const int threads = std::stoi(argv[2]);
    bench::HeatCase heat;
    if (std::string(argv[3]) == "float") heat.precision = xp::Precision::float_;
    for (int n = 4; n < argc; ++n) heat.cells.push_back(std::stoi(argv[n]));
    const xp::KokkosSession kokkos(threads, {});
    serve(*make(argv[1], heat, threads));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xp_bench_heat: %s\n", error.what());
    code = 1;
  }
  MPI_Finalize();
  return code;
}
