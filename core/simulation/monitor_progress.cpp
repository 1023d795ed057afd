#include <xp/simulation/monitor.hpp>

#include <algorithm>
#include <limits>

namespace xp {
namespace {

class ProgressMonitor final : public Monitor {
 public:
  ProgressMonitor(ProgressSink sink, std::int64_t expected_steps, const Settings& settings)
      : sink_(std::move(sink)), expected_(expected_steps), settings_(settings) {}

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
  void show(const RunState& state) {
    Progress progress;
    progress.step = state.step;
    progress.steps = expected_;
    progress.time = state.time;
    progress.step_size = state.step_size;
    progress.seconds = state.seconds;
    progress.fraction = -1;
    if (settings_.end)
      progress.fraction = *settings_.end > settings_.start
                              ? (state.time - settings_.start) / (*settings_.end - settings_.start)
                              : 1;
    if (state.seconds > 0) {
      progress.steps_per_second = static_cast<double>(state.step) / state.seconds;
      progress.cell_updates_per_second =
          progress.steps_per_second * static_cast<double>(state.report.cells);
      if (progress.fraction > 0)
        progress.seconds_left = state.seconds * std::max(0.0, 1 / progress.fraction - 1);
    }
    shown_ = state.seconds;
    sink_(progress);
  }

  static constexpr double interval = 0.25;  // seconds
  ProgressSink sink_;
  std::int64_t expected_;
  const Settings& settings_;
  double shown_ = 0;
};

}  // namespace

std::unique_ptr<Monitor> make_progress_monitor(ProgressSink sink, std::int64_t expected_steps,
                                               const Settings& settings) {
  return std::make_unique<ProgressMonitor>(std::move(sink), expected_steps, settings);
}

}  // namespace xp
