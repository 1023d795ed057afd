// From a checked tree to values: numbers, units of time, ranges, defaults, places, and the input
// written out in full.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <xp/config/config.hpp>

namespace {

using Lines = std::vector<std::string>;

// Numbers, names, and one '/' or '*' between two of them: enough to see what is handed on.
struct Calculator {
  std::map<std::string, double> names = {{"pi", 3.0}};

  xp::Evaluation operator()(std::string_view text) const {
    const std::size_t sign = text.find_first_of("*/");
    if (sign == std::string_view::npos) return term(text, 0);
    const xp::Evaluation a = term(text.substr(0, sign), 0);
    const xp::Evaluation b = term(text.substr(sign + 1), sign + 1);
    if (!a.value) return a;
    if (!b.value) return b;
    return {text[sign] == '*' ? *a.value * *b.value : *a.value / *b.value, 0, 1, {}, {}};
  }

  xp::Evaluation term(std::string_view text, std::size_t offset) const {
    const std::string word(text);
    const auto name = names.find(word);
    if (name != names.end()) return {name->second, 0, 1, {}, {}};
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (!word.empty() && *end == '\0') return {value, 0, 1, {}, {}};
    return {{}, offset, word.size(), "unknown name '" + word + "'", "a hint"};
  }
};

struct Reading {
  xp::Diagnostics diagnostics;
  xp::Config config;
  Lines defined;

  explicit Reading(const std::string& text, const Lines& overrides = {},
                   const xp::Schema& schema = xp::core_schema())
      : config(xp::Config::read(text, "input.yaml", overrides, schema, diagnostics)) {
    Calculator calculator;
    config.evaluate([&](std::string_view expression) { return calculator(expression); },
                    [&](const std::string& name, double value) {
                      defined.push_back(name);
                      calculator.names[name] = value;
                    },
                    diagnostics);
  }
  Lines errors() const {
    Lines result;
    for (const xp::Diagnostic& d : diagnostics.list())
      result.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " +
                       d.message + (d.hint.empty() ? "" : " | " + d.hint));
    return result;
  }
};

const std::string head = "xpsim: 1\ngrid: {cells: [4]}\n";

