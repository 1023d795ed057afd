#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <xp/simulation/monitor.hpp>
#include <xp/time/control.hpp>

namespace xp {
namespace {

// Ends a run when it is steady. The norm is reduced on the device and leaves it only at a check.
class ConvergenceMonitor final : public Monitor {
 public:
  ConvergenceMonitor(const ConvergenceSettings& settings, int slot)
      : settings_(settings), slot_(slot), of_rate_(settings.quantity == "rate") {}

  std::string name() const override { return "convergence"; }
  void start(const RunState& state) override {
    state.report.convergence_value = NAN;
    resume(state, {});
    if (!of_rate_) state.model.copy(0, slot_);
  }
  void resume(const RunState& state, const std::string&) override {
    state.report.convergence_quantity = settings_.quantity;
    state.report.convergence_norm = settings_.norm;
  }
  int saved_slot() const override { return of_rate_ ? -1 : slot_; }

  std::optional<Ending> look(const RunState& state) override {
    if (state.step % settings_.check_every != 0 && !state.last) return {};
    return check(state);
  }

  std::int64_t next_step(std::int64_t step) const override {
    return next_multiple(step, settings_.check_every);
  }

 private:
  std::optional<Ending> check(const RunState& state) {
    Model& model = state.model;
    // The rate goes into slot 1, which holds nothing between steps.
    if (of_rate_) model.evaluate(rate_into_slot_1_, state.time, 1);
    double value = 0;
    for (int f = 0; f < static_cast<int>(model.fields().size()); ++f) {
      const double norm =
          of_rate_ ? model.norm(settings_.norm, f, 1) : model.norm(settings_.norm, f, 0, slot_);
      value = std::isnan(norm) ? norm : std::max(value, norm);
    }
    if (!of_rate_) model.copy(0, slot_);
    state.report.convergence_value = value;
    ++state.report.convergence_checks;
    if (!std::isfinite(value)) return look_for_divergence(state);
    if (value >= settings_.tolerance) return {};
    return Ending{RunStatus::converged,
                  fmt::format("{} ({}) fell to {:.3g} at t = {:.6g}, step {}", settings_.quantity,
                              settings_.norm, value, state.time, state.step)};
  }

  const Stage rate_into_slot_1_{0, 0, {StageOutput{1, 1, {}}}};
  ConvergenceSettings settings_;
  int slot_;
  bool of_rate_;
};

}  // namespace

int monitor_slots(const Settings& settings) {
  return settings.convergence && settings.convergence->quantity == "change" ? 1 : 0;
}

std::unique_ptr<Monitor> make_convergence_monitor(const ConvergenceSettings& settings,
                                                  int first_free_slot) {
  return std::make_unique<ConvergenceMonitor>(settings, first_free_slot);
}

}  // namespace xp
