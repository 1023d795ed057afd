// Keys and kinds of values against the schema: what is said about every mistake, and where.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <xp/config/config.hpp>

namespace {

using Lines = std::vector<std::string>;

// What reading says about a text laid below a right beginning, as "line:column: message | hint".
Lines errors_of(const std::string& text) {
  xp::Diagnostics diagnostics;
  xp::Config::read("xpsim: 1\ngrid: {cells: [4]}\n" + text, "input.yaml", {}, xp::core_schema(),
                   diagnostics);
  Lines result;
  for (const xp::Diagnostic& d : diagnostics.list())
    result.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " +
                     d.message + (d.hint.empty() ? "" : " | " + d.hint));
  return result;
}

TEST(ConfigChecks, UnknownKeys) {
  EXPECT_EQ(errors_of("tiem: {end: 1}\n"), Lines{"3:1: unknown key 'tiem' | did you mean 'time'?"});
  EXPECT_EQ(errors_of("time: {ned: 1}\n"),
            Lines{"3:8: unknown key 'ned' in time | did you mean 'end'?"});
  EXPECT_EQ(errors_of("parameters: {D: {valu: 1, value: 2}}\n"),
            Lines{"3:18: unknown key 'valu' in parameters.D | did you mean 'value'?"});
  EXPECT_EQ(errors_of("verify:\n  - {name: a, expression: b, when: end}\n"),
            Lines{"4:30: unknown key 'when' in verify.0 | 'when' belongs under 'stop'"});
}

TEST(ConfigChecks, MisplacedKeys) {
  EXPECT_EQ(errors_of("cfl: 0.5\n"), Lines{"3:1: unknown key 'cfl' | 'cfl' belongs under 'time'"});
  EXPECT_EQ(errors_of("numerics: {scheme: rk4}\n"),
            Lines{"3:12: unknown key 'scheme' in numerics | 'scheme' belongs under 'time'"});
  EXPECT_EQ(errors_of("tolerance: 1\n"),
            Lines{"3:1: unknown key 'tolerance' | 'tolerance' belongs under 'time' or under "
                  "'convergence' or under 'linear_solver'"});
  EXPECT_EQ(errors_of("time: {title: a}\n"),
            Lines{"3:8: unknown key 'title' in time | 'title' belongs at the top level"});
}

TEST(ConfigChecks, PathsAreNotKeys) {
  EXPECT_EQ(errors_of("time.end: 0.1\n"),
            Lines{"3:1: unknown key 'time.end' | write it as 'end' under 'time'"});
  EXPECT_EQ(errors_of("time: {tolerance.relative: 1}\n"),
            Lines{"3:8: unknown key 'tolerance.relative' in time | write it as 'relative' under "
                  "'tolerance'"});
  EXPECT_EQ(errors_of("boundary_conditions: {u: {x-.dirichlet: 1}}\n").size(), 1u);
  EXPECT_EQ(errors_of("parameters.*: 1\n").size(), 1u);
}

TEST(ConfigChecks, WordsOfTheContractThatThisVersionLacks) {
  EXPECT_EQ(errors_of("convergence: {quantity: residual, tolerance: 1}\n"),
            Lines{"3:25: 'residual' in convergence.quantity is not supported by this version of "
                  "xpsim"});
}

TEST(ConfigChecks, MissingKeys) {
  xp::Diagnostics diagnostics;
  xp::Config::read("title: a\n", "input.yaml", {}, xp::core_schema(), diagnostics);
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics.list()[0].message, "missing key 'xpsim': version of the input's schema: 1");
  EXPECT_EQ(diagnostics.list()[1].message,
            "missing key 'grid': the box that is solved in, and its cells");
  EXPECT_EQ(diagnostics.list()[1].where.line, 1);
  EXPECT_EQ(
      errors_of("\nconvergence: {norm: l2}\n"),
      Lines{"4:1: missing key 'convergence.tolerance': the run ends when the norm is below it"});
  EXPECT_EQ(
      errors_of("verify: [{name: a}]\n"),
      Lines{"3:10: missing key 'verify.0.expression': expression with one value; 0 is a failure"});
  EXPECT_EQ(errors_of("boundary_conditions: {u: {all: {robin: {alpha: 1, value: 2}}}}\n"),
            Lines{"3:33: missing key 'boundary_conditions.u.all.robin.beta': factor of the outward "
                  "normal derivative"});
}

TEST(ConfigChecks, EmptyValues) {
  EXPECT_EQ(errors_of("time:\n  end:\n"), Lines{"4:3: 'time.end' has no value; expected a number"});
  EXPECT_EQ(errors_of("title: ~\n"), Lines{"3:1: 'title' has no value; expected a text"});
  EXPECT_EQ(errors_of("title: # plate\n").size(), 1u);
  EXPECT_EQ(errors_of("title: \"\"\n"), Lines{});
}

TEST(ConfigChecks, KindsOfValues) {
  EXPECT_EQ(errors_of("time: {end: [1, 2]}\n"),
            Lines{"3:13: 'time.end' is a list, but expected a number"});
  EXPECT_EQ(errors_of("time: {step: {a: 1}}\n"),
            Lines{"3:14: 'time.step' is a mapping, but expected a number or auto"});
  EXPECT_EQ(errors_of("title: [a]\n"), Lines{"3:8: 'title' is a list, but expected a text"});
  EXPECT_EQ(errors_of("definitions: {r: [x, y]}\n"),
            Lines{"3:18: 'definitions.r' is a list, but expected a number or an expression in "
                  "quotes | an expression with brackets is written in quotes: \"[a, b]\""});
  xp::Diagnostics diagnostics;
  xp::Config::read("xpsim: 1\ngrid: {cells: {x: 4}}\n", "", {}, xp::core_schema(), diagnostics);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].message,
            "'grid.cells' is a mapping, but expected a list of integers such as [64, 64]");
  EXPECT_EQ(diagnostics.list()[0].where.column, 15);
  // A block that is none; its wording is free, its place is not.
  const Lines block = errors_of("time: {tolerance: 1e-3}\n");
  ASSERT_EQ(block.size(), 1u);
  EXPECT_EQ(block[0].rfind("3:19: 'time.tolerance' is '1e-3', but expected ", 0), 0u) << block[0];
}

