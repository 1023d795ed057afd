// Functions of the mathematical library: the same bits for one value and for lanes, how accurate,
// and values that must be exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <xp/expr/apply.hpp>
#include <xp/expr/vector_functions.hpp>

namespace {

using xp::Op;
using Random = std::mt19937_64;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Range {
  double lower, upper;
};

struct Function {
  const char* name;
  Op op;
  bool of_two;
  void (*lanes)(int, double*, const double*, const double*);
  double (*value)(double, double);
  double (*standard)(double, double);
  long double (*exact)(long double, long double);
  double bound;  // units in the last place
  std::vector<Range> ranges;
};

#define OF_ONE(name, bound, ...)                                                                \
  Function {                                                                                    \
#name, Op::name, false, xp::detail::function_lanes < Op::name>,                             \
        xp::detail::function_value < Op::name>,                                                 \
        [](double a,                                                                            \
           double) { return std::name(a); }, [](long double a,                                  \
                                                long double) { return std::name(a); }, bound, { \
      __VA_ARGS__                                                                               \
    }                                                                                           \
  }
#define OF_TWO(op, function, bound, ...)                                                           \
  Function {                                                                                       \
#op, Op::op, true, xp::detail::function_lanes < Op::op>, xp::detail::function_value < Op::op>, \
        [](double a,                                                                               \
           double b) { return std::function(a, b); },                                              \
                                                   [](long double a,                               \
                                                      long double                                  \
                                                          b) { return std::function(a, b); },      \
                                                                                           bound,  \
    {                                                                                              \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      OF_ONE(exp, 1, {-1, 1}, {-745, 709}),
      OF_ONE(log, 2, {0.99, 1.01}, {0, 100}, {0, 1e300}),
      OF_ONE(log10, 2, {0.99, 1.01}, {0, 100}, {0, 1e300}),
      OF_ONE(cbrt, 3.5, {-1, 1}, {-1e300, 1e300}),  // std::cbrt has 3.3, libmvec's 1.5
      OF_ONE(sin, 1, {-4, 4}, {-1e6, 1e6}, {-1e300, 1e300}),
      OF_ONE(cos, 1, {-4, 4}, {-1e6, 1e6}, {-1e300, 1e300}),
      OF_ONE(tan, 1, {-4, 4}, {-1e6, 1e6}, {-1e300, 1e300}),
      OF_ONE(asin, 1, {-1, 1}),
      OF_ONE(acos, 2, {-1, 1}, {0.99, 1}),
      OF_ONE(atan, 1, {-1, 1}, {-100, 100}),
      OF_ONE(sinh, 2, {-0.01, 0.01}, {-1, 1}, {-710, 710}),
      OF_ONE(cosh, 2, {-1, 1}, {-710, 710}),
      OF_ONE(tanh, 2.5, {-1, 1}, {-30, 30}),
      OF_ONE(erf, 1.5, {-1, 1}, {-6, 6}),
      OF_TWO(atan2, atan2, 1, {-1, 1}, {-1e300, 1e300}),
      OF_TWO(hypot, hypot, 1.5, {-1, 1}, {-1e300, 1e300}),
      OF_TWO(power, pow, 1.5, {0, 2}, {0, 100}),
  };
  return all;
}

// The same bits, or two NaN.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

const std::vector<double>& special_values() {
  static const std::vector<double> values = {0,
                                             -0.0,
                                             inf,
                                             -inf,
                                             nan,
                                             5e-324,
                                             -5e-324,
                                             1e-310,
                                             -1e-310,
                                             2.3e-308,
                                             1e-160,
                                             1e-20,
                                             -1e-20,
                                             0.1,
                                             0.25,
                                             0.5,
                                             -0.5,
                                             1,
                                             -1,
                                             1.5,
                                             2,
                                             -2,
                                             3,
                                             -3,
                                             4,
                                             8,
                                             -8,
                                             10,
                                             20,
                                             -20,
                                             50,
                                             -50,
                                             710,
                                             -710,
                                             711,
                                             -711,
                                             745,
                                             -745,
                                             -746,
                                             1e5,
                                             1e9,
                                             -1e9,
                                             1e16 + 2,
                                             1e22,
                                             -1e22,
                                             1e100,
                                             1e155,
                                             1e300,
                                             -1e300,
                                             1.7976931348623157e308,
                                             -1.7976931348623157e308};
  return values;
}

double random_value(Random& random) {
  const auto uniform = [&](double bound) {
    return std::uniform_real_distribution<double>(-bound, bound)(random);
  };
  switch (random() % 8) {
    case 0:
      return special_values()[random() % special_values().size()];
    case 1:
      return std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    case 2:
      return static_cast<double>(random() % 13) - 6;
    case 3:
      return uniform(1000);
    default:
      return uniform(3);
  }
}

TEST(ExprFunctions, LanesHaveTheBitsOfOneValue) {
  Random random(11);
  for (const Function& function : functions())
    for (int lanes = 1; lanes <= 130; ++lanes)
      for (const bool one_exponent : {false, true}) {
        const std::size_t count = static_cast<std::size_t>(lanes);
        std::vector<double> a(count), b(count);
        const double exponent = random_value(random);
        for (std::size_t n = 0; n < count; ++n) {
          a[n] = random_value(random);
          b[n] = one_exponent ? exponent : random_value(random);
        }
        constexpr double untouched = 12345;
        std::vector<double> apart(count + 8, untouched), over_a = a, over_b = b;
        function.lanes(lanes, apart.data(), a.data(), b.data());
        function.lanes(lanes, over_a.data(), over_a.data(), b.data());
        if (function.of_two) function.lanes(lanes, over_b.data(), a.data(), over_b.data());
        for (std::size_t n = 0; n < count; ++n) {
          const double value = xp::apply(function.op, a[n], b[n], 0);
          ASSERT_TRUE(same(apart[n], value))
              << function.name << "(" << a[n] << ", " << b[n] << ") in lane " << n << " of "
              << lanes << ": " << apart[n] << ", alone " << value;
          ASSERT_TRUE(same(over_a[n], value)) << function.name;
          ASSERT_TRUE(!function.of_two || same(over_b[n], value)) << function.name;
          ASSERT_TRUE(same(function.value(a[n], b[n]), value)) << function.name;
        }
        for (std::size_t n = count; n < apart.size(); ++n) ASSERT_EQ(apart[n], untouched);
      }
}

// |value - exact| in units in the last place of the double nearest to the exact value.
double error_of(double value, long double exact) {
  int exponent = 0;
  (void)std::frexp(exact, &exponent);
  const int unit = std::max(exponent - 53, -1074);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) /
                             std::ldexp(1.0L, unit));
}

