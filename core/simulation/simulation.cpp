#include <xp/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include <xp/runtime/log.hpp>

namespace xp {

Simulation::Simulation(Input input, const Registry& registry, MPI_Comm communicator)
    : input_(std::move(input)), registry_(registry), communicator_(communicator) {
  Diagnostics diagnostics;
  settings_ = read_settings(input_, registry, diagnostics);
  diagnostics.throw_if_any();
  if (settings_.directory.empty())
    settings_.directory =
        "out/" + std::filesystem::path(input_.config.position("").file).stem().string();

  settings_.grid.coarsens = settings_.steady || find_scheme(settings_.scheme).implicit();
  grid_ = Grid(settings_.grid, decomposition(diagnostics), communicator_.rank());
  ModelSetup setup{input_.config, communicator_, grid_};
  setup.order = settings_.order;
  setup.backend = settings_.backend;
  setup.precision = settings_.precision;
  setup.advection = settings_.advection;
  setup.seed = settings_.seed;
  setup.scheme = settings_.scheme;
  setup.linear = settings_.linear;
  setup.fields = settings_.fields;
  setup.boundaries = settings_.boundaries;
  setup.conditions = settings_.conditions;
  setup.corners = settings_.corners;
  setup.equations = settings_.equations ? &*settings_.equations : nullptr;
  setup.implicit_equations =
      settings_.implicit_equations ? &*settings_.implicit_equations : nullptr;
  setup.initial = settings_.initial;
  setup.compile = [&](const std::string& path, bool time, bool random) {
    return compile_at(input_, path, time, random, settings_.grid.dimensions, diagnostics);
  };
  model_ = settings_.model->make(setup);
  diagnostics.throw_if_any();
  if (settings_.steady) {
    stable_step_ = std::numeric_limits<double>::infinity();
    return;
  }

  stable_step_ = model_->stable_step(find_scheme(settings_.scheme), settings_.start);
  if (stable_step_ == 0) {
    diagnostics.add(input_.config.position("time.scheme"),
                    "the scheme " + settings_.scheme +
                        " has no stable step for these equations: it lets waves without damping "
                        "grow",
                    "ssprk3 and rk4 can follow waves");
    diagnostics.throw_if_any();
  }
  for (const std::string& term : model_->growing_terms(settings_.start))
    warnings_.push_back("by " + term +
                        " the solution grows without bound, the faster the finer the grid");
  if (find_scheme(settings_.scheme).adaptive()) return;
  steps_ = equal_steps_from(settings_.start);
  warn_of_unbounded();
}

std::vector<std::string> Simulation::warn_of_unbounded() {
  std::vector<std::string> added;
  for (const std::string& term : model_->unbounded_terms()) {
    const std::string text = "the stability limit leaves out " + term + ": nothing bounds it";
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end())
      added.push_back(text);
  }
  warnings_.insert(warnings_.end(), added.begin(), added.end());
  return added;
}