TEST(ConfigValues, Getters) {
  const Reading r(
      "xpsim: 1\n"
      "title: plate\n"
      "parameters: {D: 0.5, F: {value: 2*D, units: 1/s}}\n"
      "grid: {lower: [0, -1], upper: [\"2*pi\", 1/4], cells: [4, 8], periodic: x}\n"
      "time: {end: F, step: auto, max_steps: 1e3}\n"
      "boundary_conditions: {u: {y-: {dirichlet: x}, y+: outflow}}\n"
      "output: {fields: [u, {name: f, value: u*u}]}\n");
  EXPECT_EQ(r.errors(), Lines{});
  const xp::Config& c = r.config;
  EXPECT_EQ(c.integer("xpsim"), 1);
  EXPECT_EQ(c.text("title"), "plate");
  EXPECT_EQ(c.number("parameters.D.value"), 0.5);
  EXPECT_EQ(c.number("parameters.F.value"), 1.0);
  EXPECT_EQ(c.text("parameters.F.units"), "1/s");
  EXPECT_EQ(r.defined, (Lines{"D", "F"}));
  EXPECT_EQ(c.numbers("grid.lower"), (std::vector<double>{0, -1}));
  EXPECT_EQ(c.numbers("grid.upper"), (std::vector<double>{6, 0.25}));
  EXPECT_EQ(c.integers("grid.cells"), (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(c.texts("grid.periodic"), Lines{"x"});
  EXPECT_EQ(c.number("time.end"), 1.0);
  EXPECT_EQ(c.integer("time.max_steps"), 1000);
  EXPECT_TRUE(c.is_word("time.step"));
  EXPECT_FALSE(c.is_word("time.end"));
  EXPECT_EQ(c.text("boundary_conditions.u.y+.kind"), "outflow");
  EXPECT_EQ(c.keys("boundary_conditions.u"), (Lines{"y-", "y+"}));
  EXPECT_EQ(c.keys("output.fields"), (Lines{"0", "1"}));
  EXPECT_EQ(c.text("output.fields.0.name"), "u");
  EXPECT_EQ(c.text("output.fields.1.value"), "u*u");
}

TEST(ConfigValues, Defaults) {
  const Reading r(head + "time: {end: 1}\n");
  EXPECT_EQ(r.errors(), Lines{});
  const xp::Config& c = r.config;
  EXPECT_TRUE(c.has("time.scheme"));
  EXPECT_FALSE(c.given("time.scheme"));
  EXPECT_TRUE(c.given("time.end"));
  EXPECT_EQ(c.text("time.scheme"), "ssprk3");
  EXPECT_EQ(c.number("time.cfl"), 0.8);
  EXPECT_EQ(c.number("time.tolerance.relative"), 1e-6);
  EXPECT_EQ(c.integer("time.max_steps"), 1000000);
  EXPECT_EQ(c.text("run.precision"), "double");
  EXPECT_EQ(c.text("numerics.order"), "2");
  // What needs a value of the user's is not there by itself.
  EXPECT_FALSE(c.has("convergence"));
  EXPECT_FALSE(c.has("output.every"));
  EXPECT_FALSE(c.has("nowhere.at.all"));
  EXPECT_EQ(c.keys("time"), Lines{"end"});
  const Reading with(head + "convergence: {tolerance: 1e-3}\nverify: [{name: a, expression: b}]\n");
  EXPECT_EQ(with.config.text("convergence.norm"), "l2");
  EXPECT_EQ(with.config.integer("convergence.check_every"), 50);
  EXPECT_EQ(with.config.text("verify.0.at"), "end");
}

TEST(ConfigValues, GettersThrowWhereThereIsNoValue) {
  const Reading r(head + "time: {end: 1}\n");
  EXPECT_THROW(r.config.number("time.nothing"), std::logic_error);
  EXPECT_THROW(r.config.number("time.step"), std::logic_error);
  EXPECT_THROW(r.config.text("time"), std::logic_error);
  EXPECT_THROW(r.config.texts("time.end"), std::logic_error);
  EXPECT_THROW(r.config.schedule("output.every"), std::logic_error);
}

TEST(ConfigValues, NumbersThatAreNone) {
  EXPECT_EQ(Reading(head + "time: {end: 2*q}\n").errors(),
            Lines{"3:15: 'time.end' is not a number: unknown name 'q' | a hint"});
  EXPECT_EQ(Reading(head + "time: {end: \"2*q\"}\n").errors(),
            Lines{"3:16: 'time.end' is not a number: unknown name 'q' | a hint"});
}

TEST(ConfigValues, ParametersUseEarlierOnesOnly) {
  EXPECT_EQ(Reading(head + "parameters:\n  A: 2*B\n  B: 1\n").errors(),
            Lines{"4:8: 'parameters.A.value' is not a number: unknown name 'B' | a hint"});
  // What is made of a wrong one is not wrong by itself.
  EXPECT_EQ(Reading(head + "parameters: {A: q, B: 2*A}\ntime: {end: B}\n").errors(),
            Lines{"3:17: 'parameters.A.value' is not a number: unknown name 'q' | a hint"});
}

TEST(ConfigValues, Integers) {
  EXPECT_EQ(Reading("xpsim: 1\ngrid: {cells: [2.5, 1/3, 8/2]}\n").errors(),
            (Lines{"2:16: 'grid.cells' must be an integer, not 2.5",
                   "2:21: 'grid.cells' must be an integer, not 1/3"}));
  EXPECT_EQ(Reading("xpsim: 1\ngrid: {cells: [1e17]}\n").errors(),
            Lines{"2:16: 'grid.cells' must be an integer, not 1e17"});
  EXPECT_EQ(Reading("xpsim: 1\ngrid: {cells: [9007199254740992]}\n").errors(), Lines{});
}

TEST(ConfigValues, Ranges) {
  EXPECT_EQ(
      Reading("xpsim: 2\ngrid: {cells: [4, 0]}\n").errors(),
      (Lines{"1:8: 'xpsim' must be 1, not 2", "2:19: 'grid.cells' must be at least 1, not 0"}));
  EXPECT_EQ(Reading(head + "time: {cfl: 1.5, step: 0, max_steps: -1}\n").errors(),
            (Lines{"3:24: 'time.step' must be above 0, not 0",
                   "3:13: 'time.cfl' must be at most 1, not 1.5",
                   "3:38: 'time.max_steps' must be at least 1, not -1"}));
  // Also of integers that a double cannot tell from their neighbours.
  EXPECT_EQ(Reading(head + "run: {threads: 1e17}\n").errors(),
            Lines{"3:16: 'run.threads' must be at most 4096, not 1e+17"});
  EXPECT_EQ(Reading(head + "run: {seed: 9007199254740992}\n").errors(),
            Lines{"3:13: 'run.seed' must be at most 9007199254740991, not 9007199254740992"});
}

TEST(ConfigValues, Schedules) {
  using Unit = xp::ScheduleSpec::Unit;
  const auto schedule = [](const std::string& text) {
    const Reading r(head + "output: {every: " + text + "}\n");
    EXPECT_EQ(r.errors(), Lines{}) << text;
    return r.config.schedule("output.every");
  };
  EXPECT_EQ(schedule("0.5").unit, Unit::time);
  EXPECT_EQ(schedule("1/4").interval, 0.25);
  EXPECT_EQ(schedule("\"50 steps\"").unit, Unit::steps);
  EXPECT_EQ(schedule("50 steps").steps, 50);
  EXPECT_EQ(schedule("1 step").steps, 1);
  EXPECT_EQ(schedule("30 s").unit, Unit::seconds);
  EXPECT_EQ(schedule("30 s").interval, 30);
  EXPECT_EQ(schedule("10 min").interval, 600);
  EXPECT_EQ(schedule("2 h").interval, 7200);
  EXPECT_EQ(schedule("[0, 1/4, 2]").unit, Unit::times);
  EXPECT_EQ(schedule("[0, 1/4, 2]").times, (std::vector<double>{0, 0.25, 2}));
}

TEST(ConfigValues, SchedulesThatAreNone) {
  const auto errors = [](const std::string& text) {
    return Reading(head + "output: {every: " + text + "}\n").errors();
  };
  EXPECT_EQ(errors("10 parsecs"), Lines{"3:20: unknown unit 'parsecs' in output.every | known "
                                        "units: steps, s, min or h (without one it is simulation "
                                        "time)"});
  EXPECT_EQ(errors("0"), Lines{"3:17: 'output.every' must be above 0, not 0"});
  EXPECT_EQ(errors("-1 s"), Lines{"3:17: 'output.every' must be above 0, not -1"});
  EXPECT_EQ(errors("0.5 steps"),
            Lines{"3:17: 'output.every' must be a whole number of steps, not 0.5"});
  EXPECT_EQ(errors("[1, 1]"), Lines{"3:21: the times of 'output.every' must increase"});
  EXPECT_EQ(errors("[1, [2]]"), Lines{"3:21: an entry of 'output.every' is not a time"});
}

TEST(ConfigValues, Durations) {
  xp::Schema schema;
  xp::SchemaEntry entry;
  entry.path = "limit";
  entry.type = xp::ValueType::duration;
  entry.minimum = 1;
  schema.add(entry);
  EXPECT_EQ(Reading("limit: 2 h", {}, schema).config.seconds("limit"), 7200);
  EXPECT_EQ(Reading("limit: 1/2 min", {}, schema).config.seconds("limit"), 30);
  EXPECT_EQ(Reading("limit: 90", {}, schema).config.seconds("limit"), 90);
  EXPECT_EQ(Reading("limit: 3 days", {}, schema).errors(),
            Lines{"1:10: unknown unit 'days' in limit | known units: s, min or h"});
  EXPECT_EQ(Reading("limit: 0 s", {}, schema).errors().size(), 1u);
}

TEST(ConfigValues, Positions) {
  const Reading r(
      "xpsim: 1\n"
      "grid:\n"
      "  cells: [4, 8]\n"
      "definitions: {r: \"u*v\"}\n"
      "parameters: {D: 1}\n");
  const auto place = [](const xp::Position& p) {
    return std::to_string(p.line) + ":" + std::to_string(p.column) + "+" + std::to_string(p.length);
  };
  EXPECT_EQ(place(r.config.position("grid.cells.1")), "3:14+1");
  EXPECT_EQ(place(r.config.position("definitions.r")), "4:19+3");
  EXPECT_EQ(place(r.config.position("definitions.r", 2, 1)), "4:21+1");
  EXPECT_EQ(place(r.config.key_position("definitions.r")), "4:15+1");
  EXPECT_EQ(place(r.config.position("parameters.D.value")), "5:17+1");
  // What is not there is shown where it would belong.
  EXPECT_EQ(place(r.config.position("grid.upper")), "2:1+4");
  EXPECT_EQ(r.config.position("time.end").line, 1);
}

TEST(ConfigValues, Resolved) {
  const Reading r(
      "xpsim: 1\n"
      "parameters: {D: 1/64}\n"
      "title: \"a: \\\"b\\\" # \\\\ \\n\\tü\"\n"
      "grid: {cells: 4, upper: [2*pi]}\n"
      "time: {scheme: RK4, end: 1e-3}\n");
  EXPECT_EQ(r.errors(), Lines{});
  EXPECT_EQ(r.config.resolved(),
            "xpsim: 1\n"
            "title: \"a: \\\"b\\\" # \\\\ \\n\\x09ü\"\n"
            "parameters:\n"
            "  D:\n"
            "    value: \"1/64\"\n"
            "grid:\n"
            "  upper: [\"2*pi\"]\n"
            "  cells: [4]\n"
            "numerics:\n"
            "  order: 2\n"
            "  advection: upwind1\n"
            "time:\n"
            "  scheme: rk4\n"
            "  step: auto\n"
            "  cfl: 0.8\n"
            "  start: 0\n"
            "  end: 1e-3\n"
            "  max_steps: 1000000\n"
            "  tolerance:\n"
            "    relative: 1e-6\n"
            "    absolute: 1e-9\n"
            "output:\n"
            "  series:\n"
            "    every: \"10 steps\"\n"
            "checkpoint:\n"
            "  every: \"30 min\"\n"
            "  keep: 2\n"
            "  at_end: false\n"
            "  on_signal: true\n"
            "run:\n"
            "  backend: \"auto\"\n"
            "  precision: double\n"
            "  threads: auto\n"
            "  seed: 0\n"
            "  decomposition: auto\n");
}

TEST(ConfigValues, ResolvedReadsBackAsItself) {
  const Reading r(
      "xpsim: 1\n"
      "title: |\n"
      "  two lines: 'a' \"b\"\n"
      "  - [x] {y} \\ %\n"
      "parameters:\n"
      "  b: -1e-3\n"
      "  a: {value: \"2*b\", description: \"yes\", units: null_}\n"
      "grid: {cells: [4, 4], periodic: []}\n"
      "definitions: {r: \"u*v\", q: -1}\n"
      "boundary_conditions: {\"*\": {all: outflow}, u: {y: {robin: {alpha: 1, beta: x, value: "
      "0}}}}\n"
      "convergence: {tolerance: 1e-8}\n"
      "output:\n"
      "  directory: out/a b\n"
      "  fields: [u, {name: f, value: \"-u\"}]\n"
      "  every: [0, 1/4]\n"
      "  series: {every: 30 s, columns: {b: \"max(u)\", a: \"min(u)\"}}\n"
      "exact: {u: \"x\"}\n"
      "verify: [{name: \"#1\", expression: \"1 < 2\"}, {name: b, expression: \"1\", at: start}]\n");
  EXPECT_EQ(r.errors(), Lines{});
  const std::string text = r.config.resolved();
  const Reading again(text);
  EXPECT_EQ(again.errors(), Lines{}) << text;
  EXPECT_EQ(again.config.resolved(), text);
  EXPECT_EQ(again.config.text("title"), r.config.text("title"));
  EXPECT_EQ(again.config.keys("parameters"), (Lines{"b", "a"}));
  EXPECT_EQ(again.config.text("parameters.a.description"), "yes");
  EXPECT_EQ(again.config.number("parameters.a.value"), r.config.number("parameters.a.value"));
  EXPECT_EQ(again.config.schedule("output.every").times, (std::vector<double>{0, 0.25}));
  EXPECT_EQ(again.config.text("verify.0.name"), "#1");
}

TEST(ConfigResolved, NamesThatYamlTakesForValuesAreQuoted) {
  const Reading r("xpsim: 1\nparameters: {\"null\": 1, \"true\": 2}\ngrid: {cells: [8]}\n");
  EXPECT_EQ(r.errors(), Lines{});
  const Reading again(r.config.resolved());
  EXPECT_EQ(again.errors(), Lines{}) << r.config.resolved();
  EXPECT_EQ(again.config.number("parameters.null.value"), 1);
  EXPECT_EQ(again.config.number("parameters.true.value"), 2);
}

}  // namespace
