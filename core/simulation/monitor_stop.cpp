#include <cmath>

#include <fmt/format.h>

#include <xp/simulation/monitor.hpp>
#include <xp/time/control.hpp>

namespace xp {
namespace {

// Ends a run when an expression of the input becomes true.
class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const StopSettings& settings) : settings_(settings) {}

  std::string name() const override { return "stop"; }
  void prepare(Model& model) override { handle_ = model.add_expression(settings_.expression); }
  std::optional<Ending> look(const RunState& state) override {
    if (state.step % settings_.check_every != 0 && !state.last) return {};
    const double value = state.model.scalar(handle_, state.time);
    if (std::isnan(value)) return look_for_divergence(state);
    if (value == 0) return {};
    return Ending{RunStatus::completed, fmt::format("stopped at t = {:.6g}, step {}: {}",
                                                    state.time, state.step, settings_.text)};
  }
  std::int64_t next_step(std::int64_t step) const override {
    return next_multiple(step, settings_.check_every);
  }

 private:
  const StopSettings& settings_;
  int handle_ = -1;
};

}  // namespace

std::unique_ptr<Monitor> make_stop_monitor(const StopSettings& settings) {
  return std::make_unique<StopMonitor>(settings);
}

}  // namespace xp
