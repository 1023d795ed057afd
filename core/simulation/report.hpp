// What a run did: report.json, written whatever the ending.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <xp/runtime/transfer.hpp>
#include <xp/simulation/model.hpp>

namespace xp {

enum class RunStatus {
  completed,
  converged,
  not_converged,
  diverged,
  interrupted,
  failed,
  verify_failed
};
std::string name(RunStatus status);
/// The exit code of the manual's table; a failure's is that of its error (1 or 2).
int exit_code(RunStatus status);

struct RunReport {
  std::string backend, device, precision;
  int ranks = 1, threads = 1;
  RunStatus status = RunStatus::failed;
  std::string message;
  bool out_of_steps = false;  ///< ended by time.max_steps, before time.end
  std::int64_t steps = 0, rejected_steps = 0;
  std::int64_t first_step = 0;  ///< that it went on from; 0 without a restart
  std::string restarted_from;   ///< the checkpoint
  double time = 0, step_last = 0;
  std::int64_t cells = 0;
  double total_seconds = 0, setup_seconds = 0, stepping_seconds = 0, halo_seconds = 0,
         output_seconds = 0;
  std::string convergence_quantity, convergence_norm;  ///< empty without `convergence`
  double convergence_value = 0;
  std::int64_t convergence_checks = 0;
  LinearReport linear;
  std::vector<std::pair<std::string, FieldStatistics>> fields;
  std::vector<std::pair<std::string, Norms>> errors;  ///< against `exact`
  Transfers transfers;
  std::int64_t peak_memory_bytes = 0;
};

/// Of the steps that this run took itself, without output; 0 before the first.
double cell_updates_per_second(const RunReport& report);

/// The report as JSON text; numbers read back to the same double, a NaN is null.
std::string json(const RunReport& report);

/// Largest resident size of this process so far.
std::int64_t peak_memory();

}  // namespace xp
