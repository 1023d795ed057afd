// Random numbers of cells: known answers, their distributions, and the same ones on every backend.
// Bounds are multiples of the standard error at the size of the sample; with fixed seeds a test
// passes always or never.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <xp/expr/random.hpp>
#include <xp/simulation/settings.hpp>

#include "run_input.hpp"

namespace xp_test {

// Numbers of cells first, first + 1, ... in a kernel.
template <class Space, bool normal>
struct FillNumbers {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
  std::uint64_t first = 0;
  Kokkos::View<double*, typename Space::memory_space> numbers;

  KOKKOS_INLINE_FUNCTION void operator()(const int n) const {
    const std::uint64_t cell = first + static_cast<std::uint64_t>(n);
    numbers(n) =
        normal ? xp::normal_number(seed, stream, cell) : xp::uniform_number(seed, stream, cell);
  }
};

template <bool normal, class Space>
std::vector<double> numbers_on(const Space& space, std::uint64_t seed, std::uint32_t stream,
                               std::uint64_t first, int count) {
  FillNumbers<Space, normal> fill{seed, stream, first, {}};
  fill.numbers = decltype(fill.numbers)("numbers", static_cast<std::size_t>(count));
  Kokkos::parallel_for("random numbers", Kokkos::RangePolicy<Space>(space, 0, count), fill);
  space.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), fill.numbers);
  return {host.data(), host.data() + count};
}

}  // namespace xp_test

namespace {

using xp::normal_number;
using xp::uniform_number;
using xp::detail::RandomUse;
using Numbers = std::vector<double>;
using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t largest_seed = (std::uint64_t{1} << 53) - 1;
constexpr std::size_t sample_size = 1000000;
const double root_of_size = std::sqrt(static_cast<double>(sample_size));
// Beyond this many standard errors: once in 16000 tests of a good generator.
constexpr double errors_allowed = 4;

Words words(std::uint64_t seed, std::uint64_t cell, std::uint32_t stream, RandomUse use) {
  const xp::detail::RandomWords block = xp::detail::random_words(seed, cell, stream, use);
  return {block.word, block.word + 4};
}

// Numbers of the cells of a grid, in both distributions.
struct Sample {
  std::uint64_t seed;
  std::uint32_t stream;
  std::string name = "seed " + std::to_string(seed) + ", stream " + std::to_string(stream);
  Numbers uniform = {}, normal = {};

  Sample(std::uint64_t s, std::uint32_t number) : seed(s), stream(number) {
    for (std::size_t cell = 0; cell < sample_size; ++cell) {
      uniform.push_back(uniform_number(seed, stream, cell));
      normal.push_back(normal_number(seed, stream, cell));
    }
  }
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {{0, 0}, {1, 0}, {0, 1}, {largest_seed, 7}};
  return all;
}

double mean(const Numbers& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

// The mean of (x - center)^power.
double moment(const Numbers& numbers, double center, int power) {
  double sum = 0;
  for (const double number : numbers) {
    double product = 1;
    for (int n = 0; n < power; ++n) product *= number - center;
    sum += product;
  }
  return sum / static_cast<double>(numbers.size());
}

// Correlation of numbers whose mean is known, in standard errors of independent ones.
double correlation(const Numbers& a, double mean_a, const Numbers& b, double mean_b,
                   std::size_t lag = 0) {
  double both = 0, square_a = 0, square_b = 0;
  for (std::size_t n = 0; n + lag < a.size(); ++n) {
    const double u = a[n] - mean_a, v = b[n + lag] - mean_b;
    both += u * v;
    square_a += u * u;
    square_b += v * v;
  }
  return both / std::sqrt(square_a * square_b) * std::sqrt(static_cast<double>(a.size() - lag));
}

// Largest distance of the numbers' distribution from the one they should have (Kolmogorov,
// Smirnov).
template <class Distribution>
double distance(Numbers numbers, const Distribution& distribution) {
  std::sort(numbers.begin(), numbers.end());
  const double size = static_cast<double>(numbers.size());
  double largest = 0;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const double value = distribution(numbers[n]);
    largest = std::max({largest, value - static_cast<double>(n) / size,
                        static_cast<double>(n + 1) / size - value});
  }
  return largest;
}

// Numbers of the distribution are farther from it in 1 of 10000 samples: 2 exp(-2 n D^2) = 1e-4.
const double largest_distance = std::sqrt(std::log(2e4) / 2) / root_of_size;

int equal_numbers(const Numbers& a, const Numbers& b) {
  int count = 0;
  for (std::size_t n = 0; n < a.size(); ++n) count += a[n] == b[n] ? 1 : 0;
  return count;
}

void expect_same_bits(const Numbers& numbers, const Numbers& expected, const std::string& where) {
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t n = 0; n < numbers.size(); ++n)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(numbers[n]), std::bit_cast<std::uint64_t>(expected[n]))
        << where << ", number " << n;
}

