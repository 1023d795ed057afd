// The table of keys, and the two texts made from it: JSON Schema and reference page.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <xp/config/schema.hpp>

namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

TEST(Schema, FindsTheEntryOfAConcretePath) {
  const xp::Schema schema = xp::core_schema();
  const auto path = [&](const std::string& concrete) {
    const xp::SchemaEntry* entry = schema.find(concrete);
    return entry ? entry->path : std::string("none");
  };
  EXPECT_EQ(path("grid.cells"), "grid.cells");
  EXPECT_EQ(path("parameters.D.value"), "parameters.*.value");
  EXPECT_EQ(path("boundary_conditions.u.x-.robin.beta"), "boundary_conditions.*.x-.robin.beta");
  EXPECT_EQ(path("boundary_conditions.*.all"), "boundary_conditions.*.all");
  EXPECT_EQ(path("verify.0.at"), "verify.#.at");
  EXPECT_EQ(path("verify.a.at"), "none");
  EXPECT_EQ(path("grid.cells.size"), "none");
  EXPECT_EQ(path("grid.cell"), "none");
}

TEST(Schema, KeysBelow) {
  const xp::Schema schema = xp::core_schema();
  EXPECT_EQ(schema.keys_below("grid"), (Lines{"lower", "upper", "cells", "periodic"}));
  EXPECT_EQ(schema.keys_below("time.tolerance"), (Lines{"relative", "absolute"}));
  EXPECT_EQ(schema.keys_below("verify.#"), (Lines{"name", "expression", "at"}));
  EXPECT_EQ(schema.keys_below("nowhere"), Lines{});
  // Reserved names are no suggestions.
  const Lines top = schema.keys_below("");
  EXPECT_EQ(std::count(top.begin(), top.end(), "grid"), 1);
  EXPECT_EQ(std::count(top.begin(), top.end(), "equations"), 0);
}

TEST(Schema, TheTableIsSound) {
  const xp::Schema schema = xp::core_schema();
  std::set<std::string> seen;
  for (const xp::SchemaEntry& entry : schema.entries()) {
    EXPECT_TRUE(seen.insert(entry.path).second) << entry.path << " is there twice";
    const std::size_t dot = entry.path.rfind('.');
    EXPECT_TRUE(dot == std::string::npos || seen.count(entry.path.substr(0, dot)))
        << entry.path << " has no parent";
    EXPECT_TRUE(!entry.help.empty() && entry.help.back() == '.') << entry.path;
    const bool map = entry.type == xp::ValueType::map, list = entry.type == xp::ValueType::list;
    EXPECT_TRUE(!map || schema.find(entry.path + ".*")) << entry.path;
    EXPECT_TRUE(!list || schema.find(entry.path + ".#")) << entry.path;
    EXPECT_TRUE(entry.shorthand.empty() || schema.find(entry.path + "." + entry.shorthand))
        << entry.path;
    const bool chosen = entry.type == xp::ValueType::choice && !entry.fallback.empty();
    EXPECT_TRUE(!chosen || std::count(entry.choices.begin(), entry.choices.end(), entry.fallback))
        << entry.path;
    EXPECT_FALSE(entry.required && !entry.fallback.empty()) << entry.path;
  }
}

class JsonSchema : public testing::Test {
 protected:
  const Json schema = Json::parse(xp::json_schema(xp::core_schema()));
  const Json& top(const char* name) const { return schema.at("properties").at(name); }
  const Json& in(const char* block, const char* name) const {
    return top(block).at("properties").at(name);
  }
};

TEST_F(JsonSchema, TopLevel) {
  EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema.at("type"), "object");
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("required"), Json({"xpsim", "grid"}));
  EXPECT_EQ(schema.at("properties").count("equations"), 0u);
  for (const char* name : {"title", "parameters", "definitions", "boundary_conditions", "numerics",
                           "time", "convergence", "output", "run", "exact", "verify"})
    EXPECT_EQ(schema.at("properties").count(name), 1u) << name;
}

TEST_F(JsonSchema, NumbersAreNumbersOrExpressions) {
  const Json& end = in("time", "end");
  EXPECT_EQ(end.at("anyOf"), Json::parse(R"([{"type": "number"}, {"type": "string"}])"));
  EXPECT_FALSE(end.at("description").get<std::string>().empty());
  const Json& cfl = in("time", "cfl");
  EXPECT_EQ(cfl.at("default"), 0.8);
  EXPECT_EQ(cfl.at("anyOf")[0],
            Json::parse(R"({"type": "number", "exclusiveMinimum": 0.0, "maximum": 1.0})"));
  // Words beside numbers are named, for editors that complete them.
  EXPECT_EQ(in("time", "step").at("anyOf")[1], Json::parse(R"({"enum": ["auto"]})"));
  EXPECT_EQ(in("time", "step").at("default"), "auto");
  EXPECT_EQ(in("time", "max_steps").at("default"), 1000000);
}

TEST_F(JsonSchema, Choices) {
  EXPECT_EQ(in("time", "scheme").at("enum"),
            Json({"euler", "ssprk2", "ssprk3", "rk4", "rk32", "rk54", "backward_euler",
                  "crank_nicolson", "bdf2", "imex", "imex3", "adi"}));
  // `order: 2` is a number to an editor.
  EXPECT_EQ(in("numerics", "order").at("enum"), Json::parse(R"([2, "2", 4, "4"])"));
  EXPECT_EQ(in("numerics", "order").at("default"), 2);
}

TEST_F(JsonSchema, ListsAndMaps) {
  const Json& cells = in("grid", "cells").at("anyOf");
  EXPECT_EQ(cells[0].at("type"), "array");
  EXPECT_EQ(cells[0].at("minItems"), 1);
  EXPECT_EQ(cells[0].at("maxItems"), 3);
  const Json& exact = top("exact");
  EXPECT_EQ(exact.at("additionalProperties"), false);
  EXPECT_EQ(exact.at("patternProperties").count("^[A-Za-z][A-Za-z0-9_]*$"), 1u);
  const Json& sides = top("boundary_conditions").at("patternProperties");
  ASSERT_EQ(sides.count("^([A-Za-z][A-Za-z0-9_]*|\\*)$"), 1u);
  const Json& side = sides.begin()->at("properties").at("x-").at("anyOf");
  EXPECT_EQ(side[0].at("enum")[0], "outflow");
  EXPECT_EQ(side[1].at("minProperties"), 1);
  EXPECT_EQ(side[1].at("maxProperties"), 1);
}

TEST(ReferencePage, HasEveryKeyOnce) {
  const xp::Schema schema = xp::core_schema();
  const std::string page = xp::reference_page(schema);
  for (const std::string& name : schema.keys_below(""))
    EXPECT_NE(page.find("\n## `" + name + "`\n"), std::string::npos) << name;
  EXPECT_NE(page.find("| `time.cfl` | number | `0.8` | Part of the stability limit that `step: "
                      "auto` uses. (above 0 to 1) |"),
            std::string::npos);
  EXPECT_NE(page.find("initial values. (0 to 9007199254740991) |"), std::string::npos);
  EXPECT_NE(page.find("| `parameters.NAME.value` | number | required |"), std::string::npos);
  EXPECT_NE(page.find("| `verify[].at` |"), std::string::npos);
  EXPECT_EQ(page.find("equations"), std::string::npos);
}

}  // namespace
