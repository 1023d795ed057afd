// Functions of expressions over a chunk of 64 values in cache, beside a loop over those of the C++
// library: what a cell of a source, boundary value or output expression costs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <kernels/bench.hpp>
#include <xp/expr/device_program.hpp>

namespace bench {
namespace {

constexpr int chunk_lanes = 64;
using Chunk = std::array<double, chunk_lanes>;

// f(out, a, b) of chunks with values between 0.1 and 2.1.
template <class F>
void time_chunks(benchmark::State& state, const F& f) {
  Chunk a, b, out;
  for (std::size_t lane = 0; lane < chunk_lanes; ++lane) {
    a[lane] = 0.1 + static_cast<double>(lane) / 32;
    b[lane] = 2.1 - static_cast<double>(lane) / 32;
  }
  for (auto _ : state) {
    f(out, a, b);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.counters["s/value"] =
      benchmark::Counter(chunk_lanes * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <xp::Op op, class Standard>
void compare(const std::string& name, const Standard& standard) {
  benchmark::RegisterBenchmark(("function/" + name).c_str(), [](benchmark::State& state) {
    time_chunks(state, [](Chunk& out, const Chunk& a, const Chunk& b) {
      xp::detail::apply_lanes<op, chunk_lanes>(chunk_lanes, out.data(), a.data(), b.data(),
                                               b.data());
    });
  });
  benchmark::RegisterBenchmark(("function_std/" + name).c_str(), [=](benchmark::State& state) {
    time_chunks(state, [=](Chunk& out, const Chunk& a, const Chunk& b) {
      for (std::size_t lane = 0; lane < chunk_lanes; ++lane) out[lane] = standard(a[lane], b[lane]);
    });
  });
}

void evaluate(benchmark::State& state, const char* text) {
  const xp::DeviceProgram<Kokkos::Serial> program(*xp::compile(text, xp::Symbols()).program);
  time_chunks(state, [&](Chunk& out, const Chunk& a, const Chunk& b) {
    double values[chunk_lanes];
    program.run<chunk_lanes>([&](int slot, int lane) { return slot == 0 ? a[lane] : b[lane]; },
                             chunk_lanes, values);
    std::copy(values, values + chunk_lanes, out.begin());
  });
}

}  // namespace

void register_functions(const Options&) {
  using xp::Op;
#define XP_COMPARE(name) compare<Op::name>(#name, [](double a, double) { return std::name(a); });
  XP_COMPARE(exp)
  XP_COMPARE(log)
  XP_COMPARE(log10)
  XP_COMPARE(sqrt)
  XP_COMPARE(cbrt)
  XP_COMPARE(sin)
  XP_COMPARE(cos)
  XP_COMPARE(tan)
  XP_COMPARE(atan)
  XP_COMPARE(sinh)
  XP_COMPARE(cosh)
  XP_COMPARE(tanh)
  XP_COMPARE(erf)
#undef XP_COMPARE
  compare<Op::atan2>("atan2", [](double a, double b) { return std::atan2(a, b); });
  compare<Op::hypot>("hypot", [](double a, double b) { return std::hypot(a, b); });
  compare<Op::power>("power", [](double a, double b) { return std::pow(a, b); });
  for (const char* text : {"x^3", "x^0.5", "tanh(x)", "exp(-(x - 0.5)^2)*sin(2*pi*x)*cos(2*pi*y)"})
    benchmark::RegisterBenchmark((std::string("expression/") + text).c_str(),
                                 [=](benchmark::State& state) { evaluate(state, text); });
}

}  // namespace bench