TEST(ExprFunctions, Accuracy) {
  if (std::numeric_limits<long double>::digits < 60) GTEST_SKIP() << "long double is a double here";
  Random random(12);
  for (const Function& function : functions())
    for (const Range& range : function.ranges) {
      std::uniform_real_distribution<double> uniform(range.lower, range.upper);
      double worst = 0, at = 0;
      for (int n = 0; n < 20000; ++n) {
        const double a = uniform(random);
        const double b = function.op == Op::power ? uniform(random) - 1 : uniform(random);
        const long double exact = function.exact(a, b);
        if (!std::isfinite(static_cast<double>(exact))) continue;
        const double error = error_of(function.value(a, b), exact);
        if (!(error <= worst)) worst = error, at = a;
      }
      EXPECT_LE(worst, function.bound) << function.name << " at " << at;
    }
}

TEST(ExprFunctions, ZerosInfinitiesAndNaNAreThoseOfTheStandard) {
  const auto check = [](const Function& function, double a, double b) {
    const double value = function.value(a, b), expected = function.standard(a, b);
    if (std::isnan(expected) || std::isinf(expected) || expected == 0)
      EXPECT_TRUE(same(value, expected))
          << function.name << "(" << a << ", " << b << "): " << value << ", not " << expected;
    else
      EXPECT_TRUE(error_of(value, expected) <= 4)
          << function.name << "(" << a << ", " << b << "): " << value << ", not " << expected;
  };
  for (const Function& function : functions())
    for (const double a : special_values()) {
      if (!function.of_two) {
        check(function, a, 0);
        continue;
      }
      for (const double b : special_values()) check(function, a, b);
    }
}

double value_of(Op op, double a, double b = 0) {
  return xp::apply(op, a, b, 0);
}

TEST(ExprFunctions, ExactValues) {
  EXPECT_TRUE(same(value_of(Op::exp, 0), 1));
  EXPECT_TRUE(same(value_of(Op::exp, -1e9), 0));
  EXPECT_TRUE(same(value_of(Op::log, 1), 0));
  EXPECT_TRUE(same(value_of(Op::log10, 1000), 3));
  EXPECT_TRUE(same(value_of(Op::sin, -0.0), -0.0));
  EXPECT_TRUE(same(value_of(Op::cos, 0), 1));
  EXPECT_TRUE(same(value_of(Op::cosh, 0), 1));
  EXPECT_TRUE(same(value_of(Op::acos, 1), 0));
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(same(value_of(Op::tanh, sign * 40), sign));
    EXPECT_TRUE(same(value_of(Op::tanh, sign * inf), sign));
    EXPECT_TRUE(same(value_of(Op::erf, sign * 10), sign));
    EXPECT_TRUE(same(value_of(Op::cbrt, sign * 8), sign * 2));
    for (const Op op : {Op::sinh, Op::tanh, Op::cbrt, Op::sin, Op::tan, Op::erf})
      EXPECT_TRUE(same(value_of(op, sign * 0.0), sign * 0.0));
  }
  EXPECT_TRUE(same(value_of(Op::hypot, 3, -4), 5));
  EXPECT_TRUE(same(value_of(Op::hypot, 1e300, 1e300) / 1e300, std::sqrt(2.0)));
}

TEST(ExprFunctions, Powers) {
  const auto power = [](double a, double b) { return value_of(Op::power, a, b); };
  Random random(13);
  for (int n = 0; n < 1000; ++n) {
    const double a = std::uniform_real_distribution<double>(-10, 10)(random), square = a * a;
    EXPECT_TRUE(same(power(a, 1), a));
    EXPECT_TRUE(same(power(a, 2), square));
    EXPECT_TRUE(same(power(a, 3), square * a));
    EXPECT_TRUE(same(power(a, 4), square * square));
  }
  for (int n = -1074; n < 1024; ++n) EXPECT_EQ(power(2, n), std::ldexp(1.0, n));
  for (int n = 0; n < 1000; ++n) EXPECT_EQ(power(n * n, 0.5), n);
  for (int a = -20; a <= 20; ++a)
    for (int b = -12; b <= 12; ++b) EXPECT_EQ(power(a, b), std::pow(a, b)) << a << "^" << b;
  EXPECT_EQ(power(10, -4), 0.0001);
  EXPECT_EQ(power(3, -1), 1.0 / 3);
  EXPECT_EQ(power(0, 0), 1);
  EXPECT_EQ(power(nan, 0), 1);
  EXPECT_EQ(power(1, nan), 1);
  EXPECT_EQ(power(-8, 5), -32768);
  EXPECT_TRUE(std::isnan(power(-8, 1.0 / 3)));
}

}  // namespace
