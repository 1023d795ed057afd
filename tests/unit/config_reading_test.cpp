// From YAML text to a tree: what is accepted, where things stand, and every refusal.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <xp/config/config.hpp>
#include <xp/config/node.hpp>

namespace {

// Messages of one reading as "line:column: message | hint".
std::vector<std::string> messages(const xp::Diagnostics& diagnostics) {
  std::vector<std::string> result;
  for (const xp::Diagnostic& d : diagnostics.list())
    result.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " +
                     d.message + (d.hint.empty() ? "" : " | " + d.hint));
  return result;
}

using Lines = std::vector<std::string>;

Lines parse_errors(const std::string& text) {
  xp::Diagnostics diagnostics;
  xp::parse_yaml(text, "input.yaml", diagnostics);
  return messages(diagnostics);
}

Lines read_errors(const std::string& text) {
  xp::Diagnostics diagnostics;
  xp::Config::read(text, "input.yaml", {}, xp::core_schema(), diagnostics);
  return messages(diagnostics);
}

TEST(ConfigReading, ValuesAndTheirPlaces) {
  xp::Diagnostics diagnostics;
  const xp::ConfigNode root = xp::parse_yaml(
      "a: 1  # one\n"
      "b:\n"
      "  - two\n"
      "  - 'three'\n"
      "c: {d: \"four\", e: [5, 6]}\n",
      "input.yaml", diagnostics);
  EXPECT_EQ(messages(diagnostics), Lines{});
  ASSERT_EQ(root.items.size(), 3u);

  const xp::ConfigItem* a = root.find("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->value.text, "1");
  EXPECT_FALSE(a->value.quoted);
  EXPECT_EQ(a->key_where.line, 1);
  EXPECT_EQ(a->key_where.column, 1);
  EXPECT_EQ(a->value.where.column, 4);
  EXPECT_EQ(a->value.where.file, "input.yaml");
  EXPECT_EQ(a->value.where.source_line, "a: 1  # one");

  const xp::ConfigItem* b = root.find("b");
  ASSERT_TRUE(b);
  ASSERT_EQ(b->value.items.size(), 2u);
  EXPECT_EQ(b->value.items[0].value.where.line, 3);
  EXPECT_EQ(b->value.items[0].value.where.column, 5);
  EXPECT_TRUE(b->value.items[1].value.quoted);
  EXPECT_EQ(b->value.items[1].value.text, "three");
  // Of a quoted text the place is that of the text, not of the quote.
  EXPECT_EQ(b->value.items[1].value.where.column, 6);
  EXPECT_EQ(b->value.items[1].value.where.length, 5);

  const xp::ConfigItem* c = root.find("c");
  ASSERT_TRUE(c);
  const xp::ConfigItem* e = c->value.find("e");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->key_where.line, 5);
  EXPECT_EQ(e->key_where.column, 16);
  EXPECT_EQ(e->value.items[1].value.text, "6");
  EXPECT_EQ(e->value.items[1].value.where.column, 23);
}