// The vectors of Philox4x32-10 in tests/kat_vectors of Random123 1.14.0: counter, key, answer.
TEST(Random, WordsAreThoseOfPhilox) {
  EXPECT_EQ(words(0, 0, 0, RandomUse::uniform),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(0xffffffffffffffff, 0xffffffffffffffff, 0xffffffff, RandomUse{0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x13198a2e, RandomUse{0x03707344}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Made by a program in Python that has nothing of Random123: fields stay what they are from version
// to version. Normal numbers may differ in the last bits with another C library.
TEST(Random, NumbersAreWhatTheyAlwaysWere) {
  EXPECT_EQ(uniform_number(0, 0, 0), 0x1.c2d38b1acc4fdp-1);
  EXPECT_EQ(uniform_number(42, 1, 123456789), 0x1.2747e56a94360p-3);
  EXPECT_EQ(uniform_number(largest_seed, 3, (std::uint64_t{1} << 40) + 7), 0x1.4d75b5a3ec360p-3);
  EXPECT_NEAR(normal_number(0, 0, 0), -0.2619502106950503, 1e-15);
  EXPECT_NEAR(normal_number(42, 1, 123456789), -1.3050261470314606, 5e-15);
  EXPECT_NEAR(normal_number(largest_seed, 3, (std::uint64_t{1} << 40) + 7), -0.0995219622268248,
              1e-15);
}

TEST(Random, UniformNumbersLieInTheHalfOpenInterval) {
  constexpr std::uint32_t all = 0xffffffff;
  EXPECT_EQ(xp::detail::unit_number(0, 0), 0);
  EXPECT_EQ(xp::detail::unit_number(all, all), 1 - 0x1p-53);
  EXPECT_EQ(xp::detail::unit_number(0x7ff, 0), 0);  // the lowest 11 bits are left out
  EXPECT_EQ(xp::detail::unit_number(0x800, 0), 0x1p-53);
  for (const Sample& sample : samples()) {
    const auto [least, largest] = std::minmax_element(sample.uniform.begin(), sample.uniform.end());
    EXPECT_GE(*least, 0) << sample.name;
    EXPECT_LT(*largest, 1) << sample.name;
  }
}

TEST(Random, NormalNumbersAreFinite) {
  const double largest = 1 - 0x1p-53;
  for (const double radius : {0.0, 0x1p-53, 0.5, largest})
    for (const double angle : {0.0, 0x1p-53, 0.25, 0.5, 0.75, largest}) {
      const double number = xp::detail::box_muller(radius, angle);
      EXPECT_TRUE(std::isfinite(number)) << radius << " " << angle;
      EXPECT_LE(std::abs(number), 8.5717) << radius << " " << angle;
    }
  EXPECT_NEAR(xp::detail::box_muller(largest, 0), std::sqrt(106 * std::log(2.0)), 1e-14);
  EXPECT_NEAR(xp::detail::box_muller(largest, 0.5), -std::sqrt(106 * std::log(2.0)), 1e-14);
  EXPECT_EQ(xp::detail::box_muller(0, 0.3), 0);
}

TEST(Random, MomentsOfUniformNumbers) {
  for (const Sample& sample : samples()) {
    // Variances of u and of (u - 1/2)^2 are 1/12 and 1/180.
    EXPECT_NEAR(mean(sample.uniform), 0.5, errors_allowed * std::sqrt(1.0 / 12) / root_of_size)
        << sample.name;
    EXPECT_NEAR(moment(sample.uniform, 0.5, 2), 1.0 / 12,
                errors_allowed * std::sqrt(1.0 / 180) / root_of_size)
        << sample.name;
  }
}

TEST(Random, MomentsOfNormalNumbers) {
  for (const Sample& sample : samples()) {
    // Variances of x, x^2, x^3 and x^4 are 1, 2, 15 and 96.
    const double expected[] = {0, 1, 0, 3}, variances[] = {1, 2, 15, 96};
    for (int n = 0; n < 4; ++n)
      EXPECT_NEAR(moment(sample.normal, 0, n + 1), expected[n],
                  errors_allowed * std::sqrt(variances[n]) / root_of_size)
          << sample.name << ", moment " << n + 1;
  }
}

TEST(Random, EveryBitIsSetHalfOfTheTime) {
  for (const Sample& sample : samples()) {
    std::vector<int> set(53);
    for (const double number : sample.uniform) {
      const auto bits = static_cast<std::uint64_t>(number * 0x1p53);
      for (std::size_t bit = 0; bit < 53; ++bit) set[bit] += bits >> bit & 1 ? 1 : 0;
    }
    for (std::size_t bit = 0; bit < 53; ++bit)
      EXPECT_NEAR(set[bit], 0.5 * static_cast<double>(sample_size),
                  errors_allowed * 0.5 * root_of_size)
          << sample.name << ", bit " << bit;
  }
}

TEST(Random, DistributionOfUniformNumbers) {
  for (const Sample& sample : samples())
    EXPECT_LT(distance(sample.uniform, [](double u) { return u; }), largest_distance)
        << sample.name;
}

TEST(Random, DistributionOfNormalNumbers) {
  for (const Sample& sample : samples())
    EXPECT_LT(distance(sample.normal, [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }),
              largest_distance)
        << sample.name;
}

// Neighbours along x, and along y and z of grids whose rows are as long as the lag.
TEST(Random, NeighboursAreNotCorrelated) {
  for (const Sample& sample : samples())
    for (const std::size_t lag : {1, 2, 3, 4, 10, 64, 100, 128, 1000, 1024, 10000, 65536}) {
      EXPECT_LT(std::abs(correlation(sample.uniform, 0.5, sample.uniform, 0.5, lag)),
                errors_allowed)
          << sample.name << ", lag " << lag;
      EXPECT_LT(std::abs(correlation(sample.normal, 0, sample.normal, 0, lag)), errors_allowed)
          << sample.name << ", lag " << lag;
    }
}

TEST(Random, SeedsStreamsAndDistributionsAreIndependent) {
  const auto& all = samples();
  for (std::size_t a = 0; a < all.size(); ++a) {
    EXPECT_LT(std::abs(correlation(all[a].uniform, 0.5, all[a].normal, 0)), errors_allowed)
        << all[a].name;
    for (std::size_t b = 0; b < a; ++b) {
      const std::string both = all[a].name + " and " + all[b].name;
      EXPECT_EQ(equal_numbers(all[a].uniform, all[b].uniform), 0) << both;
      EXPECT_LT(std::abs(correlation(all[a].uniform, 0.5, all[b].uniform, 0.5)), errors_allowed)
          << both;
      EXPECT_LT(std::abs(correlation(all[a].normal, 0, all[b].normal, 0)), errors_allowed) << both;
    }
  }
}

// A cell beyond 2^32 is not one below, and both halves of a seed count.
TEST(Random, AllBitsOfArgumentsCount) {
  const std::uint64_t cell = 12345, seed = 678;
  const std::uint32_t stream = 9;
  const double uniform = uniform_number(seed, stream, cell);
  const double normal = normal_number(seed, stream, cell);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    EXPECT_NE(uniform_number(seed, stream, cell ^ one), uniform) << "cell, bit " << bit;
    EXPECT_NE(normal_number(seed, stream, cell ^ one), normal) << "cell, bit " << bit;
    EXPECT_NE(uniform_number(seed ^ one, stream, cell), uniform) << "seed, bit " << bit;
    EXPECT_NE(normal_number(seed ^ one, stream, cell), normal) << "seed, bit " << bit;
    if (bit >= 32) continue;
    const std::uint32_t other = stream ^ static_cast<std::uint32_t>(one);
    EXPECT_NE(uniform_number(seed, other, cell), uniform) << "stream, bit " << bit;
    EXPECT_NE(normal_number(seed, other, cell), normal) << "stream, bit " << bit;
  }
}

// Cells about 2^32 one by one, backwards, against kernels.
TEST(Random, SameNumbersOnEveryBackend) {
  constexpr int count = 100000;
  const std::uint64_t first = (std::uint64_t{1} << 32) - count / 2, seed = 20240229;
  const std::uint32_t stream = 3;
  Numbers uniform(count), normal(count);
  for (std::size_t n = count; n > 0; --n) {
    uniform[n - 1] = uniform_number(seed, stream, first + n - 1);
    normal[n - 1] = normal_number(seed, stream, first + n - 1);
  }
  for (const xp::Backend backend : xp::available_backends()) {
    const std::string name = xp::name(backend);
    const auto [u, x] = xp::with_space(backend, [&](const auto& space) {
      return std::make_tuple(xp_test::numbers_on<false>(space, seed, stream, first, count),
                             xp_test::numbers_on<true>(space, seed, stream, first, count));
    });
    expect_same_bits(u, uniform, name + ", uniform");
    if (backend != xp::Backend::cuda) {
      expect_same_bits(x, normal, name + ", normal");
      continue;
    }
    for (std::size_t n = 0; n < count; ++n)
      ASSERT_NEAR(x[n], normal[n], 8 * std::numeric_limits<double>::epsilon() * 8.58)
          << name << ", number " << n;
  }
}

// In a chunk of lanes, as expressions are evaluated on a CPU.
TEST(Random, SameNumbersInLanes) {
  constexpr std::size_t width = 64;
  double uniform[width], normal[width];
  const std::uint64_t seed = largest_seed;
  for (std::uint64_t first = 0; first < 64 * width; first += width) {
    XP_VECTORISE
    for (std::size_t lane = 0; lane < width; ++lane)
      uniform[lane] = uniform_number(seed, 1, first + lane);
    XP_VECTORISE
    for (std::size_t lane = 0; lane < width; ++lane)
      normal[lane] = normal_number(seed, 1, first + lane);
    for (std::size_t lane = 0; lane < width; ++lane) {
      ASSERT_EQ(uniform[lane], uniform_number(seed, 1, first + lane));
      ASSERT_EQ(normal[lane], normal_number(seed, 1, first + lane));
    }
  }
}

// run.seed, from the input to the settings.
class Seed : public testing::Test {
 protected:
  static std::uint64_t seed_of(const std::vector<std::string>& overrides) {
    const xp::Registry& registry = xp::builtin_models();
    const xp::Input input = test::read(
        "{xpsim: 1, grid: {cells: 4}, model: heat, heat: {initial: 0, diffusivity: 1},"
        " boundary_conditions: {u: {all: outflow}}, time: {end: 1}}",
        registry, overrides);
    xp::Diagnostics diagnostics;
    const xp::Settings settings = xp::read_settings(input, registry, diagnostics);
    diagnostics.throw_if_any();
    return settings.seed;
  }
  static std::string refusal(const std::string& seed) try {
    return std::to_string(seed_of({"run.seed=" + seed}));
  } catch (const xp::Error& error) {
    return error.diagnostics().at(0).message;
  }
};

TEST_F(Seed, IsZeroUnlessGiven) {
  EXPECT_EQ(seed_of({}), 0u);
  EXPECT_EQ(seed_of({"run.seed=42"}), 42u);
  EXPECT_EQ(seed_of({"run.seed=9007199254740991"}), largest_seed);
  EXPECT_EQ(seed_of({"run.seed=2^53 - 1"}), largest_seed);
}

TEST_F(Seed, IsAnIntegerThatADoubleHolds) {
  EXPECT_EQ(refusal("-1"), "'run.seed' must be at least 0, not -1");
  EXPECT_EQ(refusal("0.5"), "'run.seed' must be an integer, not 0.5");
  EXPECT_EQ(refusal("2^53"), "'run.seed' must be at most 9007199254740991, not 9007199254740992");
  EXPECT_EQ(refusal("12345678901234567890"),
            "'run.seed' must be at most 9007199254740991, not 1.23456789e+19");
}

}  // namespace
