#include <xp/time/control.hpp>

#include <algorithm>
#include <cmath>

#include <xp/runtime/error.hpp>

namespace xp {

namespace {

// A double tells whole numbers apart up to here.
constexpr double most_whole = 9007199254740992.0;

// A quotient as a whole number, rounded down; of a larger one the largest.
std::int64_t whole(double quotient) {
  return static_cast<std::int64_t>(std::min(quotient, most_whole));
}

}  // namespace

bool is_reached(double time, double wanted) {
  return time >= wanted - 1e-10 * std::max({std::abs(time), std::abs(wanted), 1e-300});
}

std::int64_t equal_steps(double length, double step) {
  const double quotient = length / step;
  if (!(quotient < most_whole))
    throw Error(ErrorKind::input, "the time step is too small: more than 2^53 steps to the end");
  // 0.3/0.1 is 2.9999999999999996 and 1.1/0.1 is 11.000000000000002: rounding makes no extra step.
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(quotient * (1 - 1e-10))));
}

EqualSteps::EqualSteps(double start, double end, double step, double align)
    : start_(start), end_(end), step_(step), last_(std::numeric_limits<std::int64_t>::max()) {
  const double length = end - start;
  if (length <= 0) {
    last_ = 0;
    return;
  }
  const double largest = std::max(std::abs(start), std::isfinite(end) ? std::abs(end) : 0);
  if (step < 2 * (std::nextafter(largest, HUGE_VAL) - largest))
    throw Error(ErrorKind::input, "the time step is too small: times would not change by it");
  if (!std::isfinite(length)) return;
  last_ = equal_steps(length, step);
  if (align > 0 && align < length) {
    // So many that steps would be cut by them are not what steps are aligned to.
    const double parts = std::round(length / align);
    if (parts < most_whole && std::abs(length / align - parts) < 1e-9 * parts) {
      const std::int64_t steps = equal_steps(align, step);
      if (parts * static_cast<double>(steps) < most_whole)
        last_ = static_cast<std::int64_t>(parts) * steps;
    }
  }
  step_ = length / static_cast<double>(last_);
}

EqualSteps EqualSteps::from(std::int64_t number) const {
  EqualSteps result = *this;
  result.first_ = number;
  if (last_ < std::numeric_limits<std::int64_t>::max()) result.last_ = last_ - first_ + number;
  return result;
}

double EqualSteps::time(std::int64_t n) const {
  return n == last_ ? end_ : start_ + static_cast<double>(n - first_) * step_;
}

double ErrorControl::next(double time, double target) const {
  const double left = target - time;
  if (proposal_ >= left * (1 - 1e-6)) return left;
  return proposal_ > 0.5 * left ? 0.5 * left : proposal_;
}

bool ErrorControl::accept(double error, double step) {
  if (!std::isfinite(error)) {
    proposal_ = 0.2 * step;
    rejected_ = true;
    return false;
  }
  const double safe = std::max(error, 1e-10);
  if (error > 1) {
    proposal_ = step * std::max(0.2, 0.9 * std::pow(safe, -exponent_));
    rejected_ = true;
    return false;
  }
  double factor = 0.9 * std::pow(safe, -0.7 * exponent_) * std::pow(error_before_, 0.4 * exponent_);
  factor = std::clamp(factor, 0.2, rejected_ ? 1.0 : 5.0);
  // A step that was shortened to hit a time says nothing against the longer one proposed before.
  proposal_ = std::max(step * factor, rejected_ ? 0.0 : std::min(proposal_, step * 5.0));
  error_before_ = safe;
  rejected_ = false;
  return true;
}

double ErrorControl::smallest(double time) {
  return 1e-14 * std::max(std::abs(time), 1e-14);
}

Schedule::Schedule(const ScheduleSpec& spec, double start_time) : spec_(spec), start_(start_time) {}

bool Schedule::due(std::int64_t step, double time, double seconds) {
  using Unit = ScheduleSpec::Unit;
  switch (spec_.unit) {
    case Unit::never:
      return false;
    case Unit::steps:
      return step % spec_.steps == 0;
    case Unit::seconds: {
      const auto passed = whole(seconds / spec_.interval);
      if (passed <= reached_ && !is_beyond_counting() && step > 0) return false;
      reached_ = passed;
      return true;
    }
    case Unit::time: {
      if (is_beyond_counting()) return true;
      bool result = false;
      while (!is_beyond_counting() &&
             is_reached(time, start_ + static_cast<double>(reached_) * spec_.interval)) {
        // Far beyond the next time (a long step): all but the last are passed over.
        const double behind = (time - start_) / spec_.interval - static_cast<double>(reached_);
        reached_ += behind > 2 ? whole(behind) : 1;
        result = true;
      }
      return result;
    }
    case Unit::times: {
      bool result = false;
      while (reached_ < static_cast<std::int64_t>(spec_.times.size()) &&
             is_reached(time, spec_.times[static_cast<std::size_t>(reached_)])) {
        ++reached_;
        result = true;
      }
      return result;
    }
  }
  return false;
}

// An interval so short that every step is a time.
bool Schedule::is_beyond_counting() const {
  return static_cast<double>(reached_) >= most_whole;
}

std::int64_t Schedule::next_step(std::int64_t step) const {
  if (spec_.unit == ScheduleSpec::Unit::steps) return next_multiple(step, spec_.steps);
  return std::numeric_limits<std::int64_t>::max();
}

double Schedule::next_time() const {
  if (spec_.unit == ScheduleSpec::Unit::time && !is_beyond_counting())
    return start_ + static_cast<double>(reached_) * spec_.interval;
  if (spec_.unit == ScheduleSpec::Unit::times &&
      reached_ < static_cast<std::int64_t>(spec_.times.size()))
    return spec_.times[static_cast<std::size_t>(reached_)];
  return std::numeric_limits<double>::infinity();
}

}  // namespace xp
