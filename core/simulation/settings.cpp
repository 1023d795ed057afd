#include <xp/simulation/settings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace xp {
namespace {

// Along one axis, ghost cells included, indices are 32 bits wide.
constexpr std::int64_t most_cells = (std::int64_t{1} << 31) - 1 - 2 * ghost_width(Order::fourth);

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
  return *xp::compile("0", {}).program;
}

// Reads one input; a member function per block.
class Reader {
 public:
  Reader(const Input& input, const Registry& registry, Diagnostics& diagnostics)
      : input_(input), config_(input.config), registry_(registry), diagnostics_(diagnostics) {}

  Settings read() {
    // A value that was refused while reading has no getter: what depends on it is left out,
    // everything else is still checked, so that all mistakes are reported at once.
    const bool clean = diagnostics_.empty();
    const auto attempt = [&](void (Reader::*part)()) {
      try {
        (this->*part)();
      } catch (const std::logic_error&) {
        if (clean) throw;
      } catch (const Error& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics_.add(diagnostic);
      }
    };
    attempt(&Reader::names);
    attempt(&Reader::model);
    attempt(&Reader::cells);
    attempt(&Reader::bounds);
    attempt(&Reader::periodicity);
    attempt(&Reader::definitions);
    attempt(&Reader::numerics);
    attempt(&Reader::boundaries);
    attempt(&Reader::resolution);
    attempt(&Reader::time_span);
    attempt(&Reader::time_step);
    attempt(&Reader::convergence);
    attempt(&Reader::run);
    attempt(&Reader::model_expressions);
    attempt(&Reader::output_fields);
    attempt(&Reader::series);
    attempt(&Reader::exact);
    attempt(&Reader::assertions);
    return std::move(settings_);
  }

