#include <xp/simulation/monitor.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include <xp/runtime/error.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/time/control.hpp>

namespace xp {
namespace {

// Writes series.csv: one line per time, each flushed, so that a run can be watched and nothing is
// lost when it is killed.
class SeriesMonitor final : public Monitor {
 public:
  SeriesMonitor(const Communicator& communicator, const Settings& settings)
      : settings_(settings),
        writes_(communicator.is_root()),
        schedule_(settings.series_schedule, settings.start) {}

  void prepare(Model& model) override {
    for (const SeriesColumn& column : settings_.series)
      handles_.push_back(model.add_expression(column.expression));
  }
  void start(const RunState& state) override {
    if (writes_) {
      file_.open(settings_.directory + "/series.csv", std::ios::trunc);
      file_ << "step,time";
      for (const SeriesColumn& column : settings_.series) file_ << ',' << column.name;
      file_ << '\n';
    }
    schedule_.due(state.step, state.time, 0);
    write(state);
  }
  std::optional<Ending> look(const RunState& state) override {
    if (schedule_.due(state.step, state.time, state.seconds)) write(state);
    return {};
  }
  void finish(const RunState& state) override {
    if (last_ != state.step) write(state);
  }
  double next_time() const override { return schedule_.next_time(); }
  std::int64_t next_step(std::int64_t step) const override { return schedule_.next_step(step); }

 private:
  void write(const RunState& state) {
    const ScopedTimer timer("series", state.report.output_seconds);
    std::string line = fmt::format("{},{}", state.step, state.time);
    for (const int handle : handles_)
      line += fmt::format(",{}", state.model.scalar(handle, state.time));
    last_ = state.step;
    if (!writes_) return;
    file_ << line << '\n' << std::flush;
    if (!file_)
      throw Error(ErrorKind::failure,
                  "cannot write '" + settings_.directory + "/series.csv': " + std::strerror(errno));
  }

  const Settings& settings_;
  bool writes_;
  Schedule schedule_;
  std::ofstream file_;
  std::vector<int> handles_;
  std::int64_t last_ = -1;
};

}  // namespace

std::unique_ptr<Monitor> make_series_monitor(const Communicator& communicator,
                                             const Settings& settings) {
  return std::make_unique<SeriesMonitor>(communicator, settings);
}

}  // namespace xp
