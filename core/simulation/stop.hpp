// Why a run should stop or write a checkpoint now: signals, wall time, a `stop` file; and that all
// ranks agree on it.
#pragma once

#include <atomic>
#include <limits>
#include <string>

#include <xp/runtime/communicator.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/simulation/settings.hpp>

namespace xp {

/// What a program's signal handlers set: the library installs none.
struct StopSignals {
  std::atomic<int> stop{0};        ///< number of a signal that asks to stop
  std::atomic<int> checkpoint{0};  ///< not 0: write a checkpoint and go on
};

/// The same on all ranks.
struct StopRequest {
  bool checkpoint = false;
  std::string stop;    ///< the reason in words, or empty
  double seconds = 0;  ///< wall time since the start of the run
};

/// With many ranks requests are joined by one reduction per look, which travels while the next step
/// is made: a look tells what was known one look ago.
class StopControl {
 public:
  /// `checkpoint_bytes` of all ranks say how long before the end of wall time to stop.
  StopControl(const Communicator& communicator, const Settings& settings, StopSignals* signals,
              std::int64_t checkpoint_bytes);
  ~StopControl();
  StopControl(const StopControl&) = delete;
  StopControl& operator=(const StopControl&) = delete;

  /// After every step or pass of steps; collective.
  StopRequest look();
  /// Takes how long a checkpoint took.
  void checkpoint_took(double seconds);
  /// Seconds since the start of the run, on this rank's clock.
  double seconds() const { return watch_.seconds(); }

 private:
  enum Value { seconds_value, reason_value, checkpoint_value, value_count };
  void fill(double (&values)[value_count]);
  int reason() const;
  std::string words(int reason) const;

  const Communicator& communicator_;
  StopSignals* signals_;
  std::string stop_file_;
  Stopwatch watch_;
  double deadline_ = std::numeric_limits<double>::infinity();  ///< seconds since the start
  bool scheduler_ = false;                                     ///< set by the batch system
  double margin_ = 0;                                          ///< time to keep for a checkpoint
  double longest_step_ = 0, last_look_ = 0;
  bool looked_ = false;
  double next_file_check_ = 0;
  bool file_found_ = false;
  double sent_[value_count] = {}, agreed_[value_count] = {};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace xp
