#include <xp/simulation/stop.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>

namespace xp {
namespace {

// Codes of reasons, the largest of all ranks counts; a signal's is its number above the last.
enum Reason { no_reason, of_file, of_wall_time, of_scheduler, of_signal };

constexpr double file_check_interval = 0.5;  // seconds
// A cautious guess until the first checkpoint has been timed.
constexpr double bytes_per_second = 1e8;
// What a batch system may take away from a job's end by its own clock.
constexpr double scheduler_margin = 30;

}  // namespace

StopControl::StopControl(const Communicator& communicator, const Settings& settings,
                         StopSignals* signals, std::int64_t checkpoint_bytes)
    : communicator_(communicator),
      signals_(signals),
      stop_file_(settings.directory + "/stop"),
      margin_(static_cast<double>(checkpoint_bytes) / bytes_per_second) {
  if (settings.wall_time) deadline_ = *settings.wall_time;
  if (const char* end = std::getenv("SLURM_JOB_END_TIME")) {
    const double left =
        std::strtod(end, nullptr) - static_cast<double>(std::time(nullptr)) - scheduler_margin;
    scheduler_ = left < deadline_;
    deadline_ = std::min(deadline_, left);
  }
}

StopControl::~StopControl() {
  // When this rank alone is struck the others will not come.
  if (std::uncaught_exceptions() > 0) return;
  if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void StopControl::checkpoint_took(double seconds) {
  margin_ = std::max(margin_, 1.5 * seconds);
}

int StopControl::reason() const {
  if (signals_ && signals_->stop.load() != 0) return of_signal + signals_->stop.load();
  if (last_look_ + margin_ + 2 * longest_step_ >= deadline_)
    return scheduler_ ? of_scheduler : of_wall_time;
  return file_found_ ? of_file : no_reason;
}

std::string StopControl::words(int reason) const {
  switch (reason) {
    case no_reason:
      return {};
    case of_file:
      return "a file 'stop'";
    case of_wall_time:
      return "the end of run.wall_time";
    case of_scheduler:
      return "the end of the job's time";
    default:
      return "signal " + std::to_string(reason - of_signal) + " (" +
             ::strsignal(reason - of_signal) + ")";
  }
}

void StopControl::fill(double (&values)[value_count]) {
  const double now = seconds();
  // The first look comes after the set-up.
  if (looked_) longest_step_ = std::max(longest_step_, now - last_look_);
  looked_ = true;
  last_look_ = now;
  if (communicator_.is_root() && now >= next_file_check_) {
    next_file_check_ = now + file_check_interval;
    std::error_code error;
    // It has had its effect when it is gone: the run that goes on must not stop again.
    file_found_ = file_found_ || std::filesystem::remove(stop_file_, error);
  }
  values[seconds_value] = now;
  values[reason_value] = reason();
  values[checkpoint_value] =
      signals_ && signals_->checkpoint.load() != 0 && signals_->checkpoint.exchange(0) != 0 ? 1 : 0;
}

StopRequest StopControl::look() {
  double agreed[value_count];
  if (communicator_.size() == 1) {
    fill(agreed);
  } else {
    if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
    std::copy(std::begin(agreed_), std::end(agreed_), agreed);
    fill(sent_);
    MPI_Iallreduce(sent_, agreed_, value_count, MPI_DOUBLE, MPI_MAX, communicator_.get(),
                   &request_);
  }
  return {agreed[checkpoint_value] > 0, words(static_cast<int>(agreed[reason_value])),
          agreed[seconds_value]};
}

}  // namespace xp