 private:
  // Parameters and definitions must not hide a name that means something else. One that was refused
  // stands for 1 from here on: what uses it is not a mistake of its own.
  void names() {
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
        const auto& reserved = reserved_names();
        if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
          diagnostics_.add(where, "'" + name + "' is a name of the expression language",
                           "choose another");
        else if (block == "definitions" && input_.parameters.count(name))
          diagnostics_.add(where, "'" + name + "' is a parameter already", "choose another name");
      }
  }

  // Each definition by itself, with everything allowed that is allowed somewhere.
  void definitions() {
    if (!settings_.model) return;
    Symbols symbols = symbols_;
    symbols.dimensions = dimensions();
    symbols.fields = fields_;
    symbols.reductions = true;
    for (const std::string& name : config_.keys("definitions")) {
      const std::size_t before = diagnostics_.size();
      compile(input_, "definitions." + name, symbols, diagnostics_);
      if (diagnostics_.size() > before) symbols.definitions[name] = "1";
    }
    symbols_.definitions = symbols.definitions;
  }

  void model() {
    settings_.title = config_.has("title") ? config_.text("title") : std::string();
    const std::vector<std::string> names = registry_.names();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    if (!config_.given("model")) {
      if (!config_.refused("model") && !config_.refused("equations"))
        diagnostics_.add(config_.position(""),
                         "missing key 'model': what is to be solved; one of: " + list);
      return;
    }
    const std::string name = config_.text("model");
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
            "'" + other + "' is the block of another model; this run has model '" + name + "'");
    for (const FieldInfo& field : settings_.model->fields) {
      fields_.push_back(field.name);
      for (const std::string block : {"parameters", "definitions"})
        if (config_.given(block + "." + field.name))
          diagnostics_.add(config_.key_position(block + "." + field.name),
                           "'" + field.name + "' is a field of the model", "choose another name");
    }
  }

  void cells() {
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
    if (product > 9007199254740992.0)
      diagnostics_.add(config_.position("grid.cells"), "more than 2^53 cells in all");
  }

  void bounds() {
    GridSpec& grid = settings_.grid;
    const auto lower = bounds("grid.lower"), upper = bounds("grid.upper");
    for (std::size_t a = 0; a < 3; ++a) {
      if (a < lower.size()) grid.lower[a] = lower[a];
      if (a < upper.size()) grid.upper[a] = upper[a];
      if (static_cast<int>(a) >= dimensions()) continue;
      if (grid.lower[a] < grid.upper[a]) continue;
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

  void periodicity() {
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

  std::vector<double> bounds(const std::string& path) {
    if (!config_.has(path)) return {};
    const auto values = config_.numbers(path);
    if (have_dimensions_ && static_cast<int>(values.size()) != settings_.grid.dimensions)
      diagnostics_.add(config_.position(path),
                       path + " has " + entries(values.size()) + ", but grid.cells has " +
                           entries(static_cast<std::size_t>(settings_.grid.dimensions)));
    return values;
  }

  static std::string entries(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " entry" : " entries");
  }

  void boundaries() {
    bool all_known = true;
    for (const std::string& name : config_.keys("boundary_conditions")) {
      if (!settings_.model || name == "*") continue;
      if (std::find(fields_.begin(), fields_.end(), name) != fields_.end()) continue;
      all_known = false;
      diagnostics_.add(config_.key_position("boundary_conditions." + name),
                       "unknown field '" + name + "' in boundary_conditions", nearest_field(name));
    }
    if (!have_dimensions_ || !settings_.model) return;
    for (const std::string& name : config_.keys("boundary_conditions"))
      for (const std::string& side : config_.keys("boundary_conditions." + name))
        check_side(name, side);
    for (const std::string& field : fields_) {
      BoundaryConditions conditions;
      std::string missing;
      for (const Axis axis : all_axes) {
        if (!bounded(axis)) continue;
        for (const bool upper : {false, true}) {
          const std::string path = condition_path(field, axis, upper);
          if (!path.empty())
            conditions[place(axis)][upper ? 1 : 0] = read_condition(path);
          else if (have_periodicity_ && all_known && !side_refused(field, axis, upper))
            missing += (missing.empty() ? "" : ", ") + side_name(axis, upper);
        }
        if (missing.empty()) check_axis(field, axis, conditions[place(axis)]);
      }
      if (!missing.empty()) report_missing(field, missing);
      settings_.boundaries.push_back(conditions);
    }
  }

  std::string nearest_field(const std::string& name) const {
    std::string list;
    for (const std::string& field : fields_) list += (list.empty() ? "" : ", ") + field;
    const std::string nearest = did_you_mean(name, fields_);
    return !nearest.empty() ? nearest : "fields of this model: " + list;
  }

  static std::size_t place(Axis axis) { return static_cast<std::size_t>(index(axis)); }
  static std::string side_name(Axis axis, bool upper) {
    return std::string(1, letter(axis)) + (upper ? "+" : "-");
  }
  bool bounded(Axis axis) const {
    return index(axis) < settings_.grid.dimensions && !settings_.grid.periodic[place(axis)];
  }

  void report_missing(const std::string& field, const std::string& sides) {
    const std::string known = "boundary_conditions." + field;
    const std::string first = sides.substr(0, sides.find(','));
    diagnostics_.add(config_.given(known) ? config_.key_position(known)
                     : config_.given("boundary_conditions")
                         ? config_.key_position("boundary_conditions")
                         : config_.key_position("grid"),
                     "no boundary condition for '" + field + "' at " + sides,
                     "give " + known + "." + first + ", or all, or make the axis periodic");
  }

  // A key such as "x-", "y" or "all" of the block of a field.
  void check_side(const std::string& field, const std::string& side) {
    if (side == "all") return;
    const std::string path = "boundary_conditions." + field + "." + side;
    const int axis = side[0] - 'x';
    if (axis < 0 || axis > 2) return;
    if (axis >= settings_.grid.dimensions)
      diagnostics_.add(config_.key_position(path), std::string("the grid has no axis ") + side[0]);
    else if (settings_.grid.periodic[static_cast<std::size_t>(axis)])
      diagnostics_.add(
          config_.key_position(path),
          std::string("a boundary condition on a periodic axis: grid.periodic has ") + side[0]);
  }

  // Keys that can give a side's condition, the most specific first.
  static std::vector<std::string> side_paths(const std::string& field, Axis axis, bool upper) {
    std::vector<std::string> paths;
    for (const std::string& block : {field, std::string("*")})
      for (const std::string& key :
           {side_name(axis, upper), std::string(1, letter(axis)), std::string("all")})
        paths.push_back("boundary_conditions." + block + "." + key);
    return paths;
  }

  std::string condition_path(const std::string& field, Axis axis, bool upper) const {
    for (const std::string& path : side_paths(field, axis, upper))
      if (config_.given(path)) return path;
    return {};
  }

  // Was something refused that may have been meant for this side?
  bool side_refused(const std::string& field, Axis axis, bool upper) const {
    for (const std::string& path : side_paths(field, axis, upper))
      if (config_.refused(path)) return true;
    const Schema schema = core_schema();
    for (const std::string& block : {field, std::string("*")})
      for (const std::string& key : config_.refused_keys("boundary_conditions." + block))
        if (!schema.find("boundary_conditions.*." + key)) return true;
    return false;
  }

  BoundaryCondition read_condition(const std::string& path) {
    BoundaryCondition result;
    if (config_.refused(path)) return result;
    const auto value = [&](const std::string& key) {
      return expression(path + "." + key, true, false);
    };
    if (config_.given(path + ".dirichlet")) {
      result.kind = BoundaryKind::dirichlet;
      result.value = value("dirichlet");
    } else if (config_.given(path + ".neumann")) {
      result.kind = BoundaryKind::neumann;
      result.value = value("neumann");
    } else if (config_.given(path + ".robin")) {
      result.kind = BoundaryKind::robin;
      result.alpha = value("robin.alpha");
      result.beta = value("robin.beta");
      result.value = value("robin.value");
    } else {
      const std::string kind = config_.text(path + ".kind");
      if (kind == "periodic" && seen_.insert(path).second)
        diagnostics_.add(config_.position(path + ".kind"),
                         "a periodic axis is named in grid.periodic, not here");
      result.kind = kind == "outflow"        ? BoundaryKind::outflow
                    : kind == "antiperiodic" ? BoundaryKind::antiperiodic
                                             : BoundaryKind::periodic;
    }
    return result;
  }

  // What the conditions at both ends of an axis say together, and with the grid.
  void check_axis(const std::string& field, Axis axis,
                  const std::array<BoundaryCondition, 2>& ends) {
    const bool lower_anti = ends[0].kind == BoundaryKind::antiperiodic;
    if (lower_anti != (ends[1].kind == BoundaryKind::antiperiodic))
      diagnostics_.add(config_.position(condition_path(field, axis, !lower_anti)),
                       std::string("'") + field + "' is antiperiodic at one end of " +
                           letter(axis) + " only: each end follows the other",
                       "write " + std::string(1, letter(axis)) + ": antiperiodic");
    const WallStencil stencil = wall_stencil(settings_.order);
    const double spacing = (settings_.grid.upper[place(axis)] - settings_.grid.lower[place(axis)]) /
                           static_cast<double>(settings_.grid.cells[place(axis)]);
    for (const bool upper : {false, true}) {
      const BoundaryCondition& end = ends[upper ? 1 : 0];
      if (end.kind != BoundaryKind::robin || !end.alpha.is_constant() || !end.beta.is_constant())
        continue;
      const std::string path = condition_path(field, axis, upper) + ".robin";
      if (config_.refused(path) || !(spacing > 0)) continue;
      // The ghost cell's weight in alpha*u + beta*du/dn at the wall: it is what is solved for.
      const double alpha = end.alpha.constant_value(), beta = end.beta.constant_value();
      const double weight = alpha * stencil.value[0] + beta * stencil.derivative[0] / spacing;
      const double scale = std::abs(alpha) + std::abs(beta) / spacing;
      if (!(std::abs(weight) > 1e-12 * scale) && seen_.insert(path).second)
        diagnostics_.add(
            config_.key_position(path),
            alpha == 0 && beta == 0
                ? "alpha and beta of a robin condition are both 0"
                : fmt::format("the robin condition has no solution at {} of this grid: "
                              "alpha {}, beta {} and spacing {} cancel",
                              side_name(axis, upper), alpha, beta, spacing),
            alpha == 0 && beta == 0 ? "" : "alpha and beta of the same sign always have one");
    }
  }

  // Stencils need so many cells.
  void resolution() {
    if (!have_dimensions_ || !have_periodicity_) return;
    const int at_walls = wall_stencil(settings_.order).points - 1;
    for (const Axis axis : all_axes) {
      if (index(axis) >= settings_.grid.dimensions) continue;
      const std::int64_t needed = bounded(axis) ? at_walls : ghost_width(settings_.order);
      const std::int64_t cells = settings_.grid.cells[place(axis)];
      if (cells < needed)
        diagnostics_.add(
            config_.position("grid.cells." + std::to_string(index(axis))),
            fmt::format("numerics.order {} needs at least {} cells along {}, not {}",
                        static_cast<int>(settings_.order), needed, letter(axis), cells));
    }
  }

  void numerics() {
    settings_.order = config_.has("numerics.order") && config_.text("numerics.order") == "4"
                          ? Order::fourth
                          : Order::second;
    settings_.grid.ghosts = ghost_width(settings_.order);
  }

  void time_span() {
    settings_.max_steps = config_.integer("time.max_steps");
    if (!config_.has("time.end")) {
      if (!config_.refused("time.end") && !config_.given("convergence") &&
          !config_.refused("convergence"))
        diagnostics_.add(
            config_.given("time") ? config_.key_position("time") : config_.position(""),
            "missing key 'time.end': when the run ends", "or ask for `convergence`");
      settings_.start = config_.number("time.start");
      return;
    }
    settings_.start = config_.number("time.start");
    settings_.end = config_.number("time.end");
    if (*settings_.end < settings_.start)
      diagnostics_.add(config_.position("time.end"),
                       fmt::format("time.end ({}) lies before time.start ({})", *settings_.end,
                                   settings_.start));
  }

  void time_step() {
    settings_.scheme = config_.text("time.scheme");
    settings_.cfl = config_.number("time.cfl");
    settings_.relative_tolerance = config_.number("time.tolerance.relative");
    settings_.absolute_tolerance = config_.number("time.tolerance.absolute");
    if (config_.is_word("time.step")) return;
    settings_.step = config_.number("time.step");
    if (settings_.end &&
        !((*settings_.end - settings_.start) / *settings_.step < 9007199254740992.0))
      diagnostics_.add(config_.position("time.step"),
                       fmt::format("time.step {} is too small: more than 2^53 steps to time.end",
                                   *settings_.step));
  }

  void convergence() {
    if (!config_.given("convergence")) return;
    settings_.convergence = ConvergenceSettings{
        config_.text("convergence.quantity"), config_.text("convergence.norm"),
        config_.number("convergence.tolerance"), config_.integer("convergence.check_every")};
  }

  void run() {
    settings_.precision =
        config_.text("run.precision") == "float" ? Precision::float_ : Precision::double_;
    try {
      settings_.backend = backend_from_name(config_.text("run.backend"));
    } catch (const Error& error) {
      diagnostics_.add(config_.position("run.backend"), error.diagnostics()[0].message,
                       error.diagnostics()[0].hint);
    }
  }

  // The expressions of the model's own block: the model compiles them again for itself, here
  // mistakes are found beside all others.
  void model_expressions() {
    if (!settings_.model) return;
    for (const SchemaEntry& entry : settings_.model->schema)
      if (entry.type == ValueType::expression && config_.given(entry.path))
        expression(entry.path, entry.in_time, false);
  }

  void output_fields() {
    settings_.directory = config_.has("output.directory") ? config_.text("output.directory") : "";
    if (config_.has("output.every")) settings_.output_schedule = config_.schedule("output.every");
    if (!settings_.model) return;
    std::set<std::string> names;
    for (const std::string& n : config_.keys("output.fields")) {
      const std::string path = "output.fields." + n;
      if (!config_.has(path + ".name")) continue;
      OutputItem item;
      item.name = config_.text(path + ".name");
      const auto field = std::find(fields_.begin(), fields_.end(), item.name);
      if (!names.insert(item.name).second) {
        diagnostics_.add(config_.position(path + ".name"),
                         "'" + item.name + "' is in output.fields twice");
      } else if (config_.given(path + ".value")) {
        if (field != fields_.end() || !is_name(item.name))
          diagnostics_.add(
              config_.position(path + ".name"),
              field != fields_.end()
                  ? "'" + item.name + "' is a field already"
                  : "'" + item.name + "' is not a name: letters, digits and underscore");
        item.description = config_.text(path + ".value");
        item.expression = expression(path + ".value", true, true);
        settings_.outputs.push_back(item);
      } else if (config_.refused(path)) {
        continue;
      } else if (field == fields_.end()) {
        diagnostics_.add(config_.position(path + ".name"),
                         "unknown field '" + item.name + "' in output.fields",
                         nearest_field(item.name));
      } else {
        settings_.outputs.push_back(output_of(static_cast<int>(field - fields_.begin())));
      }
    }
    if (config_.keys("output.fields").empty())
      for (std::size_t f = 0; f < fields_.size(); ++f)
        if (settings_.model->fields[f].in_output)
          settings_.outputs.push_back(output_of(static_cast<int>(f)));
  }

  OutputItem output_of(int field) const {
    const FieldInfo& info = settings_.model->fields[static_cast<std::size_t>(field)];
    return {info.name, info.description, info.units, field, {}};
  }

  static bool is_name(const std::string& name) {
    return !name.empty() &&
           name.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               std::string::npos;
  }

  void series() {
    if (config_.has("output.series.every"))
      settings_.series_schedule = config_.schedule("output.series.every");
    if (!settings_.model) return;
    for (const std::string& name : config_.keys("output.series.columns")) {
      const std::string path = "output.series.columns." + name;
      if (name == "step" || name == "time")
        diagnostics_.add(config_.key_position(path),
                         "series.csv has a column '" + name + "' already", "choose another name");
      settings_.series.push_back({name, scalar(path)});
    }
  }

  void exact() {
    if (!settings_.model) return;
    for (const std::string& name : config_.keys("exact")) {
      const auto field = std::find(fields_.begin(), fields_.end(), name);
      if (field == fields_.end())
        diagnostics_.add(config_.key_position("exact." + name),
                         "unknown field '" + name + "' in exact", nearest_field(name));
      else
        settings_.exact.push_back(
            {static_cast<int>(field - fields_.begin()), expression("exact." + name, true, false)});
    }
  }

  void assertions() {
    if (!settings_.model) return;
    for (const std::string& n : config_.keys("verify")) {
      const std::string path = "verify." + n;
      if (!config_.has(path + ".expression")) continue;
      Assertion assertion;
      assertion.name = config_.has(path + ".name") ? config_.text(path + ".name")
                                                   : config_.text(path + ".expression");
      assertion.text = config_.text(path + ".expression");
      assertion.at_start = config_.text(path + ".at") == "start";
      assertion.position = config_.position(path + ".expression");
      assertion.expression = scalar(path + ".expression");
      settings_.assertions.push_back(assertion);
    }
  }

  // An expression that reduces fields, and whose value is one number.
  Program scalar(const std::string& path) {
    Symbols symbols = symbols_;
    symbols.dimensions = dimensions();
    symbols.fields = fields_;
    symbols.reductions = true;
    symbols.bare_fields = false;
    symbols.coordinates = false;
    return compile(input_, path, symbols, diagnostics_);
  }

  Program expression(const std::string& path, bool time, bool of_fields) {
    const auto found = compiled_.find(path);
    if (found != compiled_.end()) return found->second;
    Symbols symbols = symbols_;
    symbols.dimensions = dimensions();
    symbols.time = time;
    symbols.reductions = of_fields;
    if (of_fields) symbols.fields = fields_;
    return compiled_[path] = compile(input_, path, symbols, diagnostics_);
  }

  // Before the grid is known nothing is said about axes.
  int dimensions() const { return have_dimensions_ ? settings_.grid.dimensions : 3; }

  const Input& input_;
  const Config& config_;
  const Registry& registry_;
  Diagnostics& diagnostics_;
  Settings settings_;
  Symbols symbols_;  // parameters and definitions
  std::vector<std::string> fields_;
  bool have_dimensions_ = false, have_periodicity_ = false;
  std::map<std::string, Program> compiled_;
  std::set<std::string> seen_;
};

}  // namespace

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
      evaluate, [&](const std::string& name, double value) { input.parameters[name] = value; },
      diagnostics);
  return input;
}

Settings read_settings(const Input& input, const Registry& registry, Diagnostics& diagnostics) {
  return Reader(input, registry, diagnostics).read();
}

Program compile_at(const Input& input, const std::string& path, bool time, int dimensions,
                   Diagnostics& diagnostics) {
  Symbols symbols = symbols_of(input, dimensions);
  symbols.time = time;
  return compile(input, path, symbols, diagnostics);
}

}  // namespace xp
