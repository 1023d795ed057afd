#include <xp/io/snapshot.hpp>
#include <xp/simulation/settings_reader.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace xp {

void SettingsReader::output_fields() {
  settings_.directory = config_.has("output.directory") ? config_.text("output.directory") : "";
  if (config_.has("output.every")) settings_.output_schedule = schedule("output.every");
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
      const auto& taken = snapshot_names();
      if (field != fields_.end())
        diagnostics_.add(config_.position(path + ".name"),
                         "'" + item.name + "' is a field already");
      else if (std::find(taken.begin(), taken.end(), item.name) != taken.end())
        diagnostics_.add(config_.position(path + ".name"),
                         "'" + item.name + "' is a name that every snapshot uses",
                         "choose another");
      else if (!is_name(item.name))
        diagnostics_.add(config_.position(path + ".name"),
                         "'" + item.name + "' is not a name: letters, digits and underscore");
      item.description = config_.text(path + ".value");
      const std::string name = item.name;
      const bool vector = is_vector(path + ".value");
      for (const Bounded& part : components(name, vector)) {
        item.name = part.name;
        item.expression = of_cells(path + ".value", part.component);
        settings_.outputs.push_back(item);
      }
    } else if (config_.refused(path)) {
      continue;
    } else if (const auto vector = vectors_.find(item.name); vector != vectors_.end()) {
      for (int axis = 0; axis < dimensions(); ++axis)
        settings_.outputs.push_back(output_of(vector->second + axis));
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
      if (settings_.fields[f].in_output)
        settings_.outputs.push_back(output_of(static_cast<int>(f)));
}

ScheduleSpec SettingsReader::schedule(const std::string& path) {
  const ScheduleSpec spec = config_.schedule(path);
  if (spec.unit == ScheduleSpec::Unit::time && settings_.end &&
      !((*settings_.end - settings_.start) / spec.interval < 9007199254740992.0))
    diagnostics_.add(
        config_.position(path),
        fmt::format("{} {} is too small: more than 2^53 times to time.end", path, spec.interval));
  return spec;
}

OutputItem SettingsReader::output_of(int field) const {
  const FieldInfo& info = settings_.fields[static_cast<std::size_t>(field)];
  return {info.name, info.description, info.units, field, {}};
}

bool SettingsReader::is_name(const std::string& name) {
  return !name.empty() && name.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                              std::string::npos;
}

void SettingsReader::series() {
  if (config_.has("output.series.every"))
    settings_.series_schedule = schedule("output.series.every");
  if (!settings_.model) return;
  for (const std::string& name : config_.keys("output.series.columns")) {
    const std::string path = "output.series.columns." + name;
    if (name == "step" || name == "time")
      diagnostics_.add(config_.key_position(path), "series.csv has a column '" + name + "' already",
                       "choose another name");
    settings_.series.push_back({name, scalar(path)});
  }
}

void SettingsReader::checkpoint() {
  CheckpointSettings& checkpoint = settings_.checkpoint;
  checkpoint.schedule = schedule("checkpoint.every");
  checkpoint.keep = static_cast<int>(config_.integer("checkpoint.keep"));
  checkpoint.on_signal = config_.boolean("checkpoint.on_signal");
  checkpoint.at_end = config_.boolean("checkpoint.at_end");
  if (config_.has("run.wall_time")) settings_.wall_time = config_.seconds("run.wall_time");
}

void SettingsReader::exact() {
  if (!settings_.model) return;
  for (const std::string& name : config_.keys("exact")) {
    const std::string path = "exact." + name;
    const auto field = std::find(fields_.begin(), fields_.end(), name);
    Symbols symbols = symbols_;
    symbols.dimensions = dimensions();
    symbols.absent_fields = field_names();
    const auto add = [&](int n, int component) {
      Computation computation = compute(path, symbols, component);
      settings_.exact.push_back({n, std::move(computation)});
    };
    if (const auto vector = vectors_.find(name); vector != vectors_.end())
      for (int axis = 0; axis < dimensions(); ++axis) add(vector->second + axis, axis);
    else if (field == fields_.end())
      diagnostics_.add(config_.key_position(path), "unknown field '" + name + "' in exact",
                       nearest_field(name));
    else
      add(static_cast<int>(field - fields_.begin()), -1);
  }
}

void SettingsReader::assertions() {
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
    assertion.expression = condition(path + ".expression");
    settings_.assertions.push_back(assertion);
  }
}

Symbols SettingsReader::scalar_symbols() const {
  Symbols symbols = field_symbols();
  symbols.bare_fields = false;
  symbols.coordinates = false;
  return symbols;
}

Computation SettingsReader::scalar(const std::string& path) {
  return compute(path, scalar_symbols(), -1);
}

Computation SettingsReader::condition(const std::string& path) {
  if (!is_condition(config_.text(path), scalar_symbols()))
    diagnostics_.add(config_.position(path), "the value is a number in " + path +
                                                 ": a condition such as max(abs(u)) > 10 is "
                                                 "expected");
  return scalar(path);
}

}  // namespace xp