TEST(ConfigReading, NothingIsTurnedIntoAnotherType) {
  xp::Diagnostics diagnostics;
  const xp::ConfigNode root =
      xp::parse_yaml("yes: no\n010: 010\n1e400: 0x1F\n", "input.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(root.items.size(), 3u);
  EXPECT_EQ(root.items[0].key, "yes");
  EXPECT_EQ(root.items[0].value.text, "no");
  EXPECT_EQ(root.items[1].key, "010");
  EXPECT_EQ(root.items[1].value.text, "010");
  EXPECT_EQ(root.items[2].value.text, "0x1F");
}

TEST(ConfigReading, TextsThatDoNotStandInOneLineHaveNoPlacesInside) {
  xp::Diagnostics diagnostics;
  const xp::ConfigNode root =
      xp::parse_yaml("a: |\n  x +\n  y\nb: \"t\\tu\"\nc: \"two\n  lines\"\nd: \"whole\"\n",
                     "input.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(root.find("a")->value.text, "x +\ny\n");
  EXPECT_TRUE(root.find("a")->value.block);
  EXPECT_EQ(root.find("b")->value.text, "t\tu");
  EXPECT_TRUE(root.find("b")->value.block);
  EXPECT_EQ(root.find("c")->value.text, "two lines");
  EXPECT_TRUE(root.find("c")->value.block);
  EXPECT_FALSE(root.find("d")->value.block);
}

TEST(ConfigReading, CarriageReturnsAndByteOrderMark) {
  xp::Diagnostics diagnostics;
  const xp::ConfigNode root =
      xp::parse_yaml("\xEF\xBB\xBFxpsim: 1\r\ntitle: plate\r\n", "input.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(root.items[0].key, "xpsim");
  EXPECT_EQ(root.items[0].key_where.column, 1);
  EXPECT_EQ(root.items[0].value.where.source_line, "xpsim: 1");
  EXPECT_EQ(root.items[1].value.text, "plate");
  EXPECT_EQ(root.items[1].value.where.line, 2);
  EXPECT_EQ(root.items[1].value.where.column, 8);
  EXPECT_EQ(root.items[1].value.where.source_line, "title: plate");
}

TEST(ConfigReading, DuplicateKeysAtEveryLevel) {
  EXPECT_EQ(parse_errors("a: 1\nb: 2\na: 3\n"),
            Lines{"3:1: duplicate key 'a', first given in line 1"});
  EXPECT_EQ(parse_errors("a:\n  b: 2\n  c: 1\n  'b': 3\n"),
            Lines{"4:4: duplicate key 'b', first given in line 2"});
  EXPECT_EQ(parse_errors("a: [{b: 1, b: 2}]\n"),
            Lines{"1:12: duplicate key 'b', first given in line 1"});
  // The first one stays, so that nothing is missing on top of that.
  xp::Diagnostics diagnostics;
  EXPECT_EQ(xp::parse_yaml("a: 1\na: 2\n", "", diagnostics).find("a")->value.text, "1");
}

TEST(ConfigReading, Tabs) {
  EXPECT_EQ(parse_errors("grid:\n\tcells: 4\n"),
            Lines{"2:1: a tab in the indentation | use spaces"});
  EXPECT_EQ(parse_errors("grid:\n  \tcells: 4\n"),
            Lines{"2:3: a tab in the indentation | use spaces"});
  EXPECT_EQ(parse_errors("title: \"a\tb\"  # a\tb\n"), Lines{});
}

TEST(ConfigReading, OneDocument) {
  EXPECT_EQ(parse_errors("---\na: 1\n"), Lines{});
  EXPECT_EQ(parse_errors("a: 1\n---\nb: 2\n"),
            Lines{"3:1: a second document begins here; an input is one | "
                  "remove the '---' before it"});
}

TEST(ConfigReading, AnchorsAliasesAndTags) {
  EXPECT_EQ(parse_errors("a: &one 1\nb: *one\n"),
            (Lines{"1:4: anchors (&name) are not supported | write the value out",
                   "2:4: aliases (*name) are not supported | write the value out"}));
  EXPECT_EQ(parse_errors("a: *one\n"),
            Lines{"1:4: aliases (*name) are not supported | write the value out"});
  EXPECT_EQ(parse_errors("a: !!float 1\n"),
            Lines{"1:4: tags (!name) are not supported | leave it out"});
}

TEST(ConfigReading, SyntaxErrorsSpeakOfTheText) {
  EXPECT_EQ(parse_errors("title: a: b\n"), Lines{"1:9: a ':' where no value can begin | "
                                                 "a text that contains ': ' needs quotes"});
  EXPECT_EQ(parse_errors("a: {b: [1, 2]\nc: 3\n"), Lines{"1:4: '{' is never closed"});
  EXPECT_EQ(parse_errors("a: \"b\nc: 3\n"), Lines{"1:4: this quote is never closed"});
  EXPECT_EQ(parse_errors("a: @b\n"), Lines{"1:4: a text that begins with '@' needs quotes"});
  EXPECT_EQ(parse_errors("a: 1\n  b: 2\n").size(), 1u);
  EXPECT_EQ(parse_errors(std::string("a: \0\n", 5)),
            Lines{"1:4: byte 0x00 is not text | an input is a text file in UTF-8"});
  EXPECT_EQ(parse_errors("a: caf\xE9\n"),
            Lines{"1:7: byte 0xe9 is not UTF-8 | an input is a text file in UTF-8"});
}

TEST(ConfigReading, DeepNestingIsRefused) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int n = 0; n < times; ++n) text += part;
    return text;
  };
  std::string blocks;
  for (int n = 0; n < 2000; ++n) blocks += std::string(static_cast<std::size_t>(n), ' ') + "a:\n";
  for (const std::string& text :
       {repeated("[", 10000), repeated("{a: ", 10000), repeated("- ", 10000), repeated("? ", 10000),
        repeated("[\n", 10000), "a: '\"'\n" + repeated("[", 10000), blocks}) {
    const Lines errors = parse_errors(text);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find("nested more than 32 deep"), std::string::npos) << errors[0];
  }
  // Brackets inside texts are letters.
  EXPECT_EQ(parse_errors("a:\n" + repeated("  - half open, [0, 1) and {\n", 40)), Lines{});
  EXPECT_EQ(parse_errors("a: " + repeated("[", 20) + repeated("]", 20) + "\n"), Lines{});
}

TEST(ConfigReading, WhatIsNotAMapping) {
  EXPECT_EQ(read_errors(""), Lines{"1:1: the input is empty | it begins with 'xpsim: 1'"});
  EXPECT_EQ(read_errors("# only a comment\n"),
            Lines{"1:1: the input is empty | it begins with 'xpsim: 1'"});
  EXPECT_EQ(read_errors("[1, 2]\n"), Lines{"1:1: an input is a mapping of keys to values | "
                                           "it begins with 'xpsim: 1'"});
  EXPECT_EQ(read_errors("\n xpsim:1\n"), Lines{"2:2: an input is a mapping of keys to values | "
                                               "a ':' needs a space after it, as in 'xpsim: 1'"});
}

TEST(ConfigReading, PlacesInALineShareItsText) {
  xp::Diagnostics diagnostics;
  const xp::ConfigNode root = xp::parse_yaml("a: [1, 2]\n", "input.yaml", diagnostics);
  const auto& items = root.items.at(0).value.items;
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(&items[0].value.where.source_line.text(), &items[1].value.where.source_line.text());
}

}  // namespace
