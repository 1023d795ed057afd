// Sums that do not depend on order: against exact arithmetic, for any order and any cut of the
// values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <xp/operators/exact_sum.hpp>

namespace {

using xp::ExactSum;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

double one_by_one(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

// In blocks of a length, each summed by itself, joined from the last to the first.
double in_blocks(const std::vector<double>& values, int length) {
  std::vector<ExactSum> parts;
  for (int first = 0; first < static_cast<int>(values.size()); first += length) {
    const int count = std::min(length, static_cast<int>(values.size()) - first);
    parts.emplace_back().add(values.data() + first, count, [](double value) { return value; });
  }
  ExactSum total;
  for (std::size_t n = parts.size(); n > 0; --n) total.join(parts[n - 1]);
  return total.value();
}

// All blocks into one sum: the bin of the values before is tried first.
double in_one_sum(const std::vector<double>& values, int length) {
  ExactSum sum;
  for (int first = 0; first < static_cast<int>(values.size()); first += length)
    sum.add(values.data() + first, std::min(length, static_cast<int>(values.size()) - first),
            [](double value) { return value; });
  return sum.value();
}

// Every way of summing gives the same bits; returns the sum.
double sum_of(const std::vector<double>& values) {
  const double sum = one_by_one(values);
  for (const int length : {1, 2, 7, 8, 64, 1000, 4095}) {
    EXPECT_EQ(bits(in_blocks(values, length)), bits(sum)) << "blocks of " << length;
    EXPECT_EQ(bits(in_one_sum(values, length)), bits(sum)) << "pieces of " << length;
  }
  return sum;
}

// Random bits of the mantissa, exponents between two bounds, both signs.
std::vector<double> random_values(int count, int least_exponent, int most_exponent, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::uniform_int_distribution<int> exponent(least_exponent, most_exponent);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) {
    const double mantissa = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
    value = std::ldexp(random() % 2 ? mantissa : -mantissa, exponent(random));
  }
  return values;
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

TEST(ExactSum, OfNothing) {
  EXPECT_EQ(bits(ExactSum().value()), bits(0.0));
  EXPECT_EQ(bits(sum_of({0.0, -0.0})), bits(0.0));
  EXPECT_EQ(bits(sum_of({-0.0})), bits(0.0));
}

TEST(ExactSum, OfOneValueIsTheValueToTheBoundInEveryBin) {
  int whole = 0, values = 0;
  for (int exponent = -1074; exponent <= 1023; ++exponent)
    for (const double mantissa : {1.0, 1.5, 1 + DBL_EPSILON, 2 - DBL_EPSILON, -(2 - DBL_EPSILON)}) {
      const double value = std::ldexp(mantissa, exponent);
      const double sum = sum_of({value});
      EXPECT_LE(std::fabs(sum - value), 0x1p-52 * std::fabs(value)) << value;
      whole += sum == value;
      ++values;
    }
  // Only the last bit of the values in the lowest of the 52 exponents of a bin is lost.
  EXPECT_GT(whole, values * 97 / 100);
  EXPECT_LT(whole, values);
}

TEST(ExactSum, AgreesWithIntegers) {
  // Multiples of 2^-30 below 2^20: exact in 128 bits, and all on the kept grids.
  const std::vector<double> raw = random_values(100000, -10, 19, 1);
  std::vector<double> values;
  xp::detail::int128 exact = 0;
  for (const double value : raw) {
    const auto scaled = static_cast<std::int64_t>(value * 0x1p30);
    exact += scaled;
    values.push_back(static_cast<double>(scaled) * 0x1p-30);
  }
  EXPECT_EQ(sum_of(values), static_cast<double>(exact) * 0x1p-30);
}

TEST(ExactSum, OrderDoesNotMatter) {
  std::mt19937_64 random(7);
  for (const auto& [least, most] :
       {std::pair{-1000, 1010}, {-60, 60}, {-3, 3}, {-1074, -960}, {940, 1006}}) {
    std::vector<double> values = random_values(100000, least, most, most);
    const double sum = one_by_one(values);
    for (int round = 0; round < 3; ++round) {
      std::shuffle(values.begin(), values.end(), random);
      EXPECT_EQ(bits(one_by_one(values)), bits(sum)) << least << " to " << most;
      EXPECT_EQ(bits(in_blocks(values, 100 + round)), bits(sum)) << least << " to " << most;
      EXPECT_EQ(bits(in_one_sum(values, 100 + round)), bits(sum)) << least << " to " << most;
    }
    std::sort(values.begin(), values.end(),
              [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    EXPECT_EQ(bits(sum_of(values)), bits(sum)) << "growing";
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(bits(sum_of(values)), bits(sum)) << "shrinking";
  }
}

TEST(ExactSum, KeepsTheDocumentedBound) {
  for (int shift = 0; shift < 52; ++shift) {
    // 10000 values, and their negatives but for rounding in long double: what is left is small.
    const std::vector<double> values = random_values(10000, shift - 40, shift, shift);
    long double exact = 0;
    for (const double value : values) exact += value;
    const double bound = 1e4 * (0x1p-52 + static_cast<double>(LDBL_EPSILON)) * largest_of(values) +
                         0x1p-53 * static_cast<double>(std::fabs(exact));
    EXPECT_LE(std::fabs(static_cast<double>(sum_of(values) - exact)), bound) << shift;
  }
}

TEST(ExactSum, Cancellation) {
  EXPECT_EQ(sum_of({1e16, 1, -1e16}), 1);
  EXPECT_EQ(sum_of({1e16, 0.5, -1e16, 0.25}), 0.75);
  // A value far below the largest is lost; one just above the bound is not.
  EXPECT_EQ(sum_of({1e300, 1e-300, -1e300}), 0);
  EXPECT_EQ(sum_of({1e300, 1e-300}), 1e300);
  EXPECT_NEAR(sum_of({1, 0x1p-51, -1}), 0x1p-51, 2 * 0x1p-52);
}

TEST(ExactSum, TiesAtTheGrids) {
  for (int b = 1; b <= 39; ++b) {
    const double unit = std::ldexp(1, 52 * b - 1074), below = std::ldexp(1, 52 * (b - 1) - 1074);
    const double half = unit / 2, under = std::nextafter(half, 0),
                 over = std::nextafter(half, 2 * half);
    // With a companion of the same bin, of one above, and two above: values of exactly, just below
    // and just above half a unit, odd and even multiples of it.
    for (const double companion : {unit, 3 * unit, unit * 0x1p51, unit * 0x1p53})
      for (const double value : {half, under, over, 3 * half, 5 * half, unit + under, below / 2})
        for (const double sign : {1.0, -1.0}) {
          const std::vector<double> values = {sign * value, companion,    sign * value,
                                              -sign * half, sign * value, companion};
          const double sum = sum_of(values);
          std::vector<double> back(values.rbegin(), values.rend());
          EXPECT_EQ(bits(sum_of(back)), bits(sum)) << b;
        }
  }
}

TEST(ExactSum, IsRoundedOnceAndToEven) {
  EXPECT_EQ(sum_of({0x1p53, 1}), 0x1p53);
  EXPECT_EQ(sum_of({0x1p53, 1, 0x1p-20}), 0x1p53 + 2);
  EXPECT_EQ(sum_of({0x1p53, 3}), 0x1p53 + 4);
  EXPECT_EQ(sum_of({-0x1p53, -1}), -0x1p53);
  EXPECT_EQ(sum_of({-0x1p53, -1, -0x1p-20}), -0x1p53 - 2);
  EXPECT_EQ(sum_of({-0x1p53, -1, 0x1p-20}), -0x1p53);
  // A lower slice that is not zero under a negative upper one.
  EXPECT_EQ(sum_of({-0x1p40, 0x1p-12}), -0x1p40 + 0x1p-12);
  EXPECT_EQ(sum_of({0x1p40, -0x1p-12}), 0x1p40 - 0x1p-12);
}

TEST(ExactSum, TotalsOfMoreThan127Bits) {
  // Doubles the sum 40 times: its integers outgrow 127 bits on the lower grid.
  ExactSum sum;
  const double value = std::ldexp(1.75, 52 * 22 - 1074 + 50);
  sum.add(value);
  sum.add(std::ldexp(1, 52 * 21 - 1074));
  for (int n = 0; n < 40; ++n) {
    const ExactSum copy = sum;
    sum.join(copy);
  }
  EXPECT_EQ(sum.value(), std::ldexp(value, 40));
  for (int n = 0; n < 40; ++n) sum.add(-value);
  EXPECT_EQ(sum.value(), std::ldexp(value, 40) - 40 * value);
}

TEST(ExactSum, Denormals) {
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(sum_of(std::vector<double>(1000, least)), 1000 * least);
  EXPECT_EQ(sum_of({DBL_MIN, -least}), DBL_MIN - least);
  EXPECT_EQ(sum_of({1e-300, least, -1e-300}), least);
  EXPECT_EQ(sum_of({1, least, -1}), 0);
}

TEST(ExactSum, LargestValues) {
  EXPECT_EQ(sum_of({DBL_MAX, DBL_MAX, -DBL_MAX}), DBL_MAX);
  EXPECT_EQ(sum_of({DBL_MAX, DBL_MAX}), infinity);
  EXPECT_EQ(sum_of({-DBL_MAX, -DBL_MAX}), -infinity);
  EXPECT_EQ(sum_of({DBL_MAX, 1, -DBL_MAX}), 0);
  const std::vector<double> values = random_values(10000, 990, 1008, 3);
  long double exact = 0;
  for (const double value : values) exact += value;
  EXPECT_NEAR(sum_of(values), static_cast<double>(exact), 1e4 * 0x1p-52 * largest_of(values));
}

TEST(ExactSum, ValuesThatAreNotFinite) {
  EXPECT_EQ(sum_of({1, infinity, 2}), infinity);
  EXPECT_EQ(sum_of({1, -infinity, DBL_MAX}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({1, infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({not_a_number, 1})));
  EXPECT_TRUE(std::isnan(sum_of({infinity, 1, -not_a_number})));
  EXPECT_EQ(bits(sum_of({-not_a_number})), bits(not_a_number));
}

TEST(ExactSum, SaysWhetherAllTermsAreFinite) {
  const double values[] = {1, 1e200, -3};
  ExactSum sum;
  EXPECT_TRUE(sum.add(values, 3, [](double value) { return value; }));
  EXPECT_FALSE(sum.add(values, 3, [](double value) { return value * value; }));
  EXPECT_EQ(sum.value(), infinity);
}

}  // namespace
