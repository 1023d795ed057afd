#include <xp/simulation/settings.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace xp {
namespace {

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
    attempt(&Reader::grid);
    attempt(&Reader::boundaries);
    attempt(&Reader::numerics);
    attempt(&Reader::time);
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
  // Parameters and definitions must not hide a name that means something else.
  void names() {
    for (const std::string block : {"parameters", "definitions"})
      for (const std::string& name : config_.keys(block)) {
        const Position where = config_.key_position(block + "." + name);
        const auto& reserved = reserved_names();
        if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
          diagnostics_.add(where, "'" + name + "' is a name of the expression language",
                           "choose another");
        else if (block == "definitions" && input_.parameters.count(name))
          diagnostics_.add(where, "'" + name + "' is a parameter already", "choose another name");
        else
          continue;
      }
  }

  void model() {
    settings_.title = config_.has("title") ? config_.text("title") : std::string();
    const std::vector<std::string> names = registry_.names();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    if (!config_.given("model")) {
      if (!config_.given("equations"))
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

  void grid() {
    GridSpec& grid = settings_.grid;
    const auto cells = config_.integers("grid.cells");
    grid.dimensions = static_cast<int>(cells.size());
    have_dimensions_ = true;
    const auto lower = bounds("grid.lower"), upper = bounds("grid.upper");
    for (std::size_t a = 0; a < cells.size(); ++a) {
      grid.cells[a] = cells[a];
      if (a < lower.size()) grid.lower[a] = lower[a];
      if (a < upper.size()) grid.upper[a] = upper[a];
      if (a < lower.size() && a < upper.size() && !(lower[a] < upper[a]))
        diagnostics_.add(
            config_.position("grid.upper." + std::to_string(a)),
            std::string("grid.upper lies below grid.lower along ") + letter(all_axes[a]));
    }
    if (!config_.has("grid.periodic")) return;
    const auto periodic = config_.texts("grid.periodic");
    for (std::size_t n = 0; n < periodic.size(); ++n) {
      const int axis = periodic[n][0] - 'x';
      if (axis >= grid.dimensions)
        diagnostics_.add(config_.position("grid.periodic." + std::to_string(n)),
                         "the grid has no axis " + periodic[n] + ": grid.cells has " +
                             std::to_string(grid.dimensions) +
                             (grid.dimensions == 1 ? " entry" : " entries"));
      else
        grid.periodic[static_cast<std::size_t>(axis)] = true;
    }
    have_periodicity_ = true;
  }

  std::vector<double> bounds(const std::string& path) {
    if (!config_.has(path)) return {};
    const auto values = config_.numbers(path);
    if (static_cast<int>(values.size()) != settings_.grid.dimensions)
      diagnostics_.add(config_.position(path), path + " has " + std::to_string(values.size()) +
                                                   (values.size() == 1 ? " entry" : " entries") +
                                                   ", but grid.cells has " +
                                                   std::to_string(settings_.grid.dimensions));
    return values;
  }

  void boundaries() {
    for (const std::string& name : config_.keys("boundary_conditions")) {
      if (!settings_.model || name == "*") continue;
      if (std::find(fields_.begin(), fields_.end(), name) == fields_.end())
        diagnostics_.add(config_.key_position("boundary_conditions." + name),
                         "unknown field '" + name + "' in boundary_conditions",
                         did_you_mean(name, fields_));
    }
    if (!have_dimensions_ || !settings_.model) return;
    have_periodicity_ = have_periodicity_ || !config_.has("grid.periodic");
    for (const std::string& name : config_.keys("boundary_conditions"))
      for (const std::string& side : config_.keys("boundary_conditions." + name))
        check_side(name, side);
    for (const std::string& field : fields_) {
      BoundaryConditions conditions;
      for (const Axis axis : all_axes) {
        if (index(axis) >= settings_.grid.dimensions ||
            settings_.grid.periodic[static_cast<std::size_t>(index(axis))])
          continue;
        for (int side = 0; side < 2; ++side)
          conditions[static_cast<std::size_t>(index(axis))][static_cast<std::size_t>(side)] =
              condition(field, axis, side == 1);
        check_antiperiodic(field, axis, conditions);
      }
      settings_.boundaries.push_back(conditions);
    }
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

  // The most specific condition given for a side of a field.
  BoundaryCondition condition(const std::string& field, Axis axis, bool upper) {
    const std::string letter_only(1, letter(axis));
    const std::string side = letter_only + (upper ? "+" : "-");
    for (const std::string& block : {field, std::string("*")})
      for (const std::string& key : {side, letter_only, std::string("all")}) {
        const std::string path = "boundary_conditions." + block + "." + key;
        if (config_.given(path)) return read_condition(path);
      }
    if (have_periodicity_) {
      const std::string known = "boundary_conditions." + field;
      diagnostics_.add(
          config_.given(known)                   ? config_.key_position(known)
          : config_.given("boundary_conditions") ? config_.key_position("boundary_conditions")
                                                 : config_.key_position("grid"),
          "no boundary condition for '" + field + "' at " + side,
          "give boundary_conditions." + field + "." + side + ", or all, or make the axis periodic");
    }
    return {};
  }

  BoundaryCondition read_condition(const std::string& path) {
    BoundaryCondition result;
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

  void check_antiperiodic(const std::string& field, Axis axis,
                          const BoundaryConditions& conditions) {
    const auto& pair = conditions[static_cast<std::size_t>(index(axis))];
    if ((pair[0].kind == BoundaryKind::antiperiodic) !=
        (pair[1].kind == BoundaryKind::antiperiodic))
      diagnostics_.add(config_.key_position("boundary_conditions"),
                       std::string("'") + field + "' is antiperiodic at one end of " +
                           letter(axis) + " only: each end follows the other");
  }

  void numerics() {
    settings_.order = config_.has("numerics.order") && config_.text("numerics.order") == "4"
                          ? Order::fourth
                          : Order::second;
    settings_.grid.ghosts = ghost_width(settings_.order);
  }

  void time() {
    settings_.scheme = config_.text("time.scheme");
    settings_.start = config_.number("time.start");
    settings_.cfl = config_.number("time.cfl");
    settings_.max_steps = config_.integer("time.max_steps");
    settings_.relative_tolerance = config_.number("time.tolerance.relative");
    settings_.absolute_tolerance = config_.number("time.tolerance.absolute");
    if (!config_.is_word("time.step")) settings_.step = config_.number("time.step");
    if (config_.has("time.end")) {
      settings_.end = config_.number("time.end");
      if (*settings_.end < settings_.start)
        diagnostics_.add(config_.position("time.end"), "time.end lies before time.start");
    } else if (!config_.given("convergence")) {
      diagnostics_.add(config_.given("time") ? config_.key_position("time") : config_.position(""),
                       "missing key 'time.end': when the run ends", "or ask for `convergence`");
    }
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
      } else if (field == fields_.end()) {
        diagnostics_.add(config_.position(path + ".name"),
                         "unknown field '" + item.name + "' in output.fields",
                         did_you_mean(item.name, fields_));
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
    for (const std::string& name : config_.keys("output.series.columns")) {
      const std::string path = "output.series.columns." + name;
      settings_.series.push_back({name, scalar(path)});
    }
  }

  void exact() {
    if (!settings_.model) return;
    for (const std::string& name : config_.keys("exact")) {
      const auto field = std::find(fields_.begin(), fields_.end(), name);
      if (field == fields_.end())
        diagnostics_.add(config_.key_position("exact." + name),
                         "unknown field '" + name + "' in exact", did_you_mean(name, fields_));
      else
        settings_.exact.push_back(
            {static_cast<int>(field - fields_.begin()), expression("exact." + name, true, false)});
    }
  }

  void assertions() {
    for (const std::string& n : config_.keys("verify")) {
      const std::string path = "verify." + n;
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
    Symbols symbols = symbols_of(input_, dimensions());
    symbols.fields = fields_;
    symbols.reductions = true;
    symbols.bare_fields = false;
    symbols.coordinates = false;
    return compile(input_, path, symbols, diagnostics_);
  }

  Program expression(const std::string& path, bool time, bool of_fields) {
    const auto found = compiled_.find(path);
    if (found != compiled_.end()) return found->second;
    Symbols symbols = symbols_of(input_, dimensions());
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