TEST(ConfigChecks, LengthsOfLists) {
  xp::Diagnostics diagnostics;
  xp::Config::read("xpsim: 1\ngrid: {cells: [4, 4, 4, 4], lower: []}\n", "", {}, xp::core_schema(),
                   diagnostics);
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics.list()[0].message, "'grid.cells' has 4 entries; expected 1 to 3");
  EXPECT_EQ(diagnostics.list()[1].message, "'grid.lower' has 0 entries; expected 1 to 3");
}

TEST(ConfigChecks, Choices) {
  EXPECT_EQ(errors_of("time: {scheme: ssprk33}\n"),
            Lines{"3:16: unknown time.scheme 'ssprk33'; one of: euler, ssprk2, ssprk3, rk4, rk32, "
                  "rk54, backward_euler, crank_nicolson, bdf2, imex, imex3, adi | did you mean "
                  "'ssprk3'?"});
  EXPECT_EQ(errors_of("numerics: {order: 3}\n"),
            Lines{"3:19: unknown numerics.order '3'; one of: 2, 4 | did you mean '2'?"});
  EXPECT_EQ(errors_of("time: {scheme: RK4}\n"), Lines{});
}

TEST(ConfigChecks, Booleans) {
  xp::Schema schema;
  xp::SchemaEntry entry;
  entry.path = "flag";
  entry.type = xp::ValueType::boolean;
  schema.add(entry);
  for (const std::string good : {"true", "false"}) {
    xp::Diagnostics diagnostics;
    const xp::Config config = xp::Config::read("flag: " + good, "", {}, schema, diagnostics);
    ASSERT_TRUE(diagnostics.empty()) << good;
    EXPECT_EQ(config.boolean("flag"), good == "true");
  }
  for (const std::string bad : {"True", "TRUE", "yes", "no", "on", "off", "1", "0", "y"}) {
    xp::Diagnostics diagnostics;
    xp::Config::read("flag: " + bad, "", {}, schema, diagnostics);
    ASSERT_EQ(diagnostics.size(), 1u) << bad;
    EXPECT_EQ(diagnostics.list()[0].message, "'flag' is '" + bad + "': write true or false");
    EXPECT_EQ(diagnostics.list()[0].where.column, 7);
  }
  xp::Diagnostics diagnostics;
  xp::Config::read("flag: \"true\"", "", {}, schema, diagnostics);
  EXPECT_EQ(diagnostics.size(), 1u);
}

TEST(ConfigChecks, NamesThatUsersGive) {
  EXPECT_EQ(errors_of("parameters: {2D: 1, _a: 1, a_2: 1}\n"),
            (Lines{"3:14: '2D' is not a name: a letter, then letters, digits and underscores",
                   "3:21: '_a' is not a name: a letter, then letters, digits and underscores"}));
  EXPECT_EQ(errors_of("boundary_conditions: {\"*\": {all: outflow}}\n"), Lines{});
  EXPECT_EQ(errors_of("definitions: {\"*\": 1}\n"),
            Lines{"3:16: '*' is not a name: a letter, then letters, digits and underscores"});
}

TEST(ConfigChecks, ExactlyOne) {
  EXPECT_EQ(errors_of("boundary_conditions: {u: {x-: {dirichlet: 1, neumann: 2}}}\n"),
            Lines{"3:27: 'boundary_conditions.u.x-' takes exactly one of: dirichlet, neumann, "
                  "robin, kind"});
  EXPECT_EQ(errors_of("boundary_conditions: {u: {x-: {}}}\n"),
            Lines{"3:27: 'boundary_conditions.u.x-' takes exactly one of: dirichlet, neumann, "
                  "robin, kind"});
  // A misspelt key is said once, not also as a missing one.
  EXPECT_EQ(errors_of("boundary_conditions: {u: {x-: {dirichlt: 1}}}\n"),
            Lines{"3:32: unknown key 'dirichlt' in boundary_conditions.u.x- | did you mean "
                  "'dirichlet'?"});
}

TEST(ConfigChecks, AllAtOnceAndEachOnce) {
  EXPECT_EQ(errors_of("tiem: 1\n"
                      "title:\n"
                      "convergence: {tolerance: [1], quantity: rat}\n"
                      "title: b\n")
                .size(),
            5u);
}

TEST(ConfigChecks, RefusedIsRemembered) {
  xp::Diagnostics diagnostics;
  const xp::Config config =
      xp::Config::read("xpsim: 1\ngrid: {cells: [4], upper: {}}\nparameters: {A: [1], B: 1}\n",
                       "input.yaml", {}, xp::core_schema(), diagnostics);
  EXPECT_EQ(diagnostics.size(), 2u);
  EXPECT_FALSE(config.has("grid.upper"));
  EXPECT_TRUE(config.refused("grid.upper"));
  EXPECT_TRUE(config.refused("grid"));
  EXPECT_FALSE(config.refused("grid.cells"));
  EXPECT_EQ(config.refused_keys("parameters"), Lines{"A"});
}

}  // namespace
