// Every mistake in an expression: its message, its place and its hint, word for word.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <xp/expr/computation.hpp>
#include <xp/expr/expr.hpp>

namespace {

// A grid of two dimensions with everything that is allowed in a source term.
xp::Symbols source_symbols() {
  xp::Symbols symbols;
  symbols.dimensions = 2;
  symbols.parameters = {{"D", 0.1}, {"speed", 1}};
  symbols.definitions = {
      {"wave", "sin(speed*x)"}, {"bad", "1 + q*2"}, {"worse", "bad + 1"}, {"loop", "link + 1"},
      {"link", "2*loop"},       {"self", "self"},   {"empty", ""},        {"d0", "1 + x"}};
  symbols.fields = {"u", "v"};
  symbols.place = "heat.source";
  return symbols;
}

struct Case {
  std::string text;
  std::size_t offset, length;
  std::string message, hint;
};

void expect_errors(const xp::Symbols& symbols, const std::vector<Case>& cases) {
  for (const Case& expected : cases) {
    const xp::Compiled compiled = xp::compile(expected.text, symbols);
    EXPECT_FALSE(compiled) << expected.text;
    EXPECT_EQ(compiled.error.message, expected.message) << expected.text;
    EXPECT_EQ(compiled.error.hint, expected.hint) << expected.text;
    EXPECT_EQ(compiled.error.offset, expected.offset) << expected.text;
    EXPECT_EQ(compiled.error.length, expected.length) << expected.text;
  }
}

TEST(ExprErrors, Numbers) {
  expect_errors(
      source_symbols(),
      {{"0100", 0, 4, "'0100' has a leading zero", "write 100"},
       {"x + 00.5", 4, 4, "'00.5' has a leading zero", "write 0.5"},
       {"000", 0, 3, "'000' has a leading zero", "write 0"},
       {"0x10", 0, 4, "'0x10' is hexadecimal", "write it as a decimal number"},
       {"2*1e400", 2, 5, "'1e400' is too large for a double", ""},
       {"1e99999999999999999999", 0, 22, "'1e99999999999999999999' is too large for a double", ""},
       {"1e-400", 0, 6, "'1e-400' is too small for a double", "write 0"},
       {"1.5.2", 0, 5, "'1.5.2' is not a number", "a number has one decimal point"},
       {"1..2", 0, 4, "'1..2' is not a number", "a number has one decimal point"},
       {"1e2.5", 0, 5, "'1e2.5' is not a number", "an exponent is a whole number"},
       {"1,5", 0, 3, "'1,5' has a decimal comma", "write 1.5"},
       {"x*(1,5)", 3, 3, "'1,5' has a decimal comma", "write 1.5"},
       {"2x", 0, 2, "'2x' is not a number", "write 2*x"},
       {"x + 2speed", 4, 6, "'2speed' is not a number", "write 2*speed"},
       {"2sin(x)", 0, 4, "'2sin' is not a number", "write 2*sin"},
       {"0.1s", 0, 4, "'0.1s' looks like a number with a unit", "write the number alone: 0.1"},
       {"1_000", 0, 5, "'1_000' is not a number", "write digits without '_'"},
       {"1e", 0, 2, "'1e' has an exponent without digits", "write 1*e for the constant e"},
       {"1e+", 0, 3, "'1e+' has an exponent without digits", "write 1*e for the constant e"},
       {"inf", 0, 3, "'inf' is not a finite number", ""},
       {"NaN", 0, 3, "'NaN' is not a finite number", ""}});
}

TEST(ExprErrors, Characters) {
  expect_errors(
      source_symbols(),
      {{"x = 2", 2, 1, "'=' is not an operator here", "use == to compare"},
       {"x && u", 2, 2, "'&&' is not an operator here", "use 'and'"},
       {"x & u", 2, 1, "'&' is not an operator here", "use 'and'"},
       {"x || u", 2, 2, "'||' is not an operator here", "use 'or'"},
       {"!x", 0, 1, "'!' is not an operator here", "use 'not'"},
       {"x % 2", 2, 1, "'%' is not an operator here", "use mod(a, b)"},
       {"x; y", 1, 1, "unexpected character ';'", ""},
       {"x.y", 1, 1, "unexpected character '.'", ""},
       {"x\xc2\xb2", 1, 2, "unexpected character '\xc2\xb2' (U+00B2)", "write ^2"},
       {"x \xe2\x88\x92 1", 2, 3, "unexpected character '\xe2\x88\x92' (U+2212)", "write -"},
       {"2\xf0\x9f\x98\x80", 1, 4, "unexpected character '\xf0\x9f\x98\x80' (U+1F600)", ""},
       {"x\xff", 1, 1, "unexpected byte 0xff", "the text is not UTF-8"},
       {"x\xe2\x88", 1, 1, "unexpected byte 0xe2", "the text is not UTF-8"},
       {std::string("x\0y", 3), 1, 1, "unexpected character U+0000", ""}});
}

TEST(ExprErrors, Structure) {
  const std::string place = " in heat.source";
  expect_errors(source_symbols(),
                {{"", 0, 1, "the expression is empty" + place, ""},
                 {" \n", 0, 1, "the expression is empty" + place, ""},
                 {"x +", 2, 1, "expected a value after '+'", ""},
                 {"* x", 0, 1, "expected a value before '*'", ""},
                 {"x + ** 2", 4, 2, "expected a value before '**'", ""},
                 {"sin()*()", 0, 3, "sin takes 1 argument, not 0", ""},
                 {"()", 1, 1, "expected a value before ')'", ""},
                 {"x + (y", 4, 1, "'(' is never closed", ""},
                 {"sin(x", 3, 1, "'(' is never closed", ""},
                 {"x)", 1, 1, "')' without '(' before it", ""},
                 {"x, y", 1, 1, "',' outside of a function's arguments", ""},
                 {"x]", 1, 1, "unexpected ']'", ""},
                 {"2 x", 2, 1, "expected an operator before 'x'", "to multiply, write *"},
                 {"(x)(y)", 3, 1, "expected an operator before '('", "to multiply, write *"},
                 {"2(x)", 1, 1, "expected an operator before '('", "to multiply, write *"},
                 {"sin(x y)", 6, 1, "expected an operator before 'y'", "to multiply, write *"},
                 {"x not y", 2, 3, "expected an operator before 'not'", ""},
                 {"1 + not x", 4, 3, "expected a value before 'not'", "write (not ...)"},
                 {"x < y < 2", 6, 1, "comparisons cannot be chained", "write a < b and b < c"},
                 {"x == y != 2", 7, 2, "comparisons cannot be chained", "write a < b and b < c"},
                 {"and x", 0, 3, "expected a value before 'and'", ""},
                 {"[x, y]", 0, 6, "the value is a vector" + place + ", but a scalar is expected",
                  "dot(v, w), div(v) and components of vectors are scalars"}});
}

TEST(ExprErrors, Names) {
  const std::string place = " in heat.source";
  expect_errors(
      source_symbols(),
      {{"D*laplcian", 2, 8, "unknown name 'laplcian'" + place, ""},
       {"D*laplcian(u)", 2, 8, "unknown function 'laplcian'" + place, ""},
       {"laplacian(u)", 0, 9, "the operator 'laplacian' is not allowed" + place,
        "nothing can be differentiated there"},
       {"dxx", 0, 3, "'dxx' is a function", "write dxx(...)"},
       {"uniform(0, 1)", 0, 7, "the random number 'uniform' is not allowed" + place,
        "uniform and normal are for initial values"},
       {"ln(x)", 0, 2, "unknown function 'ln'" + place, "did you mean 'log'?"},
       {"true", 0, 4, "unknown name 'true'" + place, "write 1 for true, 0 for false"},
       {"sped", 0, 4, "unknown name 'sped'" + place, "did you mean 'speed'?"},
       {"X + 1", 0, 1, "unknown name 'X'" + place, "did you mean 'x'?"},
       {"q", 0, 1, "unknown name 'q'" + place, ""},
       {"sine(x)", 0, 4, "unknown function 'sine'" + place, "did you mean 'sin'?"},
       {"integral_(x)", 0, 9, "unknown function 'integral_'" + place, ""},
       {"1 + sin*2", 4, 3, "'sin' is a function", "write sin(...)"},
       {"integral", 0, 8, "'integral' is a function", "write integral(...)"},
       {"D(x)", 0, 1, "'D' is not a function", "to multiply, write D*(...)"},
       {"u(x)", 0, 1, "'u' is not a function", "to multiply, write u*(...)"},
       {"x(u)", 0, 1, "'x' is not a function", "to multiply, write x*(...)"},
       {"pi(u)", 0, 2, "'pi' is not a function", "to multiply, write pi*(...)"},
       {"atan2(x)", 0, 5, "atan2 takes 2 arguments, not 1", ""},
       {"sin(1,5)", 0, 3, "sin takes 1 argument, not 2", ""},
       {"log(x, 2)", 0, 3, "log takes 1 argument, not 2", ""},
       {"if(x, y)", 0, 2, "if takes 3 arguments, not 2", ""},
       {"min(x)", 0, 3, "min takes 2 or more arguments, not 1", ""},
       {"max()", 0, 3, "max takes 2 or more arguments, not 0", ""},
       {"z", 0, 1, "there is no coordinate 'z'" + place + ": the grid has 2 dimensions", ""},
       {"1 + mean(u)", 4, 4, "the reduction 'mean' is not allowed" + place, ""}});
}

TEST(ExprErrors, Definitions) {
  EXPECT_TRUE(xp::compile("wave*d0 + wave", source_symbols()));
  expect_errors(
      source_symbols(),
      {{"x + bad", 4, 3, "in definition 'bad': unknown name 'q' in heat.source", ""},
       {"worse", 0, 5,
        "in definition 'worse': in definition 'bad': unknown name 'q' in heat.source", ""},
       {"x*loop", 2, 4, "definition 'loop' uses itself (loop -> link -> loop)", ""},
       {"self", 0, 4, "definition 'self' uses itself (self -> self)", ""},
       {"empty", 0, 5, "in definition 'empty': the expression is empty in heat.source", ""}});
}

TEST(ExprErrors, PlacesWithoutCoordinatesOrTime) {
  xp::Symbols symbols;
  symbols.coordinates = false;
  symbols.time = false;
  symbols.dimensions = 1;
  symbols.parameters = {{"sin", 1}};
  symbols.place = "grid.lower";
  expect_errors(symbols, {{"x", 0, 1, "the coordinate 'x' is not allowed in grid.lower", ""},
                          {"z", 0, 1, "the coordinate 'z' is not allowed in grid.lower", ""},
                          {"2*t", 2, 1, "the time 't' is not allowed in grid.lower", ""},
                          {"sin(1)", 0, 3, "'sin' is a reserved name and cannot be defined",
                           "choose another name"}});
  symbols.coordinates = true;
  symbols.place.clear();
  expect_errors(symbols, {{"y", 0, 1, "there is no coordinate 'y': the grid has 1 dimension", ""},
                          {"t", 0, 1, "the time 't' is not allowed here", ""},
                          {"foo", 0, 3, "unknown name 'foo'", ""},
                          {"norm(x)", 0, 4, "the reduction 'norm' is not allowed here", ""}});
}

TEST(ExprErrors, Reductions) {
  xp::Symbols symbols = source_symbols();
  symbols.reductions = true;
  symbols.bare_fields = false;
  symbols.coordinates = false;
  symbols.place = "verify";
  EXPECT_TRUE(xp::compile("max(abs(u - x*y)) < 1e-3 and max(mean(u), 2) == 2", symbols));
  expect_errors(
      symbols,
      {{"max(u, 1)", 4, 1, "the field 'u' is not a single number in verify",
        "reduce it with integral, mean, min, max or norm"},
       {"x", 0, 1, "the coordinate 'x' is not allowed in verify", ""},
       {"norm(z)", 5, 1, "there is no coordinate 'z' in verify: the grid has 2 dimensions", ""},
       {"max(mean(u))", 4, 4, "the reduction 'mean' is inside of another reduction", ""},
       {"mean(max(u))", 5, 3, "the reduction 'max' is inside of another reduction", ""},
       {"mean(u, v)", 0, 4, "mean takes 1 argument, not 2", ""},
       {"max()", 0, 3, "max takes 1 argument, not 0", ""}});
}

TEST(ExprErrors, Operators) {
  xp::Symbols symbols = source_symbols();
  symbols.fields = {"u", "v", "w_x", "w_y"};
  symbols.vectors = {{"w", 2}};
  symbols.reductions = symbols.operators = true;
  symbols.place = "equations.u";
  const std::string place = " in equations.u";
  const std::string scalars = "dot(v, w), div(v) and components of vectors are scalars";
  const std::string written = "a vector is written [a, b]";
  const std::vector<Case> cases = {
      {"D*laplcian(u)", 2, 8, "unknown function 'laplcian'" + place, "did you mean 'laplacian'?"},
      {"u2", 0, 2, "unknown name 'u2'" + place, "did you mean 'u'?"},
      {"Du*v", 0, 2, "unknown name 'Du'" + place, "did you mean 'D'?"},
      {"dt(u)", 0, 2, "unknown function 'dt'" + place,
       "an equation is d/dt of its field; there are no other derivatives in time"},
      {"divergence(w)", 0, 10, "unknown function 'divergence'" + place, "did you mean 'div'?"},
      {"w*w", 1, 1, "two vectors cannot be multiplied with *", "write dot(v, w) or cross(v, w)"},
      {"u/w", 1, 1, "nothing can be divided by a vector", "divide by its components, such as v_x"},
      {"w + u", 2, 1, "a vector and a scalar cannot be added", written},
      {"u - w", 2, 1, "a vector and a scalar cannot be subtracted", written},
      {"w^2", 1, 1, "a vector cannot stand in a power", "the square of a vector is dot(v, v)"},
      {"w < w", 2, 1, "vectors can be neither compared nor true or false",
       "compare their components, such as v_x, or lengths, sqrt(dot(v, v))"},
      {"sin(w)", 0, 3, "an argument of sin has to be a scalar, not a vector", scalars},
      {"not w", 0, 3, "what 'not' stands before has to be a scalar, not a vector", scalars},
      {"grad(w)", 0, 4, "the gradient of a vector is a tensor, which there is not here",
       "use dx, dy, dz or laplacian of the vector"},
      {"div(u)", 0, 3, "div takes a vector, not a scalar",
       "div(grad(a)) of a scalar a is laplacian(a)"},
      {"curl(u)", 0, 4, "curl takes a vector, not a scalar", written},
      {"dot(u, w)", 0, 3, "dot takes a vector, not a scalar", written},
      {"advect(u, w)", 0, 6, "advect takes a vector, not a scalar",
       "write advect([velocity], a): the velocity comes first"},
      {"dx(u, v)", 0, 2, "dx takes 1 argument, not 2", "write dx(a)"},
      {"advect(w)", 0, 6, "advect takes 2 arguments, not 1", "write advect(v, a)"},
      {"dz(u)", 0, 2, "there is no 'dz'" + place + ": the grid has 2 dimensions", ""},
      {"dot(w, [u, v, 0])", 7, 9,
       "a vector of 3 components" + place + ": the grid has 2 dimensions", ""},
      {"w[0]", 1, 1, "expected an operator before '['", "the first component is w_x"},
      {"w_z", 0, 3, "unknown name 'w_z'" + place, "did you mean 'w_x'?"},
      {"mean(mean(u))", 5, 4, "the reduction 'mean' is inside of another reduction", ""},
      {"uniform(0, 1)*u", 0, 7, "the random number 'uniform' is not allowed" + place,
       "uniform and normal are for initial values"},
      {"\xe2\x88\x86u", 0, 3, "unexpected character '\xe2\x88\x86' (U+2206)",
       "write laplacian(...)"},
      {"\xce\xbb*u", 0, 2, "unexpected character '\xce\xbb' (U+03BB)",
       "spell it out: names have the letters a to z"}};
  for (const Case& expected : cases) {
    const auto mistake = xp::check(expected.text, symbols, nullptr);
    ASSERT_TRUE(mistake) << expected.text;
    EXPECT_EQ(mistake->message, expected.message) << expected.text;
    EXPECT_EQ(mistake->hint, expected.hint) << expected.text;
    EXPECT_EQ(mistake->offset, expected.offset) << expected.text;
    EXPECT_EQ(mistake->length, expected.length) << expected.text;
  }
  symbols.bare_fields = false;
  EXPECT_EQ(xp::check("laplacian(mean(u))", symbols, nullptr)->message,
            "the value of 'laplacian' is not a single number" + place);
  EXPECT_FALSE(xp::check("max(laplacian(u))", symbols, nullptr));
}

TEST(ExprErrors, FieldsWhereThereAreNone) {
  xp::Symbols symbols;
  symbols.absent_fields = {"u"};
  symbols.place = "fields.v.initial";
  expect_errors(symbols, {{"1 + u", 4, 1, "the field 'u' is not allowed in fields.v.initial", ""}});
}

TEST(ExprErrors, VectorsWhereTheGridWasRefused) {
  xp::Symbols symbols = source_symbols();
  symbols.dimensions = 3;
  symbols.dimensions_known = false;
  bool is_vector = false;
  EXPECT_FALSE(xp::check("[u, v] + [1, 2, 3]", symbols, &is_vector));
  EXPECT_TRUE(is_vector);
}

TEST(ExprErrors, Constants) {
  const auto message = [](const std::string& text) {
    const xp::ConstantResult result = xp::evaluate_constant(text, {{"D", 1}});
    EXPECT_FALSE(result.value) << text;
    return result.error.message;
  };
  EXPECT_EQ(message("1/0"), "the value is inf, not a finite number");
  EXPECT_EQ(message("-1/0"), "the value is -inf, not a finite number");
  EXPECT_EQ(message("log(-1)"), "the value is nan, not a finite number");
  EXPECT_EQ(message("x"), "the coordinate 'x' is not allowed in a constant");
  EXPECT_EQ(message("F"), "unknown name 'F' in a constant");
  EXPECT_EQ(message("0.1s"), "'0.1s' looks like a number with a unit");
  EXPECT_EQ(message(""), "the expression is empty in a constant");
}

TEST(ExprErrors, DeepNestingIsRefusedAndNeverCrashes) {
  const auto message = [](const std::string& text) {
    return xp::compile(text, source_symbols()).error.message;
  };
  const auto repeat = [](const std::string& text, int count) {
    std::string result;
    for (int n = 0; n < count; ++n) result += text;
    return result;
  };
  const std::string deep = "nested too deeply (more than 200 levels)";
  EXPECT_EQ(message(repeat("(", 10000) + "x" + repeat(")", 10000)), deep);
  EXPECT_EQ(message(repeat("(", 10000)), deep);
  EXPECT_EQ(message(repeat("-", 10000) + "x"), deep);
  EXPECT_EQ(message(repeat("not ", 10000) + "x"), deep);
  EXPECT_EQ(message(repeat("x^", 10000) + "x"), deep);
  EXPECT_EQ(message(repeat("sin(", 10000) + "x"), deep);
  EXPECT_EQ(message(repeat("max(x,", 10000) + "x"), deep);
  EXPECT_EQ(message(repeat("(", 200) + "x" + repeat(")", 200)), "");
  EXPECT_EQ(message(repeat("(", 201) + "x" + repeat(")", 201)), deep);
  EXPECT_EQ(message(repeat("x+", 30000) + "x"), "");
  EXPECT_EQ(message(repeat("x+", 40000) + "x"),
            "the expression is longer than 64 KiB in heat.source");
}

TEST(ExprErrors, DefinitionsThatGrowWithoutBoundAreRefused) {
  const auto name = [](int n) { return std::string("d").append(std::to_string(n)); };
  xp::Symbols symbols = source_symbols();
  for (int n = 1; n <= 60; ++n) {
    const std::string before = name(n - 1);
    symbols.definitions[name(n)] = before + " + " + before;
  }
  const xp::Compiled compiled = xp::compile("d60", symbols);
  EXPECT_FALSE(compiled);
  EXPECT_EQ(compiled.error.message, "the expression is too complicated in heat.source");
  EXPECT_EQ(compiled.error.hint, "split it or its definitions");
  EXPECT_EQ(compiled.error.offset, 0u);
  EXPECT_EQ(compiled.error.length, 3u);

  for (int n = 1; n <= 300; ++n) symbols.definitions[name(n)] = name(n - 1);
  EXPECT_EQ(xp::compile("d300", symbols).error.message, "nested too deeply (more than 200 levels)");
}

TEST(ExprErrors, TextsThatDefinitionsMultiplyAreRefused) {
  std::string sum = "x", uses = "a";
  for (int n = 0; n < 8000; ++n) sum += " + x*x";
  for (int n = 0; n < 100; ++n) uses += " + a";
  xp::Symbols symbols = source_symbols();
  symbols.definitions = {{"a", sum}};
  const xp::Compiled compiled = xp::compile(uses, symbols);
  EXPECT_EQ(compiled.error.message, "the expression is too complicated in heat.source");
  EXPECT_EQ(compiled.error.length, 1u);
}

// Sums of so many terms once were walked by recursion.
TEST(ExprErrors, SumsMayBeLong) {
  std::string sum = "u";
  for (int n = 0; n < 30000; ++n) sum += "+u";
  xp::Symbols symbols;
  symbols.dimensions = 1;
  symbols.fields = {"u"};
  symbols.operators = symbols.reductions = true;
  symbols.definitions = {{"a", sum}, {"b", "a+" + sum}, {"c", "b+" + sum}};
  xp::CompileOptions options;
  options.walls = false;
  for (const char* text : {"integral(c)", "div([c])", "laplacian(c)"}) {
    const auto compiled = xp::compile_all({{text, false, -1, {}, {}}}, symbols, options);
    EXPECT_TRUE(compiled) << text << ": " << compiled.error.message;
  }
  std::string vectors = "[u]";
  for (int n = 0; n < 4096; ++n) vectors += "+[u]";
  EXPECT_EQ(xp::compile_all({{"div(" + vectors + ")", false, -1, {}, {}}}, symbols, options)
                .error.message,
            "the expression is too complicated");
}

}  // namespace
