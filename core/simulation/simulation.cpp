#include <xp/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <regex>

#include <fmt/format.h>

#include <xp/io/files.hpp>
#include <xp/runtime/log.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/runtime/version.hpp>

namespace xp {

namespace {

// Is it a name that a run gives to a file of its folder? Files of the user's own are left alone.
bool is_output_file(const std::string& file) {
  static const std::regex names(
      R"((fields(_\d+)?\.(vtkhdf|xdmf|vtkhdf\.series)|series\.csv|report\.json|input\.resolved\.yaml|run\.log)(\.part)?)");
  return std::regex_match(file, names);
}

}  // namespace

// What changes while a run steps.
struct Simulation::Loop {
  RunState state;
  const Scheme& scheme;
  Stopwatch watch;
  std::optional<Ending> ending;
};

Simulation::Simulation(Input input, const Registry& registry, MPI_Comm communicator)
    : input_(std::move(input)), communicator_(communicator) {
  Diagnostics diagnostics;
  settings_ = read_settings(input_, registry, diagnostics);
  diagnostics.throw_if_any();
  if (settings_.directory.empty())
    settings_.directory =
        "out/" + std::filesystem::path(input_.config.position("").file).stem().string();

  grid_ = Grid(settings_.grid, decomposition(diagnostics), communicator_.rank());
  ModelSetup setup{
      input_.config,       communicator_,        grid_, settings_.order, settings_.backend,
      settings_.precision, settings_.boundaries, {}};
  setup.compile = [&](const std::string& path, bool time) {
    return compile_at(input_, path, time, settings_.grid.dimensions, diagnostics);
  };
  model_ = settings_.model->make(setup);
  diagnostics.throw_if_any();

  stable_step_ = stability_limit();
  const Scheme& scheme = explicit_scheme(settings_.scheme);
  const double end = settings_.end.value_or(std::numeric_limits<double>::infinity());
  const double length = end - settings_.start;
  if (scheme.adaptive()) return;
  const auto cut = [&](double step, double align) {
    try {
      steps_ = EqualSteps(settings_.start, end, step, align);
    } catch (const Error& error) {
      diagnostics.add(input_.config.position(settings_.step ? "time.step" : "time.end"),
                      error.diagnostics()[0].message,
                      fmt::format("the step is {:.3g}, from {} to {}", step, settings_.start, end));
      diagnostics.throw_if_any();
    }
  };
  if (settings_.step) {
    // To rounding the limit itself is allowed.
    if (*settings_.step > stable_step_ * (1 + 1e-9)) {
      diagnostics.add(
          input_.config.position("time.step"),
          fmt::format("time.step {} is above the stability limit {:.7g} of {} on this grid",
                      *settings_.step, stable_step_, scheme.name),
          "give a smaller step, or `step: auto`");
      diagnostics.throw_if_any();
    }
    cut(*settings_.step, 0);
    return;
  }
  double step = settings_.cfl * stable_step_;
  if (!std::isfinite(step)) {
    if (!std::isfinite(length)) {
      diagnostics.add(input_.config.position("time.step"),
                      "nothing limits the time step here, and there is no time.end: "
                      "time.step has to be a number");
      diagnostics.throw_if_any();
    }
    step = length / 100;
  }
  const ScheduleSpec& every = settings_.output_schedule;
  cut(step, every.unit == ScheduleSpec::Unit::time ? every.interval : 0);
}

Simulation::~Simulation() = default;

Decomposition Simulation::decomposition(Diagnostics& diagnostics) const {
  const int ranks = communicator_.size();
  const auto refuse = [&](const char* key, const std::string& message, const std::string& hint) {
    diagnostics.add(input_.config.position(key), message, hint);
    diagnostics.throw_if_any();
  };
  const char* key = settings_.decomposition ? "run.decomposition" : "grid.cells";
  try {
    if (!settings_.decomposition) return decompose(settings_.grid, ranks);
    const Decomposition given(settings_.grid, *settings_.decomposition);
    if (given.ranks() == ranks) return given;
    refuse(key,
           fmt::format("run.decomposition makes {} parts, but there are {} ranks", given.ranks(),
                       ranks),
           "start as many ranks, or leave it to `auto`");
  } catch (const Error& error) {
    if (!diagnostics.empty()) throw;
    refuse(key, error.diagnostics()[0].message, error.diagnostics()[0].hint);
  }
  return {};
}

void Simulation::add_monitor(std::unique_ptr<Monitor> monitor) {
  monitors_.push_back(std::move(monitor));
}

double Simulation::stability_limit() {
  const double rate = model_->decay_rate(settings_.start);
  return rate > 0 ? explicit_scheme(settings_.scheme).limit * 2 / rate
                  : std::numeric_limits<double>::infinity();
}

RunForecast Simulation::forecast() {
  RunForecast forecast;
  forecast.cells = grid_.cell_count();
  const Scheme& scheme = explicit_scheme(settings_.scheme);
  forecast.memory_bytes = model_->memory(scheme.slots + monitor_slots(settings_));
  forecast.stable_step = stable_step_;
  if (!scheme.adaptive()) {
    forecast.step = steps_.step();
    if (settings_.end) forecast.steps = std::min(steps_.last(), settings_.max_steps);
  }
  if (!settings_.convergence && settings_.end) {
    const ScheduleSpec& every = settings_.output_schedule;
    const double length = *settings_.end - settings_.start;
    using Unit = ScheduleSpec::Unit;
    if (every.unit == Unit::never)
      forecast.snapshots = 2;
    else if (every.unit == Unit::time)
      forecast.snapshots = 1 + static_cast<std::int64_t>(std::ceil(length / every.interval - 1e-9));
    else if (every.unit == Unit::times)
      forecast.snapshots = 2 + std::count_if(every.times.begin(), every.times.end(), [&](double t) {
                             return t > settings_.start && t < *settings_.end;
                           });
    else if (every.unit == Unit::steps && forecast.steps >= 0)
      forecast.snapshots = 1 + (forecast.steps + every.steps - 1) / every.steps;
    const std::int64_t value = settings_.precision == Precision::double_ ? 8 : 4;
    if (forecast.snapshots >= 0)
      forecast.output_bytes = forecast.snapshots * forecast.cells * value *
                              static_cast<std::int64_t>(settings_.outputs.size());
  }
  return forecast;
}

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

void Simulation::open_output(const RunOptions& options) {
  namespace fs = std::filesystem;
  const std::string& folder = settings_.directory;
  std::error_code error;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (is_output_file(file)) old.push_back(entry.path());
  }
  if (!old.empty() && !options.overwrite)
    throw Error(ErrorKind::input,
                "the output folder '" + folder + "' holds the files of another run",
                "give --overwrite to replace them, or another folder with --output");
  make_directory(folder);
  for (const fs::path& path : old) fs::remove(path, error);
  write_file(folder + "/input.resolved.yaml", input_.config.resolved());
}

