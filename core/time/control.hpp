// Which steps are taken: equal ones that hit the end exactly, or sizes found by error control; and
// when something is due: "every 0.1", "every 50 steps", "every 30 s", at given times.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <xp/config/config.hpp>

namespace xp {

/// Number of equal steps of at most `step` (to rounding) that cover `length`, at least 1. Throws an
/// Error of kind input when there would be more than 2^53.
std::int64_t equal_steps(double length, double step);

/// Is a wanted time reached? Two times are the same when they differ by rounding only.
bool is_reached(double time, double wanted);

/// Equal steps. Time is counted, not accumulated: step n is at start + n*step, and the last one is
/// the end to the last bit.
class EqualSteps {
 public:
  EqualSteps() = default;
  /// As many as needed so that none is longer than `step`. Without an end (infinity) exactly
  /// `step`. Where `align` is positive and divides the length, a whole number of steps goes into
  /// it. Throws an Error of kind input when there are too many, or when the step is lost to
  /// rounding.
  EqualSteps(double start, double end, double step, double align = 0);

  /// The same steps with numbers that begin at `number`: those of a run that goes on.
  EqualSteps from(std::int64_t number) const;

  double time(std::int64_t n) const;
  double step() const { return step_; }
  /// Number of the last step, or the largest number when there is no end.
  std::int64_t last() const { return last_; }

  /// Everything that it is made of, for a checkpoint.
  struct Saved {
    double start = 0, end = 0, step = 0;
    std::int64_t first = 0, last = 0;
  };
  Saved saved() const { return {start_, end_, step_, first_, last_}; }
  explicit EqualSteps(const Saved& saved)
      : start_(saved.start),
        end_(saved.end),
        step_(saved.step),
        first_(saved.first),
        last_(saved.last) {}

 private:
  double start_ = 0, end_ = 0, step_ = 0;
  std::int64_t first_ = 0, last_ = 0;
};

/// Step sizes for embedded schemes by a PI controller. Hairer, Norsett, Wanner I, section II.4, and
/// Gustafsson 1991: factor = 0.9 err^(-0.7/k) err_before^(0.4/k), between 0.2 and 5, k the order of
/// the estimate plus one.
class ErrorControl {
 public:
  ErrorControl() = default;
  ErrorControl(int estimate_order, double first_step)
      : exponent_(1.0 / (estimate_order + 1)), proposal_(first_step) {}

  /// Size of the next try from `time`, shortened so that `target` is hit exactly and no sliver is
  /// left before it.
  double next(double time, double target) const;
  /// Takes the scaled error of a try with a step; true when it is good enough (at most 1).
  bool accept(double error, double step);
  /// The size below which steps no longer change the time.
  static double smallest(double time);

  /// What it has learnt, for a checkpoint.
  struct Saved {
    double proposal = 0, error_before = 1;
    bool rejected = false;
  };
  Saved saved() const { return {proposal_, error_before_, rejected_}; }
  ErrorControl(int estimate_order, const Saved& saved)
      : exponent_(1.0 / (estimate_order + 1)),
        proposal_(saved.proposal),
        error_before_(saved.error_before),
        rejected_(saved.rejected) {}

 private:
  double exponent_ = 1, proposal_ = 0, error_before_ = 1;
  bool rejected_ = false;
};

/// The next multiple of `interval` after `step`.
inline std::int64_t next_multiple(std::int64_t step, std::int64_t interval) {
  return step + interval - step % interval;
}

/// Decides when a monitor is due. Times are counted from the start, not accumulated.
class Schedule {
 public:
  Schedule() = default;
  Schedule(const ScheduleSpec& spec, double start_time);

  /// True once for each time the schedule has reached; call after every step (and once at the
  /// start). `seconds` is the wall time since the start.
  bool due(std::int64_t step, double time, double seconds);
  /// The next step after `step` that is due by its number; the largest number for none.
  std::int64_t next_step(std::int64_t step) const;
  /// The next simulation time that is wanted, or infinity.
  double next_time() const;

 private:
  bool is_beyond_counting() const;
  ScheduleSpec spec_;
  double start_ = 0;
  std::int64_t reached_ = 0;  ///< how many of the times, or intervals, have passed
};

}  // namespace xp
