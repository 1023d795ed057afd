// The run itself: set-up, the step loop, the endings and the report.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include <fmt/format.h>

#include <xp/io/files.hpp>
#include <xp/runtime/host.hpp>
#include <xp/runtime/log.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/runtime/version.hpp>
#include <xp/simulation/output_folder.hpp>
#include <xp/simulation/simulation.hpp>
#include <xp/simulation/simulation_loop.hpp>

namespace xp {

Provenance Simulation::provenance() const {
  const BuildInfo build = build_info();
  return {settings_.title,
          input_.config.resolved(),
          build.version,
          build.kokkos,
          name(settings_.backend),
          device_name(settings_.backend),
          name(settings_.precision),
          communicator_.size(),
          threads(settings_.backend)};
}

int Simulation::steps_until_a_look(std::int64_t step, int most) const {
  std::int64_t last = std::min({step + most, settings_.max_steps, steps_.last()});
  for (const auto& monitor : monitors_) last = std::min(last, monitor->next_step(step));
  for (int n = 1; step + n < last; ++n)
    for (const auto& monitor : monitors_)
      if (is_reached(steps_.time(step + n), monitor->next_time())) return n;
  return static_cast<int>(std::max<std::int64_t>(last - step, 1));
}

bool Simulation::step_once(Loop& loop, double end) {
  RunState& state = loop.state;
  const Scheme& scheme = loop.scheme;
  const auto try_step = [&](double step) {
    // What a step of another size has left does not serve.
    const bool begins = !scheme.first.empty() && loop.history_step != step;
    for (const Stage& stage : begins ? scheme.first : scheme.stages) {
      const double time = state.time + stage.fraction * step;
      if (stage.implicit > 0) {
        const Solved solved = state.model.solve_stage(stage, time, step);
        if (!solved.converged) {
          loop.ending = Ending{solved.finite ? RunStatus::not_converged : RunStatus::diverged,
                               fmt::format("the step from t = {}, step {}, cannot be solved: {}",
                                           state.time, state.step, solved.message)};
          return false;
        }
      }
      if (!stage.outputs.empty()) state.model.evaluate(stage, time, step);
    }
    loop.history_step = step;
    return true;
  };
  int taken = 1;
  if (!scheme.adaptive()) {
    state.step_size = steps_.step();
    taken = steps_until_a_look(state.step, loop.most_at_once);
    if (taken > 1)
      state.model.take_euler_steps(state.time, state.step_size, taken);
    else if (!try_step(state.step_size))
      return false;
    state.time = steps_.time(state.step + taken);
  } else {
    double target = end;
    for (const auto& monitor : monitors_) {
      const double wanted = monitor->next_time();
      if (wanted > state.time) target = std::min(target, wanted);
    }
    const double step = loop.control.next(state.time, target);
    if (step < ErrorControl::smallest(state.time)) {
      const auto [field, size] = loop.largest_field();
      loop.ending = Ending{RunStatus::diverged,
                           fmt::format("the step size fell to {:.3g} at t = {}, step {}: field "
                                       "'{}', now up to {:.3g}, cannot be followed further",
                                       step, state.time, state.step, field, size)};
      return false;
    }
    try_step(step);
    const double error =
        state.model.scaled_error(scheme.error_slot, 0, scheme.result, settings_.relative_tolerance,
                                 settings_.absolute_tolerance);
    if (!loop.control.accept(error, step)) {
      ++state.report.rejected_steps;
      return false;
    }
    state.step_size = step;
    state.time = step == target - state.time ? target : state.time + step;
  }
  if (taken == 1 && scheme.result != 0) state.model.swap(0, scheme.result);
  state.step += taken;
  state.last = state.time >= end || state.step >= settings_.max_steps;
  return true;
}

void Simulation::step_to_the_end(Loop& loop) {
  RunState& state = loop.state;
  const double end = settings_.end.value_or(std::numeric_limits<double>::infinity());
  loop.most_at_once = loop.scheme.is_euler() ? state.model.steps_at_once() : 1;
  while (!loop.ending && state.time < end) {
    if (state.step >= settings_.max_steps) {
      if (!settings_.convergence) {
        state.report.out_of_steps = true;
        state.report.message =
            fmt::format("stopped at time.max_steps = {} before time.end, at t = {}",
                        settings_.max_steps, state.time);
      }
      break;
    }
    follow_limit(state);
    if (!step_once(loop, end)) continue;
    state.request = loop.stop->look();
    state.seconds = state.request.seconds;
    for (const auto& monitor : monitors_)
      if (auto ending = monitor->look(state)) {
        loop.ending = ending;
        break;
      }
  }
  state.model.fence();
  state.seconds = loop.stop->seconds();
}

void Simulation::make_monitors(Loop& loop, const RunOptions& options) {
  if (settings_.convergence)
    monitors_.push_back(make_convergence_monitor(*settings_.convergence, loop.scheme.slots));
  monitors_.push_back(make_health_monitor());
  if (settings_.stop) monitors_.push_back(make_stop_monitor(*settings_.stop));
  monitors_.push_back(make_output_monitor(communicator_, grid_, provenance(), settings_));
  if (!settings_.series.empty()) monitors_.push_back(make_series_monitor(communicator_, settings_));
  if (options.progress)
    monitors_.push_back(make_progress_monitor(options.progress, expected_steps(), settings_));
  monitors_.push_back(
      make_checkpoint_monitor(communicator_, grid_, settings_, *loop.stop,
                              [this, &loop](const RunState& state, const auto& write) {
                                return save(loop, state, write);
                              }));
  for (const auto& monitor : monitors_) monitor->prepare(*model_);
  for (const ExactSolution& solution : settings_.exact)
    loop.exact.push_back(model_->add_expression(solution.expression));
  for (const Assertion& assertion : settings_.assertions)
    loop.assertions.push_back(model_->add_expression(assertion.expression));
}

void Simulation::set_up(Loop& loop, const RunOptions& options) {
  const ScopedTimer timer("setup", loop.state.report.setup_seconds);
  const bool restarts = !options.restart.empty();
  if (restarts && options.restart != "latest")
    on_root(communicator_, [&] { require_file(options.restart); });
  // Ranks of other nodes may see the root's folder late: it alone looks.
  const bool here =
      restarts &&
      broadcast(communicator_,
                Loop::restarts_here(settings_, options.restart) ? "here" : "elsewhere") == "here";
  on_root(communicator_, [&] {
    if (!here) open_output_folder(settings_.directory, options.overwrite);
  });
  loop.output_is_ours = !here && !restarts;
  const std::int64_t bytes = grid_.cell_count() *
                             static_cast<std::int64_t>(model_->fields().size()) *
                             bytes_of(settings_.precision);
  loop.stop = std::make_unique<StopControl>(communicator_, settings_, options.signals, bytes);
  // The files of a run that cannot go on are left as they are.
  if (!restarts && options.started) everywhere(communicator_, options.started);
  make_monitors(loop, options);
  const int slots = loop.scheme.slots + monitor_slots(settings_);
  everywhere(communicator_, [&] {
    try {
      model_->allocate(slots);
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      // Kokkos' own words are those of its memory pools.
      throw Error(ErrorKind::failure,
                  fmt::format("out of memory: rank {} on {} could not allocate its {:.4g} MB",
                              communicator_.rank(), host_name(),
                              static_cast<double>(model_->memory(slots)) / 1e6));
    }
  });
  if (loop.scheme.adaptive()) {
    const double end = settings_.end.value_or(std::numeric_limits<double>::infinity());
    const double length = end - settings_.start;
    const double first =
        settings_.step.value_or(std::isfinite(stable_step_) ? settings_.cfl * stable_step_
                                : std::isfinite(length)     ? length / 1000
                                                            : 1e-3);
    loop.control = ErrorControl(loop.scheme.error_order, first);
  }
  if (options.restart.empty()) {
    model_->initialise(settings_.start);
  } else {
    restart(loop, options);
    if (here)
      on_root(communicator_, [&] { reopen_output_folder(settings_.directory, loop.state.step); });
    loop.output_is_ours = true;
    if (options.started) everywhere(communicator_, options.started);
    log_info(fmt::format("goes on from '{}' at t = {}, step {}", loop.checkpoint, loop.state.time,
                         loop.state.step));
  }
  on_root(communicator_, [&] {
    write_file(settings_.directory + "/input.resolved.yaml", input_.config.resolved());
  });
  log_ranks();
  for (const std::string& warning : warnings_) log_warning(warning);
}

void Simulation::solve_steady(Loop& loop) {
  RunReport& report = loop.state.report;
  const ScopedTimer timer("solve", report.stepping_seconds);
  const Solved solved = model_->solve_steady();
  loop.ending = Ending{solved.converged ? RunStatus::converged
                       : solved.finite  ? RunStatus::not_converged
                                        : RunStatus::diverged,
                       {}};
  if (solved.converged && !solved.message.empty())
    log_warning(solved.message);
  else
    loop.ending->message = solved.message;
}

void Simulation::verify(Loop& loop, bool at_start) {
  for (std::size_t n = 0; n < loop.assertions.size(); ++n) {
    const Assertion& assertion = settings_.assertions[n];
    if (assertion.at_start != at_start) continue;
    const double value = model_->scalar(loop.assertions[n], loop.state.time);
    if (!(value != 0) || std::isnan(value))
      loop.failed.push_back("verify '" + assertion.name + "' failed: " + assertion.text);
  }
}

void Simulation::finish(Loop& loop) {
  RunState& state = loop.state;
  RunReport& report = state.report;
  if (!loop.ending || loop.ending->status != RunStatus::diverged)
    if (auto diverged = look_for_divergence(state)) loop.ending = diverged;
  const bool interrupted = loop.ending && loop.ending->status == RunStatus::interrupted;
  state.diverged = loop.ending && loop.ending->status == RunStatus::diverged;
  // A run that will go on leaves the last state to the part that ends it.
  if (!interrupted) {
    for (const auto& monitor : monitors_) monitor->finish(state);
    verify(loop, false);
    for (std::size_t n = 0; n < loop.exact.size(); ++n) {
      const int field = settings_.exact[n].field;
      report.errors.emplace_back(model_->fields()[static_cast<std::size_t>(field)].name,
                                 model_->error(field, loop.exact[n], state.time));
    }
  }
  report.status = RunStatus::completed;
  if (settings_.convergence) {
    report.status = RunStatus::not_converged;
    if (report.convergence_checks == 0)
      report.message = "the run ended before its first step: nothing has converged";
    else
      report.message = fmt::format(
          "{} ({}) is {:.3g}, above convergence.tolerance {:.3g}, at t = {}, step {}",
          settings_.convergence->quantity, settings_.convergence->norm, report.convergence_value,
          settings_.convergence->tolerance, state.time, state.step);
  }
  if (loop.ending) {
    report.status = loop.ending->status;
    report.message = loop.ending->message;
  }
  if (!loop.failed.empty() && !state.diverged && !interrupted) {
    report.status = RunStatus::verify_failed;
    report.message.clear();
    for (const std::string& line : loop.failed)
      report.message += (report.message.empty() ? "" : "\n") + line;
  }
  for (std::size_t f = 0; f < model_->fields().size(); ++f)
    report.fields.emplace_back(model_->fields()[f].name,
                               model_->statistics(0, static_cast<int>(f)));
}

RunReport Simulation::run(const RunOptions& options) {
  const Stopwatch total;
  const Transfers before = transfers();
  RunReport report;
  report.backend = name(settings_.backend);
  report.device = device_name(settings_.backend);
  report.precision = name(settings_.precision);
  report.ranks = communicator_.size();
  report.threads = threads(settings_.backend);
  report.cells = grid_.cell_count();
  report.time = settings_.start;

  Loop loop{RunState{*model_, settings_, report, 0, settings_.start, 0, 0, false, false, 0, {}},
            find_scheme(settings_.scheme)};
  RunState& state = loop.state;
  try {
    set_up(loop, options);
    if (settings_.steady && loop.checkpoint.empty()) solve_steady(loop);
    if (auto diverged = look_for_divergence(state)) {
      loop.ending = std::move(diverged);
      loop.ending->message =
          (settings_.steady ? "the solution is wrong: " : "the initial state is wrong: ") +
          loop.ending->message;
    }
    if (loop.checkpoint.empty()) {
      for (const auto& monitor : monitors_) monitor->start(state);
      verify(loop, true);
    } else {
      for (const auto& monitor : monitors_)
        monitor->resume(state, loop.saved_monitors[monitor->name()]);
    }
    const double output_before = report.output_seconds;
    {
      const ScopedTimer timer("stepping", report.stepping_seconds);
      step_to_the_end(loop);
    }
    report.stepping_seconds -= report.output_seconds - output_before;
    report.halo_seconds = model_->halo_seconds();
    report.linear = model_->linear();
    finish(loop);
    log_balance(report, state.step - state.resumed);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input || !error.is_everywhere(communicator_.size())) throw;
    report.status = RunStatus::failed;
    report.message = error.diagnostics().empty() ? error.what() : error.diagnostics()[0].message;
  } catch (const std::bad_alloc&) {
    if (communicator_.size() > 1) throw;
    report.status = RunStatus::failed;
    report.message = "out of memory";
  } catch (const std::exception& error) {
    if (communicator_.size() > 1) throw;
    report.status = RunStatus::failed;
    report.message = error.what();
  }
  report.steps = state.step;
  report.first_step = state.resumed;
  report.restarted_from = loop.checkpoint;
  report.time = state.time;
  report.step_last = state.step_size;
  const Transfers after = transfers();
  const auto since = [](TransferCount a, const TransferCount& b) {
    return TransferCount{a.count - b.count, a.bytes - b.bytes};
  };
  report.transfers = {
      since(after.to_host, before.to_host), since(after.to_device, before.to_device),
      since(after.scalars_to_host, before.scalars_to_host), since(after.halo, before.halo)};
  report.peak_memory_bytes = peak_memory();
  report.total_seconds = total.seconds();
  std::vector<std::string> files;
  if (loop.output_is_ours) files.push_back(settings_.directory + "/report.json");
  if (!options.report_file.empty()) files.push_back(options.report_file);
  write_report(report, files);
  return report;
}

// One that cannot be written must neither hide why the run failed nor keep back the other.
void Simulation::write_report(RunReport& report, const std::vector<std::string>& files) {
  const std::string text = json(report);
  for (const std::string& file : files) {
    try {
      on_root(communicator_, [&] { write_file(file, text); });
    } catch (const Error& error) {
      const std::string& message = error.diagnostics()[0].message;
      if (report.status == RunStatus::failed)
        log_warning(message);
      else
        log_error(message);
      if (exit_code(report.status) == 0) report.status = RunStatus::failed;
      if (report.message.empty()) report.message = message;
    }
  }
}

}  // namespace xp
