#include <xp/simulation/settings_reader.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace xp {

// Along one axis, ghost cells included, indices are 32 bits wide.
constexpr std::int64_t most_cells = (std::int64_t{1} << 31) - 1 - 2 * most_ghosts;

// So that bytes of all arrays together can be counted in 64 bits.
constexpr double most_cells_in_all = 281474976710656.0;

bool is_reserved(const std::string& name) {
  const auto& reserved = reserved_names();
  return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

Symbols symbols_of(const Input& input, int dimensions) {
  Symbols symbols;
  symbols.dimensions = dimensions;
  symbols.parameters = input.parameters;
  for (const std::string& name : input.config.keys("definitions"))
    symbols.definitions[name] = input.config.text("definitions." + name);
  return symbols;
}

Program compile(const Input& input, const std::string& path, Symbols symbols,
                Diagnostics& diagnostics) {
  symbols.place = path;
  const Compiled compiled = xp::compile(input.config.text(path), symbols);
  if (compiled) return *compiled.program;
  diagnostics.add(input.config.position(path, compiled.error.offset, compiled.error.length),
                  compiled.error.message, compiled.error.hint);
  return Program::of(0);
}

Settings SettingsReader::read() {
  // A value that was refused while reading has no getter: what depends on it is left out,
  // everything else is still checked, so that all mistakes are reported at once.
  const bool clean = diagnostics_.empty();
  const auto attempt = [&](void (SettingsReader::*part)()) {
    try {
      (this->*part)();
    } catch (const std::logic_error&) {
      if (clean) throw;
    } catch (const Error& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics_.add(diagnostic);
    }
  };
  attempt(&SettingsReader::cells);  // first: a vector has as many components as there are axes
  attempt(&SettingsReader::names);
  attempt(&SettingsReader::model);
  attempt(&SettingsReader::fields);
  attempt(&SettingsReader::bounds);
  attempt(&SettingsReader::periodicity);
  attempt(&SettingsReader::definitions);
  attempt(&SettingsReader::numerics);
  attempt(&SettingsReader::boundaries);
  attempt(&SettingsReader::steady);
  attempt(&SettingsReader::linear_solver);
  attempt(&SettingsReader::time_span);
  attempt(&SettingsReader::time_step);
  attempt(&SettingsReader::convergence);
  attempt(&SettingsReader::run);
  attempt(&SettingsReader::decomposition);
  attempt(&SettingsReader::checkpoint);
  attempt(&SettingsReader::model_expressions);
  attempt(&SettingsReader::equations);
  attempt(&SettingsReader::output_fields);
  attempt(&SettingsReader::series);
  attempt(&SettingsReader::exact);
  attempt(&SettingsReader::assertions);
  attempt(&SettingsReader::stop);
  attempt(&SettingsReader::unused_conditions);
  attempt(&SettingsReader::ghost_cells);
  attempt(&SettingsReader::resolution);
  return std::move(settings_);
}

void SettingsReader::names() {
  symbols_.dimensions_known = have_dimensions_;
  symbols_.parameters = input_.parameters;
  for (const std::string block : {"parameters", "definitions"}) {
    std::vector<std::string> names = config_.refused_keys(block);
    for (const std::string& name : config_.keys(block)) names.push_back(name);
    for (const std::string& name : names) {
      const std::string path = block + "." + name;
      if (block == "definitions" && config_.has(path))
        symbols_.definitions[name] = config_.text(path);
      else
        symbols_.parameters.emplace(name, 1);
    }
  }
  for (const std::string block : {"parameters", "definitions"})
    for (const std::string& name : config_.keys(block)) {
      const Position where = config_.key_position(block + "." + name);
      if (is_reserved(name)) {
        diagnostics_.add(where, "'" + name + "' is a name of the expression language",
                         "choose another");
        // It keeps its meaning: what uses it is not a mistake of its own.
        symbols_.parameters.erase(name);
        symbols_.definitions.erase(name);
      } else if (block == "definitions" && input_.parameters.count(name)) {
        diagnostics_.add(where, "'" + name + "' is a parameter already", "choose another name");
      }
    }
}

bool SettingsReader::is_bounded_definition(const std::string& name) const {
  return symbols_.definitions.count(name) > 0 && (config_.given("boundary_conditions." + name) ||
                                                  config_.refused("boundary_conditions." + name));
}

bool SettingsReader::has_walls() const {
  for (const Axis axis : all_axes)
    if (bounded(axis)) return true;
  return false;
}

void SettingsReader::model() {
  settings_.title = config_.has("title") ? config_.text("title") : std::string();
  const std::vector<std::string> names = registry_.names();
  std::string list;
  std::string block;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
    if (config_.given(name) && name != "equations") block = name;
  }
  const bool has_equations = config_.given("equations") || config_.refused("equations");
  if (!config_.given("model") && !has_equations) {
    if (!config_.refused("model"))
      diagnostics_.add(config_.position(""),
                       "missing key 'equations' or 'model': what is to be solved",
                       block.empty() ? "models: " + list : "write model: " + block);
    return;
  }
  const std::string name = config_.given("model") ? config_.text("model") : "equations";
  settings_.model = registry_.find(name);
  if (!settings_.model) {
    diagnostics_.add(config_.position("model"), "unknown model '" + name + "'; one of: " + list,
                     did_you_mean(name, names));
    return;
  }
  for (const std::string& other : names)
    if (other != name && config_.given(other))
      diagnostics_.add(
          config_.key_position(other),
          other == "equations"
              ? "`equations` beside `model: " + name + "`: a run has one or the other"
          : name == "equations"
              ? "'" + other + "' is the block of a model; this run has `equations`"
              : "'" + other + "' is the block of another model; this run has model '" + name + "'");
}

