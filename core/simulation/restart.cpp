#include <xp/simulation/restart.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace xp {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: they are null there, and so is what is not a number.
double number(const Json& json, const char* name, double otherwise) {
  return json.at(name).is_null() ? otherwise : json.at(name).get<double>();
}

bool is_below(const std::string& path, const std::string& prefix) {
  return path == prefix || path.rfind(prefix + ".", 0) == 0;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string to_text(const SavedRun& run) {
  Json json;
  json["step"] = run.step;
  json["time"] = run.time;
  json["step_size"] = run.step_size;
  json["rejected_steps"] = run.rejected_steps;
  json["convergence"] = {{"checks", run.convergence_checks}, {"value", run.convergence_value}};
  json["equal_steps"] = {{"start", run.steps.start},
                         {"end", run.steps.end},
                         {"step", run.steps.step},
                         {"first", run.steps.first},
                         {"last", run.steps.last}};
  json["error_control"] = {{"proposal", run.control.proposal},
                           {"error_before", run.control.error_before},
                           {"rejected", run.control.rejected}};
  json["monitors"] = run.monitors;
  json["failed"] = run.failed;
  json["input"] = run.input;
  return json.dump(1) + "\n";
}

SavedRun saved_run_from(const std::string& text) try {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(text);
  SavedRun run;
  run.step = json.at("step");
  run.time = json.at("time");
  run.step_size = json.at("step_size");
  run.rejected_steps = json.at("rejected_steps");
  run.convergence_checks = json.at("convergence").at("checks");
  run.convergence_value = number(json.at("convergence"), "value", NAN);
  const Json& steps = json.at("equal_steps");
  run.steps = {number(steps, "start", 0), number(steps, "end", infinity), number(steps, "step", 0),
               steps.at("first"), steps.at("last")};
  const Json& control = json.at("error_control");
  run.control = {control.at("proposal"), control.at("error_before"), control.at("rejected")};
  run.monitors = json.at("monitors").get<std::map<std::string, std::string>>();
  run.failed = json.at("failed").get<std::vector<std::string>>();
  run.input = json.at("input");
  return run;
} catch (const Json::exception&) {
  throw Error(ErrorKind::input, "the checkpoint was written by another version of xpsim");
}

bool compare_with_saved(const Input& input, const std::string& saved_input,
                        const std::string& checkpoint, const Registry& registry,
                        Diagnostics& diagnostics) {
  Diagnostics unreadable;
  const Input saved = read_input(saved_input, checkpoint, {}, registry.schema(), unreadable);
  if (!unreadable.empty())
    throw Error(ErrorKind::input,
                "the input in '" + checkpoint +
                    "' cannot be read by this version of xpsim: " + unreadable.list()[0].message);
  static const std::vector<std::string> free = {
      "title",  "time.end",   "time.max_steps", "time.step", "time.cfl", "time.tolerance",
      "output", "checkpoint", "convergence",    "run",       "exact",    "verify"};
  static const std::vector<std::string> of_steps = {"time.end", "time.step", "time.cfl",
                                                    "output.every"};
  const auto is_one_of = [](const std::string& path, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return is_below(path, prefix); });
  };
  bool steps_changed = false;
  for (const std::string& path : input.config.differences(saved.config)) {
    const bool columns =
        is_below(path, "output.series.columns") && saved.config.given("output.series");
    if (is_one_of(path, of_steps)) steps_changed = true;
    if (!columns &&
        (is_one_of(path, free) || ends_with(path, ".description") || ends_with(path, ".units")))
      continue;
    diagnostics.add(input.config.position(path),
                    "'" + path + "' is not what it was in the run of '" + checkpoint + "'",
                    columns ? "the columns of series.csv are fixed when it is begun"
                            : "a run goes on with the problem that it began with; time.end, "
                              "tolerances, output, checkpoint and run may change");
  }
  return steps_changed;
}

}  // namespace xp