int Simulation::steps_until_a_look(std::int64_t step, int most) const {
  std::int64_t last = std::min({step + most, settings_.max_steps, steps_.last()});
  for (const auto& monitor : monitors_) last = std::min(last, monitor->next_step(step));
  for (int n = 1; step + n < last; ++n)
    for (const auto& monitor : monitors_)
      if (is_reached(steps_.time(step + n), monitor->next_time())) return n;
  return static_cast<int>(std::max<std::int64_t>(last - step, 1));
}

void Simulation::step_to_the_end(Loop& loop) {
  RunState& state = loop.state;
  RunReport& report = state.report;
  const Scheme& scheme = loop.scheme;
  const double end = settings_.end.value_or(std::numeric_limits<double>::infinity());
  ErrorControl control;
  if (scheme.adaptive()) {
    const double length = end - settings_.start;
    double first =
        settings_.step.value_or(std::isfinite(stable_step_) ? settings_.cfl * stable_step_
                                : std::isfinite(length)     ? length / 1000
                                                            : 1e-3);
    control = ErrorControl(scheme.error_order, first);
  }
  const auto largest_field = [&] {
    std::pair<std::string, double> result;
    for (std::size_t f = 0; f < state.model.fields().size(); ++f) {
      const double size = state.model.norm("linf", static_cast<int>(f), 0);
      if (result.first.empty() || size > result.second)
        result = {state.model.fields()[f].name, size};
    }
    return result;
  };
  const auto try_step = [&](double step) {
    for (const Stage& stage : scheme.stages)
      state.model.evaluate(stage, state.time + stage.fraction * step, step);
  };
  const int most_at_once = scheme.is_euler() ? state.model.steps_at_once() : 1;

  while (!loop.ending && state.time < end) {
    if (state.step >= settings_.max_steps) {
      if (!settings_.convergence)
        log_warning(report.message =
                        fmt::format("stopped at time.max_steps = {} before time.end, at t = {}",
                                    settings_.max_steps, state.time));
      break;
    }
    int taken = 1;
    if (!scheme.adaptive()) {
      state.step_size = steps_.step();
      taken = steps_until_a_look(state.step, most_at_once);
      if (taken > 1)
        state.model.take_euler_steps(state.time, state.step_size, taken);
      else
        try_step(state.step_size);
      state.time = steps_.time(state.step + taken);
    } else {
      double target = end;
      for (const auto& monitor : monitors_) {
        const double wanted = monitor->next_time();
        if (wanted > state.time) target = std::min(target, wanted);
      }
      const double step = control.next(state.time, target);
      if (step < ErrorControl::smallest(state.time)) {
        const auto [field, size] = largest_field();
        loop.ending = Ending{RunStatus::diverged,
                             fmt::format("the step size fell to {:.3g} at t = {}, step {}: field "
                                         "'{}', now up to {:.3g}, cannot be followed further",
                                         step, state.time, state.step, field, size)};
        break;
      }
      try_step(step);
      const double error =
          state.model.scaled_error(scheme.error_slot, 0, scheme.result,
                                   settings_.relative_tolerance, settings_.absolute_tolerance);
      if (!control.accept(error, step)) {
        ++report.rejected_steps;
        continue;
      }
      state.step_size = step;
      state.time = step == target - state.time ? target : state.time + step;
    }
    if (taken == 1 && scheme.result != 0) state.model.swap(0, scheme.result);
    state.step += taken;
    state.last = state.time >= end || state.step >= settings_.max_steps;
    state.seconds = loop.watch.seconds();
    for (const auto& monitor : monitors_)
      if (auto ending = monitor->look(state)) {
        loop.ending = ending;
        break;
      }
  }
  state.model.fence();
  state.seconds = loop.watch.seconds();
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

  const Scheme& scheme = explicit_scheme(settings_.scheme);
  bool output_is_ours = false;
  Loop loop{{*model_, settings_, report, 0, settings_.start, 0, 0}, scheme, {}, {}};
  RunState& state = loop.state;
  try {
    std::vector<int> exact, assertions;
    {
      const ScopedTimer timer("setup", report.setup_seconds);
      open_output(options);
      output_is_ours = true;
      if (options.started) options.started();
      if (settings_.convergence)
        monitors_.push_back(make_convergence_monitor(*settings_.convergence, scheme.slots));
      monitors_.push_back(make_health_monitor());
      monitors_.push_back(make_output_monitor(communicator_, grid_, provenance(), settings_));
      if (!settings_.series.empty())
        monitors_.push_back(make_series_monitor(communicator_, settings_));
      if (options.progress)
        monitors_.push_back(make_progress_monitor(options.progress, forecast().steps, settings_));
      for (const auto& monitor : monitors_) monitor->prepare(*model_);
      for (const ExactSolution& solution : settings_.exact)
        exact.push_back(model_->add_expression(solution.expression));
      for (const Assertion& assertion : settings_.assertions)
        assertions.push_back(model_->add_expression(assertion.expression));
      model_->allocate(scheme.slots + monitor_slots(settings_));
      model_->initialise(settings_.start);
    }
    std::vector<std::string> failed;
    const auto verify = [&](bool at_start) {
      for (std::size_t n = 0; n < assertions.size(); ++n) {
        const Assertion& assertion = settings_.assertions[n];
        if (assertion.at_start != at_start) continue;
        const double value = model_->scalar(assertions[n], state.time);
        if (!(value != 0) || std::isnan(value))
          failed.push_back("verify '" + assertion.name + "' failed: " + assertion.text);
      }
    };
    if ((loop.ending = look_for_divergence(state)))
      loop.ending->message = "the initial state is wrong: " + loop.ending->message;
    for (const auto& monitor : monitors_) monitor->start(state);
    verify(true);
    loop.watch = Stopwatch();
    const double output_before = report.output_seconds;
    {
      const ScopedTimer timer("stepping", report.stepping_seconds);
      step_to_the_end(loop);
    }
    report.stepping_seconds -= report.output_seconds - output_before;
    if (!loop.ending || loop.ending->status != RunStatus::diverged)
      if (auto diverged = look_for_divergence(state)) loop.ending = diverged;
    for (const auto& monitor : monitors_) monitor->finish(state);
    verify(false);
    for (std::size_t n = 0; n < exact.size(); ++n) {
      const int field = settings_.exact[n].field;
      report.errors.emplace_back(model_->fields()[static_cast<std::size_t>(field)].name,
                                 model_->error(field, exact[n], state.time));
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
    if (!failed.empty() && report.status != RunStatus::diverged) {
      report.status = RunStatus::verify_failed;
      report.message.clear();
      for (const std::string& line : failed)
        report.message += (report.message.empty() ? "" : "\n") + line;
    }
    for (std::size_t f = 0; f < model_->fields().size(); ++f)
      report.fields.emplace_back(model_->fields()[f].name,
                                 model_->statistics(0, static_cast<int>(f)));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) throw;
    report.status = RunStatus::failed;
    report.message = error.diagnostics().empty() ? error.what() : error.diagnostics()[0].message;
  } catch (const std::bad_alloc&) {
    report.status = RunStatus::failed;
    report.message = "out of memory";
  } catch (const std::exception& error) {
    report.status = RunStatus::failed;
    report.message = error.what();
  }
  report.steps = state.step;
  report.time = state.time;
  report.step_last = state.step_size;
  const Transfers after = transfers();
  const auto since = [](TransferCount a, const TransferCount& b) {
    return TransferCount{a.count - b.count, a.bytes - b.bytes};
  };
  report.transfers = {since(after.to_host, before.to_host),
                      since(after.to_device, before.to_device),
                      since(after.scalars_to_host, before.scalars_to_host)};
  report.peak_memory_bytes = peak_memory();
  report.total_seconds = total.seconds();
  const std::string text = json(report);
  std::vector<std::string> files;
  if (output_is_ours) files.push_back(settings_.directory + "/report.json");
  if (!options.report_file.empty()) files.push_back(options.report_file);
  // One that cannot be written must neither hide why the run failed nor keep back the other.
  for (const std::string& file : files) {
    try {
      write_file(file, text);
    } catch (const Error& error) {
      log_error(error.diagnostics()[0].message);
      if (exit_code(report.status) == 0) report.status = RunStatus::failed;
      if (report.message.empty()) report.message = error.diagnostics()[0].message;
    }
  }
  return report;
}

}  // namespace xp
