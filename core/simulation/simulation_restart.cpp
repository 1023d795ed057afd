// Saving a run's state and going on from it; what ranks say about themselves.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <xp/io/checkpoint.hpp>
#include <xp/runtime/host.hpp>
#include <xp/runtime/log.hpp>
#include <xp/simulation/restart.hpp>
#include <xp/simulation/simulation.hpp>
#include <xp/simulation/simulation_loop.hpp>

namespace xp {
namespace {

// Of an array that a multi-step scheme goes on from.
std::string history_name(int slot, const std::string& field) {
  return fmt::format("scheme{}.{}", slot, field);
}

}  // namespace

std::string Simulation::save(
    const Loop& loop, const RunState& state,
    const std::function<void(const std::string&, const HostArray&)>& write) const {
  SavedRun saved;
  saved.step = state.step;
  saved.time = state.time;
  saved.step_size = state.step_size;
  saved.rejected_steps = state.report.rejected_steps;
  saved.convergence_checks = state.report.convergence_checks;
  saved.convergence_value = state.report.convergence_value;
  saved.steps = steps_.saved();
  saved.control = loop.control.saved();
  saved.failed = loop.failed;
  saved.input = input_.config.resolved();
  const auto& fields = model_->fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fields[f].in_checkpoint) write(fields[f].name, model_->read_field(static_cast<int>(f), 0));
  if (loop.history_step > 0)
    for (const int slot : loop.scheme.history)
      for (std::size_t f = 0; f < fields.size(); ++f)
        write(history_name(slot, fields[f].name), model_->read_field(static_cast<int>(f), slot));
  for (const auto& monitor : monitors_) {
    if (!monitor->name().empty()) saved.monitors[monitor->name()] = monitor->saved();
    if (monitor->saved_slot() < 0) continue;
    for (std::size_t f = 0; f < fields.size(); ++f)
      write(monitor->name() + "." + fields[f].name,
            model_->read_field(static_cast<int>(f), monitor->saved_slot()));
  }
  return to_text(saved);
}

void Simulation::load(Loop& loop, const std::string& checkpoint) {
  const CheckpointReader reader(communicator_, checkpoint);
  const SavedRun saved = saved_run_from(reader.state());
  Diagnostics diagnostics;
  const bool steps_changed =
      compare_with_saved(input_, saved.input, checkpoint, registry_, diagnostics);
  if (settings_.end && *settings_.end < saved.time)
    diagnostics.add(input_.config.position("time.end"),
                    fmt::format("time.end ({}) lies before the time {} of '{}'", *settings_.end,
                                saved.time, checkpoint));
  diagnostics.throw_if_any();

  std::vector<std::byte> values;
  const auto read = [&](const std::string& name, int field, int slot) {
    reader.read(name, grid_, values);
    const Precision precision = reader.precision(name);
    const auto count = static_cast<std::int64_t>(values.size()) / bytes_of(precision);
    model_->write_field(field, slot, HostArray{precision, values.data(), count});
    if (precision != settings_.precision && slot == 0)
      log_warning(fmt::format("'{}' holds '{}' in {} precision; the run goes on in {}", checkpoint,
                              name, xp::name(precision), xp::name(settings_.precision)));
  };
  const auto& fields = model_->fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fields[f].in_checkpoint) read(fields[f].name, static_cast<int>(f), 0);
  bool has_history = !loop.scheme.history.empty();
  for (const int slot : loop.scheme.history)
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::string name = history_name(slot, fields[f].name);
      has_history = has_history && reader.has(name);
      if (has_history) read(name, static_cast<int>(f), slot);
    }
  if (has_history) loop.history_step = saved.step_size;
  for (const auto& monitor : monitors_) {
    const int slot = monitor->saved_slot();
    if (slot < 0) continue;
    // A monitor that the run before did not have begins here.
    model_->copy(0, slot);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::string name = monitor->name() + "." + fields[f].name;
      if (reader.has(name)) read(name, static_cast<int>(f), slot);
    }
  }

  RunState& state = loop.state;
  state.step = state.resumed = saved.step;
  state.time = saved.time;
  state.step_size = saved.step_size;
  state.report.rejected_steps = saved.rejected_steps;
  state.report.convergence_checks = saved.convergence_checks;
  state.report.convergence_value = saved.convergence_value;
  if (loop.scheme.adaptive())
    loop.control = ErrorControl(loop.scheme.error_order, saved.control);
  else
    steps_ =
        steps_changed ? equal_steps_from(saved.time).from(saved.step) : EqualSteps(saved.steps);
  loop.saved_monitors = saved.monitors;
  loop.failed = saved.failed;
  loop.checkpoint = checkpoint;
}

void Simulation::restart(Loop& loop, const RunOptions& options) {
  if (options.restart != "latest") return load(loop, options.restart);
  const std::string folder = checkpoint_folder(settings_.directory);
  std::vector<std::string> list;
  on_root(communicator_, [&] { list = list_checkpoints(folder); });
  list = broadcast(communicator_, std::move(list));
  if (list.empty())
    throw Error(ErrorKind::input, "there is no checkpoint in '" + folder + "'",
                "start the run without --restart, with --overwrite to replace its files");
  for (const std::string& path : list) {
    try {
      return load(loop, path);
    } catch (const DamagedCheckpoint& error) {
      if (path == list.back()) throw;
      log_warning(error.diagnostics()[0].message + "; trying the one before");
    }
  }
}

void Simulation::log_ranks() const {
  if (communicator_.size() == 1) return;
  const Block& block = grid_.blocks()[0];
  const std::string device = device_name(settings_.backend);
  const int count = threads(settings_.backend);
  const auto lines =
      gather(communicator_,
             fmt::format(
                 "rank {} on {}, {}, cells from ({}, {}, {}), {} x {} x {}", communicator_.rank(),
                 host_name(),
                 device.empty() ? fmt::format("{} thread{}", count, count == 1 ? "" : "s") : device,
                 block.first[0], block.first[1], block.first[2], block.cells[0], block.cells[1],
                 block.cells[2]));
  constexpr std::size_t most = 16;
  for (std::size_t n = 0; n < std::min(most, lines.size()); ++n) log_info(lines[n]);
  if (lines.size() > most) log_info(fmt::format("and {} ranks more", lines.size() - most));
}

void Simulation::log_balance(const RunReport& report, std::int64_t steps) const {
  const int ranks = communicator_.size();
  if (ranks == 1) return;
  const double waited = model_->halo_wait_seconds();
  double mine[2] = {report.stepping_seconds - waited, waited};
  std::vector<double> all(2 * static_cast<std::size_t>(ranks));
  MPI_Gather(mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, communicator_.get());
  const auto hosts = gather(communicator_, host_name());
  if (!communicator_.is_root()) return;
  double busy = 0, waiting = 0;
  std::size_t slowest = 0;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    busy += all[2 * r] / ranks;
    waiting += all[2 * r + 1] / ranks;
    if (all[2 * r] > all[2 * slowest]) slowest = r;
  }
  if (steps > 0 && busy > 0)
    log_info(
        fmt::format("balance: rank {} on {} took longest, {:.0f}% above the mean; ranks "
                    "waited for ghost cells {:.0f}% of the time",
                    slowest, hosts[slowest], 100 * (all[2 * slowest] / busy - 1),
                    100 * waiting / (busy + waiting)));
}

}  // namespace xp
