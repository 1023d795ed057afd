// --set PATH=VALUE over an input: what it changes, and where its mistakes are shown.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <xp/config/config.hpp>

namespace {

using Lines = std::vector<std::string>;

struct Reading {
  xp::Diagnostics diagnostics;
  xp::Config config;

  explicit Reading(const Lines& overrides, const std::string& more = {})
      : config(xp::Config::read("xpsim: 1\ngrid: {cells: [4, 8]}\n" + more, "input.yaml", overrides,
                                xp::core_schema(), diagnostics)) {}
  Lines errors() const {
    Lines result;
    for (const xp::Diagnostic& d : diagnostics.list())
      result.push_back(d.where.file + ":" + std::to_string(d.where.line) + ":" +
                       std::to_string(d.where.column) + ": " + d.message +
                       (d.hint.empty() ? "" : " | " + d.hint));
    return result;
  }
};

TEST(ConfigOverrides, ReplacesAndCreates) {
  const Reading r({"grid.cells=[16]", "time.end=1/4", "title=a.b=c", "output.series.every=5 steps"},
                  "title: old\n");
  EXPECT_EQ(r.errors(), Lines{});
  EXPECT_EQ(r.config.texts("grid.cells"), Lines{"16"});
  EXPECT_EQ(r.config.text("time.end"), "1/4");
  EXPECT_EQ(r.config.text("title"), "a.b=c");
  EXPECT_EQ(r.config.text("output.series.every"), "5 steps");
  EXPECT_TRUE(r.config.given("time.end"));
}

TEST(ConfigOverrides, TheLastOneCounts) {
  EXPECT_EQ(Reading({"title=a", "title=b"}).config.text("title"), "b");
}

TEST(ConfigOverrides, ListItemsByIndex) {
  EXPECT_EQ(Reading({"grid.cells.1=2"}).config.texts("grid.cells"), (Lines{"4", "2"}));
  EXPECT_EQ(Reading({"grid.cells.2=4"}).errors(),
            Lines{"--set:1:12: '2' is not an entry of a list with 2 entries, counted from 0"});
}

TEST(ConfigOverrides, SingleValuesAreListsOfOne) {
  const Reading r({"output.fields.0.name=w"}, "output: {fields: v}\n");
  EXPECT_EQ(r.errors(), Lines{});
  EXPECT_EQ(r.config.text("output.fields.0.name"), "w");
  EXPECT_EQ(Reading({"grid.periodic.0=y"}).errors(),
            Lines{"--set:1:15: '0' is not an entry of a list with 0 entries, counted from 0 | "
                  "set the whole list"});
  EXPECT_EQ(Reading({"verify.0.name=a"}).errors().size(), 1u);
}

TEST(ConfigOverrides, ShortFormsAreWrittenOut) {
  const Reading r({"parameters.D.units=m", "parameters.E=2"}, "parameters: {D: 1, E: 1}\n");
  EXPECT_EQ(r.errors(), Lines{});
  EXPECT_EQ(r.config.text("parameters.D.value"), "1");
  EXPECT_EQ(r.config.text("parameters.D.units"), "m");
  EXPECT_EQ(r.config.text("parameters.E.value"), "2");
}

TEST(ConfigOverrides, Positions) {
  const Reading r({"parameters.D=2*k"});
  const xp::Position where = r.config.position("parameters.D.value", 2, 1);
  EXPECT_EQ(where.file, "--set");
  EXPECT_EQ(where.line, 1);
  EXPECT_EQ(where.column, 16);
  EXPECT_EQ(where.source_line, "parameters.D=2*k");
  EXPECT_EQ(r.config.key_position("parameters.D").column, 12);
}

TEST(ConfigOverrides, MalformedOnes) {
  EXPECT_EQ(Reading({"time.end"}).errors(),
            Lines{"--set:1:1: expected PATH=VALUE | as in --set grid.cells=[64,64]"});
  EXPECT_EQ(Reading({"=3"}).errors(),
            Lines{"--set:1:1: expected PATH=VALUE | as in --set grid.cells=[64,64]"});
  EXPECT_EQ(Reading({"time..end=3"}).errors().size(), 1u);
}

TEST(ConfigOverrides, ValuesThatAreNoYaml) {
  // The value in the file is not blamed for it, and nothing is missing because of it.
  EXPECT_EQ(Reading({"grid.cells=[4,4"}).errors(), Lines{"--set:1:12: '[' is never closed"});
  EXPECT_EQ(Reading({"convergence.tolerance=[1"}).errors(),
            Lines{"--set:1:23: '[' is never closed"});
  EXPECT_EQ(Reading({"grid.cells="}).errors(),
            Lines{"--set:1:11: no value after '=' | a text that is empty is written \"\""});
}

TEST(ConfigOverrides, UnknownPaths) {
  EXPECT_EQ(Reading({"gird.cells=[4]"}).errors(),
            Lines{"--set:1:1: unknown key 'gird' | did you mean 'grid'?"});
  EXPECT_EQ(Reading({"grid.cels=[4]"}).errors(),
            Lines{"--set:1:6: unknown key 'cels' in grid | did you mean 'cells'?"});
  EXPECT_EQ(Reading({"grid={lower: 0}"}).errors(),
            Lines{"--set:1:1: missing key 'grid.cells': cells along x, y, z: 1, 2 or 3 numbers"});
}

}  // namespace