void SettingsReader::ghost_cells() {
  GridSpec& grid = settings_.grid;
  for (const Stencil& stencil : stencils_)
    grid.ghosts = std::max(grid.ghosts, reach(stencil, settings_.order, settings_.advection));
  grid.wall_cells = wall_cells(settings_.order, grid.ghosts);
}

void SettingsReader::stop() {
  if (!settings_.model || !config_.given("stop") || !config_.has("stop.when")) return;
  settings_.stop = StopSettings{config_.text("stop.when"), condition("stop.when"),
                                config_.integer("stop.check_every")};
}

void SettingsReader::cells() {
  GridSpec& grid = settings_.grid;
  const auto cells = config_.integers("grid.cells");
  grid.dimensions = static_cast<int>(cells.size());
  have_dimensions_ = true;
  double product = 1;
  for (std::size_t a = 0; a < cells.size(); ++a) {
    grid.cells[a] = cells[a];
    product *= static_cast<double>(cells[a]);
    if (cells[a] > most_cells)
      diagnostics_.add(config_.position("grid.cells." + std::to_string(a)),
                       "more than 2^31 cells along " + std::string(1, letter(all_axes[a])));
  }
  if (product > most_cells_in_all)
    diagnostics_.add(config_.position("grid.cells"), "more than 2^48 cells in all");
}

void SettingsReader::bounds() {
  GridSpec& grid = settings_.grid;
  const auto lower = bounds("grid.lower"), upper = bounds("grid.upper");
  for (std::size_t a = 0; a < 3; ++a) {
    if (a < lower.size()) grid.lower[a] = lower[a];
    if (a < upper.size()) grid.upper[a] = upper[a];
    if (static_cast<int>(a) >= dimensions()) continue;
    if (grid.lower[a] < grid.upper[a]) {
      check_spacing(a);
      continue;
    }
    const std::string key = a < upper.size() ? "grid.upper" : "grid.lower";
    diagnostics_.add(config_.position(key + "." + std::to_string(a)),
                     fmt::format("grid.upper ({}) {} grid.lower ({}) along {}", grid.upper[a],
                                 grid.lower[a] > grid.upper[a] ? "lies below" : "is the same as",
                                 grid.lower[a], letter(all_axes[a])),
                     config_.given("grid.upper")   ? ""
                     : config_.given("grid.lower") ? "grid.upper is not given: it is 1"
                                                   : "");
  }
}

