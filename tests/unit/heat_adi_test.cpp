// Alternating-direction implicit steps: factors of waves that are known, order in time, any step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <xp/operators/measure.hpp>
#include <xp/runtime/error.hpp>

#include "heat_adi_testing.hpp"
#include "operators_testing.hpp"

namespace {

using xp_test::AdiRun;
constexpr double pi = 3.14159265358979323846;

const xp::Communicator& alone() {
  static const xp::Communicator communicator(MPI_COMM_SELF);
  return communicator;
}

template <class Space>
AdiRun<Space, double> run_of(const std::vector<std::int64_t>& cells, const std::string& letters,
                             const std::string& values, double d, bool varies = false) {
  const xp::Decomposition whole(xp_test::box_of(cells, letters), {1, 1, 1});
  return {cells, letters, values, d, varies, whole, alone()};
}

template <class Kind>
class HeatAdi : public testing::Test {};
TYPED_TEST_SUITE(HeatAdi, xp_test::DoubleKinds);

// An eigenvector of the differences along every axis, and minus the sum of its eigenvalues.
struct Wave {
  std::string letters;
  double k[3];
  double operator()(double x, double y, double z) const {
    const double at[3] = {x, y, z};
    double value = 1;
    for (std::size_t a = 0; 2 * a < letters.size(); ++a)
      value *= letters[2 * a] == 'n' || letters[2 * a] == 'p' ? std::cos(k[a] * at[a])
                                                              : std::sin(k[a] * at[a]);
    return value;
  }
  double eigenvalue(std::size_t a, std::int64_t cells) const {
    const double s = 2 * std::sin(0.5 * k[a] / static_cast<double>(cells));
    return s * s * static_cast<double>(cells * cells);
  }
};

const std::pair<std::vector<std::int64_t>, Wave> waves[] = {
    {{37}, {"dd", {pi, 0, 0}}},
    {{37, 50}, {"dddd", {pi, 2 * pi, 0}}},
    {{37, 50}, {"nnpp", {pi, 2 * pi, 0}}},
    {{16, 50}, {"aadd", {pi, pi, 0}}},
    {{13, 20, 17}, {"dddddd", {pi, pi, 2 * pi}}},
    {{13, 20, 17}, {"nnddpp", {2 * pi, pi, 2 * pi}}}};

TYPED_TEST(HeatAdi, WavesAreMultipliedByWhatIsKnown) {
  using Space = typename TypeParam::Space;
  for (const auto& [cells, wave] : waves)
    for (const double step : {1e-3, 0.1, 1e4}) {
      auto run = run_of<Space>(cells, wave.letters, "0", 0.7);
      run.set(wave);
      run.advance(step, 1);
      double sum = 0, product = 1;
      for (std::size_t a = 0; a < cells.size(); ++a) {
        const double x = 0.5 * step * 0.7 * wave.eigenvalue(a, cells[a]);
        sum += x;
        product *= 1 + x;
      }
      const double factor = 1 - 2 * sum / product;
      const auto host = xp::host_mirror(run.u);
      xp_test::visit(
          run.u, run.grid, xp::Region::own, [&](int, int k, int j, int i, const double* x) {
            ASSERT_NEAR(
                host(0, k, j, i),
                factor * wave(x[0], cells.size() > 1 ? x[1] : 0, cells.size() > 2 ? x[2] : 0),
                1e-11)
                << wave.letters << " " << step;
          });
    }
}

TYPED_TEST(HeatAdi, WavesFallAtSecondOrder) {
  using Space = typename TypeParam::Space;
  for (const auto& [cells, wave] : waves) {
    double rate = 0, before = 0;
    for (std::size_t a = 0; a < cells.size(); ++a) rate += wave.eigenvalue(a, cells[a]);
    const double end = 1 / rate;
    for (int steps = 8; steps <= 64; steps *= 2) {
      auto run = run_of<Space>(cells, wave.letters, "0", 1);
      run.set(wave);
      run.advance(end, steps);
      xp::Field<Space, double> exact(run.grid, {});
      run.set(exact, run.grid.cells(xp::Region::own), -1,
              [&](double x, double y, double z) { return std::exp(-1.) * wave(x, y, z); });
      const double error = xp::Measure<Space, double>(run.grid.cells(xp::Region::own))
                               .difference(Space(), run.u.view(), exact.view())
                               .largest;
      if (steps > 8) {
        EXPECT_NEAR(std::log2(before / error), 2, 0.05) << wave.letters << steps;
      }
      before = error;
    }
  }
}

// Values at walls that move, sources and coefficients that vary: what halving the step changes
// falls fourfold, next to the walls as well.
TYPED_TEST(HeatAdi, MovingWallsKeepTheOrder) {
  using Space = typename TypeParam::Space;
  const auto initial = [](double x, double y, double z) { return std::cos(3 * x + 2 * y - z); };
  for (const auto& [cells, letters] :
       {std::pair<std::vector<std::int64_t>, std::string>{{40, 40}, "dddd"},
        {{40, 40}, "ddpp"},
        {{30, 40}, "ppdd"},
        {{24, 40}, "nnrr"},
        {{30, 30}, "rddn"},
        {{16, 17, 18}, "dddddd"},
        {{16, 17, 18}, "drndpp"}})
    for (const bool varies : {false, true}) {
      const bool wraps = letters.find('p') != std::string::npos;
      const std::string values =
          wraps ? "cos(6.283185307179586*(x+y)-4*t)"
                : std::string("cos(3*x+2*y") + (cells.size() > 2 ? "-z" : "") + "-4*t)";
      std::vector<xp::Field<Space, double>> results;
      for (int steps = 16; steps <= 128; steps *= 2) {
        auto run = run_of<Space>(cells, letters, values, 0.3, varies);
        run.set([&](double x, double y, double z) {
          return wraps ? std::cos(2 * pi * (x + y)) : initial(x, y, cells.size() > 2 ? z : 0);
        });
        run.set(run.source, run.grid.cells(xp::Region::own), -1,
                [](double x, double y, double) { return 1 + x * y; });
        run.advance(0.5, steps);
        results.push_back(run.u);
      }
      const xp::Grid grid(xp_test::box_of(cells, letters));
      double change[3];
      for (std::size_t n = 0; n < 3; ++n)
        change[n] = xp::Measure<Space, double>(grid.cells(xp::Region::own))
                        .difference(Space(), results[n].view(), results[n + 1].view())
                        .largest;
      EXPECT_GT(change[2], 1e-9);
      EXPECT_GT(std::log2(change[0] / change[1]), 1.8) << letters << varies;
      EXPECT_GT(std::log2(change[1] / change[2]), 1.6) << letters << varies;
    }
}

// With steps that get shorter as cells do, against what is known: a wave that moves along and
// through the walls.
TYPED_TEST(HeatAdi, StepsAndCellsTogetherAreOfSecondOrder) {
  using Space = typename TypeParam::Space;
  struct Case {
    std::string letters, phase;
    double k[3];
  };
  for (const Case& c : {Case{"dd", "x", {1, 0, 0}}, Case{"ddpp", "x+2*pi*y", {1, 2 * pi, 0}},
                        Case{"dddd", "x+5*y", {1, 5, 0}}, Case{"dddddd", "x+5*y-3*z", {1, 5, -3}},
                        Case{"ddddpp", "x+y+2*pi*z", {1, 1, 2 * pi}}}) {
    const std::size_t dimensions = c.letters.size() / 2;
    double errors[3];
    for (std::size_t n = 0; n < 3; ++n) {
      const std::int64_t cells = std::int64_t{12} << n;
      auto run = run_of<Space>(std::vector<std::int64_t>(dimensions, cells), c.letters,
                               "cos(" + c.phase + "-8*t)", 0.5);
      const auto phase = [&](double x, double y, double z) {
        return c.k[0] * x + c.k[1] * y + c.k[2] * z;
      };
      const double decay = 0.5 * (c.k[0] * c.k[0] + c.k[1] * c.k[1] + c.k[2] * c.k[2]);
      const xp::Box own = run.grid.cells(xp::Region::own);
      run.set([&](double x, double y, double z) { return std::cos(phase(x, y, z)); });
      run.advance(0.5, static_cast<int>(cells), [&](double time) {
        run.set(run.source, own, -1, [&](double x, double y, double z) {
          const double p = phase(x, y, z) - 8 * time;
          return 8 * std::sin(p) + decay * std::cos(p);
        });
      });
      xp::Field<Space, double> exact(run.grid, {});
      run.set(exact, own, -1,
              [&](double x, double y, double z) { return std::cos(phase(x, y, z) - 4); });
      errors[n] =
          xp::Measure<Space, double>(own).difference(Space(), run.u.view(), exact.view()).largest;
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), 1.95) << c.letters;
    EXPECT_GT(std::log2(errors[1] / errors[2]), 1.95) << c.letters;
  }
}

TYPED_TEST(HeatAdi, RefuseWhatTheyCannotDo) {
  using Space = typename TypeParam::Space;
  auto run = run_of<Space>({8, 8}, "rrdd", "t", 1);
  using Adi = xp::HeatAdi<Space, double>;
  run.conditions[0][0].alpha = xp_test::compiled("1+t", 2);
  EXPECT_THROW(Adi(run.grid, alone(), run.conditions, run.diffusion), xp::Error);
  run.conditions[0][0].alpha = xp_test::compiled("1+y", 2);
  EXPECT_THROW(Adi(run.grid, alone(), run.conditions, run.diffusion), xp::Error);
  for (auto& side : run.conditions[0]) side.value = xp::Program::of(1);
  EXPECT_NO_THROW(Adi(run.grid, alone(), run.conditions, run.diffusion));
  run.diffusion.alpha = 1;
  EXPECT_THROW(Adi(run.grid, alone(), run.conditions, run.diffusion), std::invalid_argument);
}

}  // namespace
