// Monitors look on while a run steps: convergence, output, series, health, progress. A new one
// derives from Monitor in a file of its own and is added to make_monitors().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xp/io/snapshot.hpp>
#include <xp/simulation/model.hpp>
#include <xp/simulation/report.hpp>
#include <xp/simulation/settings.hpp>
#include <xp/simulation/stop.hpp>

namespace xp {

/// Where a run is.
struct RunState {
  Model& model;
  const Settings& settings;
  RunReport& report;
  std::int64_t step = 0;
  double time = 0, step_size = 0;
  double seconds = 0;        ///< wall time since the start of the run, the same on all ranks
  bool last = false;         ///< no step follows, whatever monitors say
  bool diverged = false;     ///< how it ended, at the finish
  std::int64_t resumed = 0;  ///< the step that a run went on from, 0 for one from its start
  StopRequest request;       ///< what is wanted of the run now
};

/// How a run ends early.
struct Ending {
  RunStatus status = RunStatus::completed;
  std::string message;
};

/// Looks on while a run steps. On many ranks all functions are called by all of them together.
class Monitor {
 public:
  virtual ~Monitor() = default;
  /// Under which a checkpoint keeps what is saved; may be empty when nothing is.
  virtual std::string name() const { return {}; }
  /// Before anything is allocated: expressions are made known to the model here.
  virtual void prepare(Model&) {}
  /// The initial state.
  virtual void start(const RunState&) {}
  /// Instead of start() when a run goes on from a checkpoint, with what saved() gave then.
  virtual void resume(const RunState& state, const std::string& /*saved*/) { start(state); }
  virtual std::string saved() const { return {}; }
  /// A slot of the model that belongs to the state; -1 for none.
  virtual int saved_slot() const { return -1; }
  /// After each step; an ending stops the run.
  virtual std::optional<Ending> look(const RunState&) { return {}; }
  /// The last state, also after a divergence; not of a run that was interrupted and will go on.
  virtual void finish(const RunState&) {}
  /// The next simulation time that the monitor wants hit; infinity for none.
  virtual double next_time() const;
  /// The next step after `step` that look() has to see besides; steps before it may be taken
  /// several at once, without a look in between.
  virtual std::int64_t next_step(std::int64_t step) const { return step + 1; }
};

/// Progress for the program to show; called at most a few times per second.
struct Progress {
  std::int64_t step = 0, steps = 0;  ///< steps: expected in all, 0 when not known
  double fraction = 0;               ///< of the run, 0 to 1, negative when not known
  double time = 0, step_size = 0, seconds = 0;
  double steps_per_second = 0, cell_updates_per_second = 0, seconds_left = -1;
};
using ProgressSink = std::function<void(const Progress&)>;

/// Gives the arrays of a state to `write`, and its text.
using StateSaver = std::function<std::string(
    const RunState& state, const std::function<void(const std::string&, const HostArray&)>& write)>;

// The monitors; each in a file of its own.
std::unique_ptr<Monitor> make_stop_monitor(const StopSettings& settings);
std::unique_ptr<Monitor> make_health_monitor();
std::unique_ptr<Monitor> make_convergence_monitor(const ConvergenceSettings& settings,
                                                  int first_free_slot);
std::unique_ptr<Monitor> make_output_monitor(const Communicator& communicator, const Grid& grid,
                                             const Provenance& provenance,
                                             const Settings& settings);
std::unique_ptr<Monitor> make_series_monitor(const Communicator& communicator,
                                             const Settings& settings);
std::unique_ptr<Monitor> make_progress_monitor(ProgressSink sink, std::int64_t expected_steps,
                                               const Settings& settings);

std::unique_ptr<Monitor> make_checkpoint_monitor(const Communicator& communicator, const Grid& grid,
                                                 const Settings& settings, StopControl& stop,
                                                 StateSaver save);

/// Looks at every field now: an ending when one holds a NaN or an infinity.
std::optional<Ending> look_for_divergence(const RunState& state);

/// Slots of the state that the monitors of these settings need beyond the scheme's.
int monitor_slots(const Settings& settings);

}  // namespace xp
