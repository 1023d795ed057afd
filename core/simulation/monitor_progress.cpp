#include <xp/simulation/monitor.hpp>

#include <algorithm>
#include <limits>

namespace xp {
namespace {

class ProgressMonitor final : public Monitor {
 public:
  ProgressMonitor(ProgressSink sink, std::int64_t expected_steps, const Settings& settings)
      : sink_(std::move(sink)), expected_(expected_steps), settings_(settings) {}

  void start(const RunState& state) override { fraction_before_ = fraction(state.time); }
  std::optional<Ending> look(const RunState& state) override {
    if (state.seconds - shown_ < interval) return {};
    show(state);
    return {};
  }
  void finish(const RunState& state) override { show(state); }
  std::int64_t next_step(std::int64_t) const override {
    return std::numeric_limits<std::int64_t>::max();
  }

 private:
  // Negative when there is no end.
  double fraction(double time) const {
    if (!settings_.end) return -1;
    if (!(*settings_.end > settings_.start)) return 1;
    return (time - settings_.start) / (*settings_.end - settings_.start);
  }
  void show(const RunState& state) {
    Progress progress;
    progress.step = state.step;
    progress.steps = expected_;
    progress.time = state.time;
    progress.step_size = state.step_size;
    progress.seconds = state.seconds;
    progress.fraction = fraction(state.time);
    if (state.seconds > 0) {
      progress.steps_per_second = static_cast<double>(state.step - state.resumed) / state.seconds;
      progress.cell_updates_per_second =
          progress.steps_per_second * static_cast<double>(state.report.cells);
      const double done = progress.fraction - fraction_before_;
      if (done > 0) progress.seconds_left = state.seconds * (1 - progress.fraction) / done;
    }
    shown_ = state.seconds;
    sink_(progress);
  }

  static constexpr double interval = 0.25;  // seconds
  ProgressSink sink_;
  std::int64_t expected_;
  const Settings& settings_;
  double shown_ = 0, fraction_before_ = 0;
};

}  // namespace

std::unique_ptr<Monitor> make_progress_monitor(ProgressSink sink, std::int64_t expected_steps,
                                               const Settings& settings) {
  return std::make_unique<ProgressMonitor>(std::move(sink), expected_steps, settings);
}

}  // namespace xp