// Derivatives divide by the square of the spacing, and cells have places of their own.
void SettingsReader::check_spacing(std::size_t axis) {
  const GridSpec& grid = settings_.grid;
  const double spacing =
      (grid.upper[axis] - grid.lower[axis]) / static_cast<double>(grid.cells[axis]);
  const double farthest = std::max(std::abs(grid.lower[axis]), std::abs(grid.upper[axis]));
  const auto refuse = [&](const std::string& what) {
    diagnostics_.add(
        config_.given("grid.upper")   ? config_.position("grid.upper")
        : config_.given("grid.lower") ? config_.position("grid.lower")
                                      : config_.position("grid.cells"),
        fmt::format("the cells along {} are {} wide: {}", letter(all_axes[axis]), spacing, what));
  };
  if (spacing > 1e75) return refuse("too wide to compute with");
  if (spacing < 1e-75) return refuse("too narrow to compute with");
  if (spacing < 4 * std::numeric_limits<double>::epsilon() * farthest)
    refuse("numbers as large as the bounds do not tell their places apart");
}

void SettingsReader::periodicity() {
  have_periodicity_ = !config_.refused("grid.periodic");
  if (!config_.has("grid.periodic") || !have_dimensions_) return;
  const auto periodic = config_.texts("grid.periodic");
  for (std::size_t n = 0; n < periodic.size(); ++n) {
    const int axis = periodic[n][0] - 'x';
    const Position where = config_.position("grid.periodic." + std::to_string(n));
    if (axis >= settings_.grid.dimensions)
      diagnostics_.add(where, "the grid has no axis " + periodic[n] + ": grid.cells has " +
                                  entries(static_cast<std::size_t>(settings_.grid.dimensions)));
    else if (settings_.grid.periodic[static_cast<std::size_t>(axis)])
      diagnostics_.add(where, periodic[n] + " is in grid.periodic twice");
    else
      settings_.grid.periodic[static_cast<std::size_t>(axis)] = true;
  }
}

std::vector<double> SettingsReader::bounds(const std::string& path) {
  if (!config_.has(path)) return {};
  const auto values = config_.numbers(path);
  if (have_dimensions_ && static_cast<int>(values.size()) != settings_.grid.dimensions)
    diagnostics_.add(config_.position(path),
                     path + " has " + entries(values.size()) + ", but grid.cells has " +
                         entries(static_cast<std::size_t>(settings_.grid.dimensions)));
  return values;
}

