// What expressions are worth: precedence, literals to the last bit, every function.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <xp/expr/expr.hpp>

namespace {

xp::Symbols table_symbols() {
  xp::Symbols symbols;
  symbols.parameters = {{"a", 2}, {"b", 3}, {"E", 11}, {"N", 12}, {"gamma", 1.4}};
  symbols.place = "heat.source";
  return symbols;
}

double value_at(const std::string& text, double x, double y = 0, double z = 0, double t = 0) {
  const xp::Compiled compiled = xp::compile(text, table_symbols());
  EXPECT_TRUE(compiled) << text << ": " << compiled.error.message;
  if (!compiled) return std::numeric_limits<double>::quiet_NaN();
  return (*compiled.program)({x, y, z, t});
}

double constant(const std::string& text) {
  const xp::ConstantResult result = xp::evaluate_constant(text, {});
  EXPECT_TRUE(result.value) << text << ": " << result.error.message;
  return result.value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

TEST(ExprValues, AcceptanceTable) {
  EXPECT_EQ(value_at("-3^2", 0.5), -9);
  EXPECT_EQ(value_at("-x^2", 0.5), -0.25);
  EXPECT_EQ(value_at("2^-1", 0.5), 0.5);
  EXPECT_EQ(value_at("2^3^2", 0.5), 512);
  EXPECT_EQ(value_at("2**3**2", 0.5), 512);
  EXPECT_EQ(value_at("2^-1^2^3", 0.5), 0.5);
  EXPECT_EQ(value_at("a*-b", 0.5), -6);
  EXPECT_EQ(value_at("2--3", 0.5), 5);
  EXPECT_EQ(value_at("1e-3-1e-3", 0.5), 0);
  EXPECT_EQ(value_at("6/2*3", 0.5), 9);
  EXPECT_EQ(value_at("1/2", 0.5), 0.5);
  EXPECT_NEAR(value_at("exp(-x^2)", 0.5), 0.7788007831, 5e-11);
  EXPECT_EQ(value_at("(x^2)^0.5", -2), 2);
  EXPECT_EQ(value_at("0^0", 0.5), 1);
  EXPECT_EQ(value_at("E", 0.5), 11);
  EXPECT_EQ(value_at("N", 0.5), 12);
  EXPECT_EQ(value_at("gamma", 0.5), 1.4);
}

TEST(ExprValues, Precedence) {
  EXPECT_EQ(value_at("1 + 2*3 - 4/2", 0), 5);
  EXPECT_EQ(value_at("10 - 4 - 3", 0), 3);
  EXPECT_EQ(value_at("-2*-3", 0), 6);
  EXPECT_EQ(value_at("+3 - +2", 0), 1);
  EXPECT_EQ(value_at("2*x^2*3", 0.5), 1.5);
  EXPECT_EQ(value_at("1 + 1 < 3", 0), 1);
  EXPECT_EQ(value_at("not 1 < 2 or 3 == 3 and 0", 0), 0);
  EXPECT_EQ(value_at("1 or 0 and 0", 0), 1);
  EXPECT_EQ(value_at("not not 5", 0), 1);
  EXPECT_EQ(value_at("(1 < 2) < 3", 0), 1);
  EXPECT_EQ(value_at("if(x < 1, a, b)", 0.5), 2);
  EXPECT_EQ(value_at("if(x < 1, a, b)", 1), 3);
  EXPECT_EQ(value_at("x\n +\t1\r\n", 2), 3);
}

TEST(ExprValues, Comparisons) {
  for (const double x : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(value_at("x < 2", x), x < 2);
    EXPECT_EQ(value_at("x <= 2", x), x <= 2);
    EXPECT_EQ(value_at("x > 2", x), x > 2);
    EXPECT_EQ(value_at("x >= 2", x), x >= 2);
    EXPECT_EQ(value_at("x == 2", x), x == 2);
    EXPECT_EQ(value_at("x != 2", x), x != 2);
  }
}

TEST(ExprValues, LiteralsToTheLastBit) {
  EXPECT_EQ(bits(constant("8/315")), bits(8.0 / 315.0));
  EXPECT_EQ(bits(constant("1/3")), 0x3fd5555555555555u);
  EXPECT_EQ(bits(constant("pi")), 0x400921fb54442d18u);
  EXPECT_EQ(bits(constant("e")), 0x4005bf0a8b145769u);
  EXPECT_EQ(bits(constant("0.1")), 0x3fb999999999999au);
  EXPECT_EQ(bits(constant("1e23")), 0x44b52d02c7e14af6u);  // halfway cases go wrong if scaled
  EXPECT_EQ(bits(constant("9007199254740993")), 0x4340000000000000u);
  EXPECT_EQ(bits(constant("2.2250738585072011e-308")), 0x000fffffffffffffu);
  EXPECT_EQ(bits(constant("4.9e-324")), 1u);
  EXPECT_EQ(bits(constant("1.7976931348623157e308")), 0x7fefffffffffffffu);
  EXPECT_EQ(bits(constant("-0")), 0x8000000000000000u);
  EXPECT_EQ(constant("0.0e999999999999999999999"), 0);
  EXPECT_EQ(constant(".5"), 0.5);
  EXPECT_EQ(constant("5."), 5);
  EXPECT_EQ(constant("1E+2"), 100);
  EXPECT_EQ(constant("0.0625"), 0.0625);
  EXPECT_EQ(constant("2*pi"), 2 * 3.14159265358979323846);
  EXPECT_EQ(constant(" 12 "), 12);
}

TEST(ExprValues, ConstantsOfParameters) {
  const xp::ConstantResult result = xp::evaluate_constant("D/4", {{"D", 1}});
  EXPECT_EQ(result.value, 0.25);
}

TEST(ExprValues, FunctionsOfOneArgument) {
  struct Case {
    const char* name;
    double (*expected)(double);
  };
  const Case cases[] = {{"exp", std::exp},   {"log", std::log},     {"log10", std::log10},
                        {"sqrt", std::sqrt}, {"cbrt", std::cbrt},   {"sin", std::sin},
                        {"cos", std::cos},   {"tan", std::tan},     {"asin", std::asin},
                        {"acos", std::acos}, {"atan", std::atan},   {"sinh", std::sinh},
                        {"cosh", std::cosh}, {"tanh", std::tanh},   {"erf", std::erf},
                        {"abs", std::fabs},  {"floor", std::floor}, {"ceil", std::ceil}};
  for (const Case& function : cases)
    for (const double x : {0.0, 0.3, -0.3, 0.9999, 1.0, 2.5, -7.25, 300.0}) {
      const double value = value_at(std::string(function.name) + "(x)", x);
      const double expected = function.expected(x);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << function.name << "(" << x << ")";
      } else {  // some are those of a vector library: bits and bounds are in
                // expr_functions_test.cpp
        EXPECT_DOUBLE_EQ(value, expected) << function.name << "(" << x << ")";
        EXPECT_EQ(std::signbit(value), std::signbit(expected)) << function.name << "(" << x << ")";
      }
    }
}

TEST(ExprValues, FunctionsOfMoreArguments) {
  EXPECT_EQ(value_at("atan2(x, y)", 1, -2), std::atan2(1.0, -2.0));
  EXPECT_DOUBLE_EQ(value_at("hypot(x, y)", 3e200, 4e200), std::hypot(3e200, 4e200));
  EXPECT_DOUBLE_EQ(value_at("x^y", 2.5, 3.5), std::pow(2.5, 3.5));
  EXPECT_EQ(value_at("x^y", 0.1, 2), 0.1 * 0.1);
  EXPECT_EQ(value_at("min(x, y)", 1, 2), 1);
  EXPECT_EQ(value_at("max(x, y)", 1, 2), 2);
  EXPECT_EQ(value_at("min(x, y, z, t)", 4, 3, 2, 5), 2);
  EXPECT_EQ(value_at("max(x, y, z, t)", 4, 3, 2, 5), 5);
  EXPECT_EQ(value_at("clamp(x, 0, 1)", -1), 0);
  EXPECT_EQ(value_at("clamp(x, 0, 1)", 0.25), 0.25);
  EXPECT_EQ(value_at("clamp(x, 0, 1)", 7), 1);
}

TEST(ExprValues, ModHasTheSignOfTheDivisor) {
  EXPECT_EQ(value_at("mod(x, 3)", 7), 1);
  EXPECT_EQ(value_at("mod(x, 3)", -7), 2);
  EXPECT_EQ(value_at("mod(x, -3)", 7), -2);
  EXPECT_EQ(value_at("mod(x, -3)", -7), -1);
  EXPECT_EQ(bits(value_at("mod(x, 3)", -6)), bits(0.0));
  EXPECT_EQ(bits(value_at("mod(x, -3)", 6)), bits(-0.0));
  EXPECT_TRUE(std::isnan(value_at("mod(x, 0)", 1)));
}

TEST(ExprValues, SignAndHeaviside) {
  EXPECT_EQ(value_at("sign(x)", -3), -1);
  EXPECT_EQ(value_at("sign(x)", 0), 0);
  EXPECT_EQ(value_at("sign(x)", 0.1), 1);
  EXPECT_EQ(value_at("heaviside(x)", -3), 0);
  EXPECT_EQ(value_at("heaviside(x)", 0), 0.5);
  EXPECT_EQ(value_at("heaviside(x)", 3), 1);
}

TEST(ExprValues, NothingHidesNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* text : {"min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)", "clamp(x, 0, 1)",
                           "sign(x)", "heaviside(x)", "mod(x, 2)", "abs(x)"})
    EXPECT_TRUE(std::isnan(value_at(text, nan))) << text;
}

TEST(ExprValues, HelpAndReservedNamesCoverTheFunctions) {
  const std::vector<std::string>& reserved = xp::reserved_names();
  const auto is_reserved = [&](const std::string& name) {
    return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
  };
  for (const xp::FunctionHelp& function : xp::function_help()) {
    EXPECT_TRUE(is_reserved(function.signature.substr(0, function.signature.find('('))));
    EXPECT_FALSE(function.help.empty());
  }
  for (const char* name : {"x", "y", "z", "t", "pi", "e", "and", "or", "not", "if", "laplacian",
                           "dxx", "uniform", "integral", "norm", "advect"})
    EXPECT_TRUE(is_reserved(name)) << name;
  for (const char* name : {"E", "N", "I", "gamma", "u", "D", "inf", "nan"})
    EXPECT_FALSE(is_reserved(name)) << name;
}

}  // namespace
