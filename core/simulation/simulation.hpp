// A run: from a checked input through the step loop to the report.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <xp/simulation/monitor.hpp>
#include <xp/simulation/settings.hpp>
#include <xp/time/control.hpp>

namespace xp {

struct RunOptions {
  bool overwrite = false;         ///< take the place of an earlier run's files
  std::string report_file;        ///< a second copy of report.json
  std::function<void()> started;  ///< called when the output folder is there; may be empty
  ProgressSink progress;          ///< may be empty
};

/// What `xpsim check` tells.
struct RunForecast {
  std::int64_t cells = 0, memory_bytes = 0;
  double stable_step = 0;   ///< infinity when nothing limits it
  double step = 0;          ///< 0: found by error control
  std::int64_t steps = -1;  ///< -1: not known before the run
  std::int64_t snapshots = -1, output_bytes = -1;
};

class Simulation {
 public:
  /// Checks everything and allocates nothing. `input` must have been read without diagnostics; more
  /// of them are thrown as one Error. Kokkos and MPI must be initialised; collective.
  Simulation(Input input, const Registry& registry, MPI_Comm communicator);
  ~Simulation();

  const Settings& settings() const { return settings_; }
  RunForecast forecast();

  /// Runs to one of the endings; a failure during the run is one of them, not an exception. The
  /// report is written into the output folder and to options.report_file. To be called once.
  RunReport run(const RunOptions& options);

  /// Adds a monitor of one's own, which looks on before all others; before run().
  void add_monitor(std::unique_ptr<Monitor> monitor);

  /// The model, for those who use the library without files.
  Model& model() { return *model_; }

 private:
  struct Loop;
  Decomposition decomposition(Diagnostics& diagnostics) const;
  void open_output(const RunOptions& options);
  /// Equal steps, at most `most`, up to the next that a monitor wants to see.
  int steps_until_a_look(std::int64_t step, int most) const;
  void step_to_the_end(Loop& loop);
  Provenance provenance() const;
  double stability_limit();

  Input input_;
  Communicator communicator_;
  Settings settings_;
  Grid grid_{GridSpec{}};
  std::unique_ptr<Model> model_;
  std::vector<std::unique_ptr<Monitor>> monitors_;  ///< the caller's first
  double stable_step_ = 0;
  EqualSteps steps_;
};

}  // namespace xp
