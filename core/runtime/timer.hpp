// Wall-clock time of the phases of a run; phases are regions to Kokkos' profiling tools.
#pragma once

#include <chrono>

#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Seconds since construction, by a clock that never goes back.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds the time of its life to `total` and shows it to profilers under `name`.
class ScopedTimer {
 public:
  ScopedTimer(const char* name, double& total) : total_(total) {
    Kokkos::Profiling::pushRegion(name);
  }
  ~ScopedTimer() {
    Kokkos::Profiling::popRegion();
    total_ += watch_.seconds();
  }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  Stopwatch watch_;
  double& total_;
};

}  // namespace xp
