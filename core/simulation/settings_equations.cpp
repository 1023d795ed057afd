// Fields, definitions and equations of the input, and what computes on fields.
#include <xp/io/snapshot.hpp>
#include <xp/simulation/settings_reader.hpp>

#include <algorithm>

namespace xp {

void SettingsReader::definitions() {
  if (!settings_.model) return;
  for (const std::string& name : config_.keys("definitions")) {
    const std::string path = "definitions." + name;
    Symbols symbols = field_symbols();
    symbols.place = path;
    const auto mistake = check(config_.text(path), symbols, nullptr);
    if (!mistake) continue;
    diagnostics_.add(config_.position(path, mistake->offset, mistake->length), mistake->message,
                     mistake->hint);
    if (!is_reserved(name)) symbols_.definitions[name] = "1";
  }
}

Symbols SettingsReader::field_symbols() const {
  Symbols symbols = symbols_;
  symbols.dimensions = dimensions();
  symbols.fields = fields_;
  symbols.vectors = vectors_;
  symbols.reductions = true;
  symbols.operators = true;
  for (const auto& definition : symbols.definitions)
    if (is_bounded_definition(definition.first)) symbols.bounded.insert(definition.first);
  return symbols;
}

void SettingsReader::fields() {
  if (!settings_.model) return;
  const std::vector<std::string> given = config_.keys("fields");
  if (!settings_.model->fields.empty()) {
    if (config_.given("fields"))
      diagnostics_.add(config_.key_position("fields"), "`fields` is for equations: the model '" +
                                                           settings_.model->name +
                                                           "' brings its own fields");
    settings_.fields = settings_.model->fields;
    for (const FieldInfo& field : settings_.fields) {
      fields_.push_back(field.name);
      for (const std::string block : {"parameters", "definitions"})
        if (config_.given(block + "." + field.name))
          diagnostics_.add(config_.key_position(block + "." + field.name),
                           "'" + field.name + "' is a field of the model", "choose another name");
    }
    return;
  }
  // One that was refused stands for 1: what uses it is not a mistake of its own.
  for (const std::string& name : config_.refused_keys("fields"))
    if (!is_reserved(name) && !config_.given("fields." + name))
      symbols_.parameters.emplace(name, 1);
  if (given.empty() && config_.refused_keys("fields").empty() && !config_.refused("fields"))
    diagnostics_.add(
        config_.given("equations") ? config_.key_position("equations") : config_.position(""),
        "missing key 'fields': the names and initial values of what the equations "
        "are for");
  for (const std::string& name : given) add_field(name);
}

void SettingsReader::add_field(const std::string& name) {
  const std::string path = "fields." + name;
  const Position where = config_.key_position(path);
  const auto refuse = [&](const std::string& message) {
    diagnostics_.add(where, message, "choose another name");
    if (!is_reserved(name)) symbols_.parameters.emplace(name, 1);
  };
  FieldInfo info;
  info.name = name;
  if (config_.has(path + ".units")) info.units = config_.text(path + ".units");
  if (config_.has(path + ".description")) info.description = config_.text(path + ".description");
  const bool vector = config_.has(path + ".rank") && config_.text(path + ".rank") == "vector";
  const auto& taken = snapshot_names();
  if (!is_name(name) || (name[0] >= '0' && name[0] <= '9'))
    return refuse("'" + name + "' is not a name: letters, digits and underscore");
  if (is_reserved(name)) return refuse("'" + name + "' is a name of the expression language");
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    return refuse("'" + name + "' is a name that every snapshot uses");
  for (const std::string block : {"parameters", "definitions"})
    if (config_.given(block + "." + name))
      return refuse("'" + name + "' is in " + block + " already");
  const std::vector<Bounded> parts = components(name, vector);
  for (const Bounded& part : parts)
    if (vector && (config_.given("fields." + part.name) || symbols_.parameters.count(part.name) ||
                   symbols_.definitions.count(part.name)))
      return refuse("'" + part.name + "' is a component of the vector '" + name +
                    "' and something else");
  const std::size_t before = fields_.size();
  if (vector) vectors_[name] = static_cast<int>(before);
  for (const Bounded& part : parts) {
    info.name = part.name;
    fields_.push_back(info.name);
    settings_.fields.push_back(info);
  }
  constexpr std::size_t most = 12;
  if (before <= most && fields_.size() > most)
    diagnostics_.add(where, "more than 12 fields, components of vectors counted one by one");
}

void SettingsReader::equations() {
  if (!settings_.model || !settings_.model->fields.empty()) return;
  for (const std::string& name : config_.keys("equations")) {
    if (config_.given("fields." + name) || config_.refused("fields." + name) || fields_.empty())
      continue;
    std::string hint = nearest_field(name);
    for (const Bounded& field : bounded_fields())
      if (field.name == name)
        hint = "it is a component: write equations." + field.owner + ", a vector";
    diagnostics_.add(config_.key_position("equations." + name),
                     "equations." + name + ": there is no field '" + name + "'", hint);
  }
  const Scheme& scheme = this->scheme();
  bool any_implicit = false;
  for (const std::string& name : config_.keys("equations"))
    if (const std::string path = "equations." + name + ".implicit"; config_.given(path)) {
      any_implicit = true;
      if (!scheme.implicit() && !config_.refused("time.scheme"))
        diagnostics_.add(config_.key_position(path),
                         "the scheme " + scheme.name + " is explicit: it has no use for " + path,
                         "take imex, or add it to the explicit part");
    }
  if (!any_implicit && (scheme.name == "imex" || scheme.name == "imex3"))
    diagnostics_.add(config_.position("time.scheme"),
                     "the scheme " + scheme.name + " needs a part that is implicit",
                     "write equations.NAME: {explicit: ..., implicit: ...}, or take "
                     "backward_euler, crank_nicolson or bdf2, to which all terms are implicit");
  const std::size_t before = diagnostics_.size();
  const PartOfEquations plain = part_of_equations("explicit"),
                        stiff = part_of_equations("implicit");
  initial_values();
  // Without a part that is called implicit all terms are, to a scheme that can.
  if (any_implicit || !scheme.implicit()) settings_.equations = compile_part(plain, before);
  if (any_implicit || scheme.implicit())
    settings_.implicit_equations = compile_part(any_implicit ? stiff : plain, before);
  if (settings_.equations && settings_.implicit_equations)
    settings_.equations->whole = settings_.implicit_equations->whole = false;
}

SettingsReader::PartOfEquations SettingsReader::part_of_equations(const char* part) {
  PartOfEquations result;
  const bool is_explicit = part == std::string("explicit");
  for (const std::string& name : config_.keys("fields")) {
    const bool vector = vectors_.count(name) > 0;
    if (!vector && std::find(fields_.begin(), fields_.end(), name) == fields_.end()) continue;
    const std::string block = "equations." + name, path = block + "." + part;
    if (!config_.given(block)) {
      if (is_explicit && !config_.refused(block) && !config_.refused("equations"))
        diagnostics_.add(config_.key_position("fields." + name),
                         "no equation for field '" + name + "'",
                         "write " + block +
                             (vector ? "; a vector of zeros for a field that stays as it is"
                                     : "; 0 for a field that stays as it is"));
      continue;
    }
    if (is_explicit && !config_.has(path) && !config_.refused(path) &&
        !config_.given(block + ".implicit"))
      diagnostics_.add(config_.key_position(block),
                       "missing key '" + path + "': d/dt of the field");
    const char* const nothing[] = {"0", "[0]", "[0, 0]", "[0, 0, 0]"};
    const std::string text =
        config_.has(path) ? config_.text(path) : nothing[vector ? dimensions() : 0];
    result.requests.push_back({text, vector, -1, "field '" + name + "'", path});
    result.paths.push_back(path);
  }
  return result;
}

void SettingsReader::initial_values() {
  int stream = 0;
  for (const std::string& name : config_.keys("fields")) {
    const bool vector = vectors_.count(name) > 0;
    if (!vector && std::find(fields_.begin(), fields_.end(), name) == fields_.end()) continue;
    const std::string initial = "fields." + name + ".initial";
    const int parts = vector ? dimensions() : 1;
    Symbols start = symbols_;
    start.dimensions = dimensions();
    start.absent_fields = field_names();
    start.time = false;
    start.random = true;
    start.first_stream = 1000 * stream++;
    start.place = initial;
    std::vector<Program> programs;
    if (config_.has(initial)) {
      ExprError error;
      if (vector) {
        CompiledVector compiled = compile_vector(config_.text(initial), start);
        programs = std::move(compiled.programs);
        error = compiled.error;
      } else if (const Compiled compiled = compile(config_.text(initial), start)) {
        programs.push_back(*compiled.program);
      } else {
        error = compiled.error;
      }
      if (programs.empty())
        diagnostics_.add(config_.position(initial, error.offset, error.length), error.message,
                         error.hint);
    }
    programs.resize(static_cast<std::size_t>(parts), Program::of(0));
    for (Program& program : programs) settings_.initial.push_back(std::move(program));
  }
}

std::optional<Equations> SettingsReader::compile_part(const PartOfEquations& part,
                                                      std::size_t before) {
  const Symbols symbols = field_symbols();
  CompileOptions options;
  options.walls = has_walls();
  options.repeated = true;
  const auto report = [&](const CompiledComputation& compiled, const std::string& path) {
    diagnostics_.add(config_.position(path, compiled.error.offset, compiled.error.length),
                     compiled.error.message, compiled.error.hint);
  };
  // Each by itself, so that all mistakes are found; then all together.
  for (std::size_t n = 0; n < part.requests.size(); ++n)
    if (const auto compiled = compile_all({part.requests[n]}, symbols, options); !compiled)
      report(compiled, part.paths[n]);
  if (diagnostics_.size() > before || part.requests.empty()) return std::nullopt;
  const CompiledComputation compiled = compile_all(part.requests, symbols, options);
  if (!compiled) {
    report(compiled, part.paths[static_cast<std::size_t>(compiled.failed)]);
    return std::nullopt;
  }
  Equations equations{*compiled.computation,
                      std::make_shared<const Linearised>(part.requests, symbols)};
  if (!equations.linearised->is_complete())
    diagnostics_.add(config_.key_position("equations"),
                     "the equations are too complicated to find their stability limit",
                     "differentiate sums of fewer terms, or fewer times over");
  note(equations.computation);
  return equations;
}

void SettingsReader::note(const Computation& computation) {
  for (const Stencil& stencil : computation.stencils()) {
    stencils_.push_back(stencil);
    settings_.corners = settings_.corners || reads_corners(stencil);
  }
  for (const Temporary& temporary : computation.temporaries) used_.insert(temporary.conditions);
}

Computation SettingsReader::compute(const std::string& path, const Symbols& symbols,
                                    int component) {
  Request request;
  request.text = config_.text(path);
  request.place = path;
  request.is_vector = component >= 0;
  request.component = component;
  CompileOptions options;
  options.walls = has_walls();
  CompiledComputation compiled = compile_all({request}, symbols, options);
  if (!compiled) {
    diagnostics_.add(config_.position(path, compiled.error.offset, compiled.error.length),
                     compiled.error.message, compiled.error.hint);
    compiled = compile_all({Request{"0", false, -1, {}, {}}}, {}, {});
  }
  note(*compiled.computation);
  return std::move(*compiled.computation);
}

Computation SettingsReader::of_cells(const std::string& path, int component) {
  return compute(path, field_symbols(), component);
}

bool SettingsReader::is_vector(const std::string& path) {
  bool result = false;
  check(config_.text(path), field_symbols(), &result);
  return result;
}

}  // namespace xp
