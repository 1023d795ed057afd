#include <xp/simulation/monitor.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <xp/io/files.hpp>
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
      : communicator_(communicator),
        settings_(settings),
        path_(settings.directory + "/series.csv"),
        schedule_(settings.series_schedule, settings.start) {}

  void prepare(Model& model) override {
    for (const SeriesColumn& column : settings_.series)
      handles_.push_back(model.add_expression(column.expression));
  }
  void start(const RunState& state) override {
    on_root(communicator_, [&] {
      file_.open(path_, std::ios::trunc);
      begin();
    });
    schedule_.due(state.step, state.time, 0);
    write(state);
  }
  void resume(const RunState& state, const std::string&) override {
    schedule_.due(state.step, state.time, 0);
    on_root(communicator_, [&] {
      const std::string kept = lines_until(state.step, last_);
      if (!kept.empty()) write_file(path_, kept);
      file_.open(path_, std::ios::app);
      if (kept.empty()) begin();
    });
    last_ = std::stoll(broadcast(communicator_, std::to_string(last_)));
  }
  std::optional<Ending> look(const RunState& state) override {
    if (schedule_.due(state.step, state.time, state.seconds)) write(state);
    return {};
  }
  void finish(const RunState& state) override { write(state); }
  double next_time() const override { return schedule_.next_time(); }
  std::int64_t next_step(std::int64_t step) const override { return schedule_.next_step(step); }

 private:
  void begin() {
    file_ << "step,time";
    for (const SeriesColumn& column : settings_.series) file_ << ',' << column.name;
    file_ << '\n';
  }
  // What an earlier part of the run has written up to a step, without a last line that is not
  // whole; empty when there is nothing. The step of its last line goes into `last`.
  std::string lines_until(std::int64_t step, std::int64_t& last) const {
    if (!std::filesystem::exists(path_)) return {};
    std::istringstream text(read_file(path_));
    std::string line, kept;
    while (std::getline(text, line) && !text.eof()) {
      if (!kept.empty()) {
        const std::int64_t number = std::strtoll(line.c_str(), nullptr, 10);
        if (number > step) break;
        last = number;
      }
      kept += line + '\n';
    }
    return kept;
  }
  void write(const RunState& state) {
    if (last_ == state.step) return;
    const ScopedTimer timer("series", state.report.output_seconds);
    std::string line = fmt::format("{},{}", state.step, state.time);
    for (const int handle : handles_)
      line += fmt::format(",{}", state.model.scalar(handle, state.time));
    last_ = state.step;
    on_root(communicator_, [&] {
      file_ << line << '\n' << std::flush;
      if (!file_)
        throw Error(ErrorKind::failure, "cannot write '" + path_ + "': " + std::strerror(errno));
    });
  }

  const Communicator& communicator_;
  const Settings& settings_;
  std::string path_;
  Schedule schedule_;
  std::ofstream file_;
  std::vector<int> handles_;
  std::int64_t last_ = -1;  ///< step of the last line
};

}  // namespace

std::unique_ptr<Monitor> make_series_monitor(const Communicator& communicator,
                                             const Settings& settings) {
  return std::make_unique<SeriesMonitor>(communicator, settings);
}

}  // namespace xp