std::string SettingsReader::entries(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

void SettingsReader::numerics() {
  settings_.order = config_.has("numerics.order") && config_.text("numerics.order") == "4"
                        ? Order::fourth
                        : Order::second;
  if (config_.has("numerics.advection"))
    settings_.advection = advection_from_name(config_.text("numerics.advection"));
  settings_.grid.ghosts = ghost_width(settings_.order);
  settings_.grid.wall_cells = wall_cells(settings_.order, settings_.grid.ghosts);
}

// What a steady model has no use for.
void SettingsReader::steady() {
  settings_.steady = settings_.model && settings_.model->steady;
  if (!settings_.steady) return;
  settings_.scheme = "euler";
  settings_.end = settings_.start = 0;
  const std::pair<const char*, const char*> unused[] = {
      {"time", "leave it out"},
      {"convergence", "linear_solver.tolerance says how exactly it is solved"},
      {"stop", "leave it out"}};
  for (const auto& [key, hint] : unused)
    if (config_.given(key))
      diagnostics_.add(config_.key_position(key),
                       "`" + std::string(key) + "` has no meaning here: the model '" +
                           settings_.model->name + "' is steady",
                       hint);
}

const Scheme& SettingsReader::scheme() const {
  const bool known = config_.has("time.scheme") && !config_.refused("time.scheme");
  return find_scheme(known ? config_.text("time.scheme") : "ssprk3");
}

void SettingsReader::linear_solver() {
  if (config_.has("linear_solver.method")) {
    settings_.linear.method = config_.text("linear_solver.method");
    settings_.linear.preconditioner = config_.text("linear_solver.preconditioner");
    settings_.linear.tolerance = config_.number("linear_solver.tolerance");
    settings_.linear.check_every = static_cast<int>(config_.integer("linear_solver.check_every"));
    settings_.linear.max_iterations =
        static_cast<int>(config_.integer("linear_solver.max_iterations"));
  }
  if (!settings_.model) return;
  const std::vector<std::string>& methods = settings_.model->linear_methods;
  if (settings_.linear.method != "auto" && !methods.empty() &&
      std::find(methods.begin(), methods.end(), settings_.linear.method) == methods.end()) {
    std::string names = "auto";
    for (const std::string& name : methods) names += ", " + name;
    diagnostics_.add(config_.position("linear_solver.method"),
                     "the method " + settings_.linear.method + " is not one for " +
                         settings_.model->name + "; one of: " + names);
  }
  if (settings_.linear.preconditioner != "auto" && !methods.empty() &&
      std::find(methods.begin(), methods.end(), "bicgstab") == methods.end())
    diagnostics_.add(config_.position("linear_solver.preconditioner"),
                     "the linear solvers of " + settings_.model->name +
                         " have no choice of preconditioner: it is multigrid",
                     "leave it out");
  if (settings_.steady) return;
  if (config_.given("linear_solver") && !scheme().implicit() && !config_.refused("time.scheme"))
    diagnostics_.add(config_.key_position("linear_solver"),
                     "`linear_solver` has no meaning here: nothing is solved implicitly",
                     "it is for implicit time schemes and the model poisson");
}

void SettingsReader::time_span() {
  if (settings_.steady) return;
  settings_.max_steps = config_.integer("time.max_steps");
  if (!config_.has("time.end")) {
    if (!config_.refused("time.end") && !config_.given("convergence") &&
        !config_.refused("convergence"))
      diagnostics_.add(config_.given("time") ? config_.key_position("time") : config_.position(""),
                       "missing key 'time.end': when the run ends", "or ask for `convergence`");
    settings_.start = config_.number("time.start");
    return;
  }
  settings_.start = config_.number("time.start");
  settings_.end = config_.number("time.end");
  if (*settings_.end < settings_.start)
    diagnostics_.add(
        config_.position("time.end"),
        fmt::format("time.end ({}) lies before time.start ({})", *settings_.end, settings_.start));
}

void SettingsReader::time_step() {
  if (settings_.steady) return;
  settings_.scheme = scheme().name;
  if (!settings_.model || !scheme().implicit()) return read_step();
  const std::vector<std::string>& known = settings_.model->implicit_schemes;
  if (std::find(known.begin(), known.end(), settings_.scheme) == known.end()) {
    std::string names = "euler, ssprk2, ssprk3, rk4, rk32, rk54";
    for (const std::string& name : known) names += ", " + name;
    diagnostics_.add(config_.position("time.scheme"),
                     "the scheme " + settings_.scheme + " is not one for " + settings_.model->name +
                         "; one of: " + names);
  }
  read_step();
}

void SettingsReader::read_step() {
  settings_.cfl = config_.number("time.cfl");
  settings_.relative_tolerance = config_.number("time.tolerance.relative");
  settings_.absolute_tolerance = config_.number("time.tolerance.absolute");
  if (config_.is_word("time.step")) return;
  settings_.step = config_.number("time.step");
  if (settings_.end && !((*settings_.end - settings_.start) / *settings_.step < 9007199254740992.0))
    diagnostics_.add(config_.position("time.step"),
                     fmt::format("time.step {} is too small: more than 2^53 steps to time.end",
                                 *settings_.step));
}

void SettingsReader::convergence() {
  if (!config_.given("convergence") || settings_.steady) return;
  settings_.convergence = ConvergenceSettings{
      config_.text("convergence.quantity"), config_.text("convergence.norm"),
      config_.number("convergence.tolerance"), config_.integer("convergence.check_every")};
}

void SettingsReader::run() {
  settings_.precision =
      config_.text("run.precision") == "float" ? Precision::float_ : Precision::double_;
  try {
    settings_.backend = backend_from_name(config_.text("run.backend"));
  } catch (const Error& error) {
    diagnostics_.add(config_.position("run.backend"), error.diagnostics()[0].message,
                     error.diagnostics()[0].hint);
  }
  settings_.seed = static_cast<std::uint64_t>(config_.integer("run.seed"));
}

void SettingsReader::decomposition() {
  if (!config_.has("run.decomposition") || config_.is_word("run.decomposition")) return;
  const auto parts = config_.integers("run.decomposition");
  if (have_dimensions_ && static_cast<int>(parts.size()) != settings_.grid.dimensions) {
    diagnostics_.add(config_.position("run.decomposition"),
                     "run.decomposition has " + entries(parts.size()) + ", but grid.cells has " +
                         entries(static_cast<std::size_t>(settings_.grid.dimensions)));
    return;
  }
  settings_.decomposition = {1, 1, 1};
  for (std::size_t a = 0; a < parts.size(); ++a) {
    if (parts[a] > most_cells)
      diagnostics_.add(config_.position("run.decomposition." + std::to_string(a)),
                       "more than 2^31 parts along " + std::string(1, letter(all_axes[a])));
    (*settings_.decomposition)[a] = static_cast<int>(std::min(parts[a], most_cells));
  }
}

void SettingsReader::model_expressions() {
  if (!settings_.model) return;
  for (const SchemaEntry& entry : settings_.model->schema)
    if (entry.type == ValueType::expression && config_.given(entry.path))
      expression(entry.path, entry.in_time, -1, entry.random);
}

Program SettingsReader::expression(const std::string& path, bool time, int component, bool random) {
  const std::string key = path + (component < 0 ? "" : std::string(1, "xyz"[component]));
  const auto found = compiled_.find(key);
  if (found != compiled_.end()) return found->second;
  Symbols symbols = symbols_;
  symbols.dimensions = dimensions();
  symbols.absent_fields = field_names();
  symbols.time = time;
  symbols.random = random;
  if (component < 0) return compiled_[key] = compile(input_, path, symbols, diagnostics_);
  symbols.place = path;
  const CompiledVector compiled = compile_vector(config_.text(path), symbols);
  if (compiled) return compiled_[key] = compiled.programs[static_cast<std::size_t>(component)];
  // Once for all components.
  if (seen_.insert(path).second)
    diagnostics_.add(config_.position(path, compiled.error.offset, compiled.error.length),
                     compiled.error.message, compiled.error.hint);
  return Program::of(0);
}

Input read_input(const std::string& text, const std::string& file,
                 const std::vector<std::string>& overrides, const Schema& schema,
                 Diagnostics& diagnostics) {
  Input input{Config::read(text, file, overrides, schema, diagnostics), {}};
  const auto evaluate = [&](std::string_view expression) -> Evaluation {
    const ConstantResult result = evaluate_constant(expression, input.parameters);
    if (result.value) return {result.value, 0, 1, {}, {}};
    return {{}, result.error.offset, result.error.length, result.error.message, result.error.hint};
  };
  input.config.evaluate(
      evaluate,
      [&](const std::string& name, double value) {
        if (!is_reserved(name)) input.parameters[name] = value;
      },
      diagnostics);
  return input;
}

Settings read_settings(const Input& input, const Registry& registry, Diagnostics& diagnostics) {
  return SettingsReader(input, registry, diagnostics).read();
}

Program compile_at(const Input& input, const std::string& path, bool time, bool random,
                   int dimensions, Diagnostics& diagnostics) {
  Symbols symbols = symbols_of(input, dimensions);
  symbols.time = time;
  symbols.random = random;
  return compile(input, path, symbols, diagnostics);
}

}  // namespace xp
