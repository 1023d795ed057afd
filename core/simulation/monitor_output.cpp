#include <xp/simulation/monitor.hpp>

#include <filesystem>

#include <nlohmann/json.hpp>

#include <xp/runtime/timer.hpp>
#include <xp/time/control.hpp>

namespace xp {
namespace {

using Json = nlohmann::json;

// Writes snapshots: the first state, the last one, and when the schedule says so.
class OutputMonitor final : public Monitor {
 public:
  OutputMonitor(const Communicator& communicator, const Grid& grid, const Provenance& provenance,
                const Settings& settings)
      : settings_(settings),
        schedule_(settings.output_schedule, settings.start),
        writer_(communicator, settings.directory, grid, provenance) {}

  void prepare(Model& model) override {
    for (const OutputItem& item : settings_.outputs)
      handles_.push_back(item.field < 0 ? model.add_expression(item.expression) : -1);
  }
  std::string name() const override { return "output"; }
  void start(const RunState& state) override {
    schedule_.due(state.step, state.time, 0);
    write(state);
  }
  // Those that are still there: the run may go on in another folder.
  void resume(const RunState& state, const std::string& saved) override {
    schedule_.due(state.step, state.time, 0);
    const Json json = Json::parse(saved);
    last_ = json.at("last");
    // The indices are the root's.
    std::vector<SnapshotEntry> written;
    for (const Json& file : json.at("files")) {
      SnapshotEntry entry{file.at("name"), file.at("time"), file.at("fields"),
                          file.at("bytes_per_value")};
      if (std::filesystem::exists(settings_.directory + "/" + entry.file))
        written.push_back(std::move(entry));
    }
    writer_.resume(std::move(written));
  }
  std::string saved() const override {
    Json files = Json::array();
    for (const SnapshotEntry& entry : writer_.written())
      files.push_back({{"name", entry.file},
                       {"time", entry.time},
                       {"fields", entry.fields},
                       {"bytes_per_value", entry.bytes_per_value}});
    return Json{{"last", last_}, {"files", files}}.dump();
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
    const ScopedTimer timer("output", state.report.output_seconds);
    writer_.begin(state.step, state.time, state.step_size);
    for (std::size_t n = 0; n < settings_.outputs.size(); ++n) {
      const OutputItem& item = settings_.outputs[n];
      writer_.write({item.name, item.description, item.units,
                     item.field < 0 ? state.model.read_expression(handles_[n], state.time)
                                    : state.model.read_field(item.field)});
    }
    writer_.finish();
    last_ = state.step;
  }

  const Settings& settings_;
  Schedule schedule_;
  SnapshotWriter writer_;
  std::vector<int> handles_;
  std::int64_t last_ = -1;
};

}  // namespace

std::unique_ptr<Monitor> make_output_monitor(const Communicator& communicator, const Grid& grid,
                                             const Provenance& provenance,
                                             const Settings& settings) {
  return std::make_unique<OutputMonitor>(communicator, grid, provenance, settings);
}

}  // namespace xp
