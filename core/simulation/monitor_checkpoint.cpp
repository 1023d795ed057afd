#include <xp/simulation/monitor.hpp>

#include <fmt/format.h>

#include <xp/io/checkpoint.hpp>
#include <xp/runtime/log.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/simulation/output_folder.hpp>
#include <xp/simulation/stop.hpp>
#include <xp/time/control.hpp>

namespace xp {
namespace {

// Writes checkpoints when the schedule says so, when the run is asked for one, and before it stops.
// It wants no time hit exactly: steps are the same with and without checkpoints.
// It looks on after all others, so that what they have written belongs to the state it saves.
class CheckpointMonitor final : public Monitor {
 public:
  CheckpointMonitor(const Communicator& communicator, const Grid& grid, const Settings& settings,
                    StopControl& stop, StateSaver save)
      : settings_(settings),
        schedule_(settings.checkpoint.schedule, settings.start),
        stop_(stop),
        save_(std::move(save)),
        writer_(communicator, checkpoint_folder(settings.directory), grid) {}

  void start(const RunState& state) override { schedule_.due(state.step, state.time, 0); }
  void resume(const RunState& state, const std::string&) override {
    schedule_.due(state.step, state.time, 0);
    last_ = state.step;
  }
  std::optional<Ending> look(const RunState& state) override {
    const bool due = schedule_.due(state.step, state.time, state.seconds);
    const StopRequest& request = state.request;
    if (due || request.checkpoint || !request.stop.empty()) {
      // Nothing could go on from a state that is lost already.
      if (auto diverged = look_for_divergence(state)) return diverged;
      write(state);
    }
    if (request.checkpoint)
      log_info(fmt::format("wrote a checkpoint at t = {}, step {}", state.time, state.step));
    if (request.stop.empty()) return {};
    return Ending{RunStatus::interrupted,
                  fmt::format("stopped by {} at t = {}, step {}; go on with --restart latest",
                              request.stop, state.time, state.step)};
  }
  void finish(const RunState& state) override {
    if (settings_.checkpoint.at_end && !state.diverged) write(state);
  }
  std::int64_t next_step(std::int64_t step) const override { return schedule_.next_step(step); }

 private:
  void write(const RunState& state) {
    if (last_ == state.step) return;
    const ScopedTimer timer("checkpoint", state.report.output_seconds);
    const Stopwatch watch;
    writer_.begin(state.step);
    const std::string text = save_(state, [&](const std::string& name, const HostArray& values) {
      writer_.write(name, values);
    });
    writer_.finish(text, settings_.checkpoint.keep);
    last_ = state.step;
    stop_.checkpoint_took(watch.seconds());
  }

  const Settings& settings_;
  Schedule schedule_;
  StopControl& stop_;
  StateSaver save_;
  CheckpointWriter writer_;
  std::int64_t last_ = -1;
};

}  // namespace

std::unique_ptr<Monitor> make_checkpoint_monitor(const Communicator& communicator, const Grid& grid,
                                                 const Settings& settings, StopControl& stop,
                                                 StateSaver save) {
  return std::make_unique<CheckpointMonitor>(communicator, grid, settings, stop, std::move(save));
}

}  // namespace xp
