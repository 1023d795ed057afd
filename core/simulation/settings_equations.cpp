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
  Symbols symbols = field_symbols();
  std::vector<Request> requests;
  std::vector<std::string> paths;
  const std::size_t before = diagnostics_.size();
  int stream = 0;
  for (const std::string& name : config_.keys("fields")) {
    const bool vector = vectors_.count(name) > 0;
    if (!vector && std::find(fields_.begin(), fields_.end(), name) == fields_.end()) continue;
    const std::string path = "equations." + name + ".explicit";
    if (!config_.given("equations." + name)) {
      if (!config_.refused("equations." + name) && !config_.refused("equations"))
        diagnostics_.add(config_.key_position("fields." + name),
                         "no equation for field '" + name + "'",
                         "write equations." + name +
                             (vector ? "; a vector of zeros for a field that stays as it is"
                                     : "; 0 for a field that stays as it is"));
    } else if (config_.has(path)) {
      requests.push_back({config_.text(path), vector, -1, "field '" + name + "'", path});
      paths.push_back(path);
    }
    // The initial value.
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
  // Each by itself, so that all mistakes are found; then all together.
  CompileOptions options;
  options.walls = has_walls();
  options.repeated = true;
  const auto report = [&](const CompiledComputation& compiled, const std::string& path) {
    diagnostics_.add(config_.position(path, compiled.error.offset, compiled.error.length),
                     compiled.error.message, compiled.error.hint);
  };
  for (std::size_t n = 0; n < requests.size(); ++n)
    if (const auto compiled = compile_all({requests[n]}, symbols, options); !compiled)
      report(compiled, paths[n]);
  if (diagnostics_.size() > before || requests.empty()) return;
  const CompiledComputation compiled = compile_all(requests, symbols, options);
  if (!compiled) return report(compiled, paths[static_cast<std::size_t>(compiled.failed)]);
  settings_.equations = *compiled.computation;
  settings_.linearised = std::make_shared<const Linearised>(requests, symbols);
  if (!settings_.linearised->is_complete())
    diagnostics_.add(config_.key_position("equations"),
                     "the equations are too complicated to find their stability limit",
                     "differentiate sums of fewer terms, or fewer times over");
  note(*compiled.computation);
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