EqualSteps Simulation::equal_steps_from(double time, double wanted) const {
  const Scheme& scheme = find_scheme(settings_.scheme);
  Diagnostics diagnostics;
  const auto refuse = [&](const char* key, const std::string& message, const std::string& hint) {
    diagnostics.add(input_.config.position(key), message, hint);
    diagnostics.throw_if_any();
  };
  const double end = settings_.end.value_or(std::numeric_limits<double>::infinity());
  const auto cut = [&](double step, double align) {
    try {
      return EqualSteps(time, end, step, align);
    } catch (const Error& error) {
      refuse(settings_.step ? "time.step" : "time.end", error.diagnostics()[0].message,
             fmt::format("the step is {:.3g}, from {} to {}", step, time, end));
      throw;
    }
  };
  if (settings_.step) {
    // To rounding the limit itself is allowed.
    if (*settings_.step > stable_step_ * (1 + 1e-9))
      refuse("time.step",
             fmt::format("time.step {} is above the stability limit {:.7g} of {} on this grid",
                         *settings_.step, stable_step_, scheme.name),
             "give a smaller step, or `step: auto`");
    return cut(*settings_.step, 0);
  }
  double step = wanted > 0 ? wanted : settings_.cfl * stable_step_;
  if (!std::isfinite(step)) {
    if (const auto unbounded = model_->unbounded_terms(); !unbounded.empty())
      refuse("time.step", "no stability limit is known here: nothing bounds " + unbounded.front(),
             "give time.step a number, or take rk32 or rk54");
    if (!std::isfinite(end))
      refuse("time.step",
             "nothing limits the time step here, and there is no time.end: time.step has to be a "
             "number",
             "");
    step = (end - time) / 100;
  }
  const ScheduleSpec& every = settings_.output_schedule;
  return cut(step, every.unit == ScheduleSpec::Unit::time ? every.interval : 0);
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
           fmt::format("run.decomposition makes {} parts, but there {} {} rank{}", given.ranks(),
                       ranks == 1 ? "is" : "are", ranks, ranks == 1 ? "" : "s"),
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

void Simulation::follow_limit(RunState& state) {
  if (find_scheme(settings_.scheme).adaptive() || !model_->limit_changes() ||
      state.step % check_limit_every != 0)
    return;
  const Scheme& scheme = find_scheme(settings_.scheme);
  const double step = steps_.step();
  // Coefficients may change with the time until the next look.
  stable_step_ = std::min(
      model_->stable_step(scheme, state.time),
      model_->stable_step(scheme, state.time + step * static_cast<double>(check_limit_every)));
  for (const std::string& warning : warn_of_unbounded()) log_warning(warning);
  if (settings_.step) {
    if (step > stable_step_ * (1 + 1e-9) && !warned_of_limit_) {
      warned_of_limit_ = true;
      log_warning(
          fmt::format("time.step {} is above the stability limit, now {:.7g}, at t = {:.6g}", step,
                      stable_step_, state.time));
    }
    return;
  }
  // Steps stay as they are until their reserve is used up, or much is to be gained; they grow
  // slowly, because a limit may be large for a moment only.
  double wanted = settings_.cfl * stable_step_;
  if (step <= stable_step_ && wanted <= 2 * step) return;
  wanted = std::min(wanted, 1.5 * step);
  if (wanted > 0) steps_ = equal_steps_from(state.time, wanted).from(state.step);
}

std::int64_t Simulation::expected_steps() const {
  if (find_scheme(settings_.scheme).adaptive() || !settings_.end) return -1;
  return std::min(steps_.last(), settings_.max_steps);
}

RunForecast Simulation::forecast() {
  RunForecast forecast;
  forecast.cells = grid_.cell_count();
  const Decomposition& cut = grid_.decomposition();
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    forecast.parts[a] = cut.parts(axis);
    for (int part = 0; part < cut.parts(axis); ++part)
      forecast.largest_part[a] = std::max(forecast.largest_part[a], cut.cells(axis, part));
  }
  const Scheme& scheme = find_scheme(settings_.scheme);
  forecast.memory_bytes = model_->memory(scheme.slots + monitor_slots(settings_));
  MPI_Allreduce(MPI_IN_PLACE, &forecast.memory_bytes, 1, MPI_INT64_T, MPI_MAX, communicator_.get());
  forecast.stable_step = stable_step_;
  if (!scheme.adaptive()) forecast.step = steps_.step();
  forecast.steps = expected_steps();
  if (settings_.steady) {
    forecast.steps = -1;
    forecast.snapshots = 1;
  } else if (!settings_.convergence && settings_.end) {
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
  }
  // In doubles: what nobody can store is not what 64 bits can count.
  if (forecast.snapshots >= 0)
    forecast.output_bytes = static_cast<double>(forecast.snapshots) *
                            static_cast<double>(forecast.cells) *
                            static_cast<double>(bytes_of(settings_.precision)) *
                            static_cast<double>(settings_.outputs.size());
  return forecast;
}

}  // namespace xp
