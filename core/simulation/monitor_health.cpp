#include <limits>

#include <fmt/format.h>

#include <xp/simulation/monitor.hpp>
#include <xp/time/control.hpp>

namespace xp {

double Monitor::next_time() const {
  return std::numeric_limits<double>::infinity();
}

namespace {

// Looks for values that are not finite: often enough that little time is lost, seldom enough to
// cost nothing. A NaN never goes away by itself.
class HealthMonitor final : public Monitor {
 public:
  std::optional<Ending> look(const RunState& state) override {
    if (state.step % every != 0) return {};
    return look_now(state);
  }

  std::int64_t next_step(std::int64_t step) const override { return next_multiple(step, every); }

  static std::optional<Ending> look_now(const RunState& state) {
    for (std::size_t f = 0; f < state.model.fields().size(); ++f) {
      const std::int64_t not_finite = state.model.not_finite(0, static_cast<int>(f));
      if (not_finite > 0)
        return Ending{RunStatus::diverged,
                      fmt::format("field '{}' is not finite in {} of {} cells at t = {}, step {}",
                                  state.model.fields()[f].name, not_finite, state.report.cells,
                                  state.time, state.step)};
    }
    return {};
  }

 private:
  static constexpr std::int64_t every = 200;
};

}  // namespace

std::unique_ptr<Monitor> make_health_monitor() {
  return std::make_unique<HealthMonitor>();
}

std::optional<Ending> look_for_divergence(const RunState& state) {
  return HealthMonitor::look_now(state);
}

}  // namespace xp
