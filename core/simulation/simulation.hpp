// A run: from a checked input through the step loop to the report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <xp/simulation/monitor.hpp>
#include <xp/simulation/settings.hpp>
#include <xp/time/control.hpp>

namespace xp {

struct RunOptions {
  bool overwrite = false;          ///< take the place of an earlier run's files
  std::string restart;             ///< a checkpoint to go on from, or "latest" of the output folder
  StopSignals* signals = nullptr;  ///< what signal handlers have seen; may be null
  std::string report_file;         ///< a second copy of report.json
  std::function<void()> started;   ///< called when the output folder is there; may be empty
  ProgressSink progress;           ///< may be empty
};

/// What `xpsim check` tells.
struct RunForecast {
  std::int64_t cells = 0, memory_bytes = 0;  ///< memory: of the rank that needs most
  std::array<int, 3> parts{1, 1, 1};         ///< the grid is cut into, along x, y, z
  std::array<int, 3> largest_part{1, 1, 1};  ///< cells of the largest of them
  double stable_step = 0;                    ///< infinity when nothing limits it
  double step = 0;                           ///< 0: found by error control
  std::int64_t steps = -1;                   ///< -1: not known before the run
  std::int64_t snapshots = -1;
  double output_bytes = -1;
};

class Simulation {
 public:
  /// Checks everything and allocates nothing. `input` must have been read without diagnostics; more
  /// of them are thrown as one Error. The registry has to live as long. Kokkos and MPI must be
  /// initialised. Collective, as all
  /// functions here; works on a duplicate of the communicator.
  Simulation(Input input, const Registry& registry, MPI_Comm communicator);
  ~Simulation();

  const Settings& settings() const { return settings_; }
  const Config& config() const { return input_.config; }
  RunForecast forecast();
  /// What the run may suffer from, in words; run() says them before its first step.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Runs to one of the endings; a failure during the run is one of them, not an exception, unless
  /// it struck this rank alone: then the others may be waiting, and the caller has to end them. The
  /// report is written into the output folder and to options.report_file. To be called once.
  RunReport run(const RunOptions& options);

  /// Adds a monitor of one's own, which looks on before all others; before run().
  void add_monitor(std::unique_ptr<Monitor> monitor);

  /// The model, for those who use the library without files.
  Model& model() { return *model_; }

 private:
  struct Loop;
  Decomposition decomposition(Diagnostics& diagnostics) const;
  /// Equal steps from a time to the end, of the input's size or that which is wanted.
  EqualSteps equal_steps_from(double time, double wanted = 0) const;
  /// Adds to the warnings what the stability limit leaves out and has not been named yet; returns
  /// what is new.
  std::vector<std::string> warn_of_unbounded();
  /// Looks from time to time whether the steps are still stable, and cuts them anew if not.
  void follow_limit(RunState& state);
  /// -1 where the number is not known before the run.
  std::int64_t expected_steps() const;
  Provenance provenance() const;

  void set_up(Loop& loop, const RunOptions& options);
  void make_monitors(Loop& loop, const RunOptions& options);
  /// Fills the state from the newest whole checkpoint, or the one that is asked for.
  void restart(Loop& loop, const RunOptions& options);
  void load(Loop& loop, const std::string& checkpoint);
  std::string save(const Loop& loop, const RunState& state,
                   const std::function<void(const std::string&, const HostArray&)>& write) const;
  /// Equal steps, at most `most`, up to the next that a monitor wants to see.
  int steps_until_a_look(std::int64_t step, int most) const;
  void solve_steady(Loop& loop);
  void step_to_the_end(Loop& loop);
  bool step_once(Loop& loop, double end);
  void verify(Loop& loop, bool at_start);
  void finish(Loop& loop);
  void log_ranks() const;
  void log_balance(const RunReport& report, std::int64_t steps) const;
  void write_report(RunReport& report, const std::vector<std::string>& files);

  Input input_;
  const Registry& registry_;
  Communicator communicator_;
  Settings settings_;
  Grid grid_{GridSpec{}};
  std::unique_ptr<Model> model_;
  std::vector<std::unique_ptr<Monitor>> monitors_;  ///< the caller's first
  double stable_step_ = 0;
  bool warned_of_limit_ = false;
  std::vector<std::string> warnings_;
  static constexpr std::int64_t check_limit_every = 20;
  EqualSteps steps_;
};

}  // namespace xp
