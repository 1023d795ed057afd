// Differential operators: exact for polynomials up to the degree of the stencil, and of the order
// that they claim for smooth functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <xp/operators/measure.hpp>
#include <xp/operators/operators.hpp>

#include "operators_testing.hpp"

namespace {

using xp::Axis;
using xp::Order;
using xp::Region;
using xp_test::make_field;

// Derivative d[0], d[1], d[2] times along the axes of component c of a vector function.
using Function = std::function<double(int c, const double* x, const int* d)>;

constexpr double upper[3] = {1, 1.5, 0.75};

xp::Grid make_grid(int dimensions, int cells, Order order) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  spec.cells = {cells, cells, cells};
  spec.upper = {upper[0], upper[1], upper[2]};
  spec.periodic = {true, true, true};
  spec.ghosts = xp::ghost_width(order);
  return xp::Grid(spec);
}

// A product of sines, periodic in the box.
Function waves(int dimensions) {
  return [dimensions](int c, const double* x, const int* d) {
    double product = 1;
    for (int a = 0; a < dimensions; ++a) {
      const double wave = 2 * M_PI / upper[a];
      for (int n = 0; n < d[a]; ++n) product *= wave;
      product *= std::sin(wave * x[a] + 0.3 + 0.7 * c + 0.4 * a + d[a] * M_PI / 2);
    }
    return product;
  };
}

// A product of polynomials of one degree.
Function polynomials(int dimensions, int degree) {
  return [dimensions, degree](int c, const double* x, const int* d) {
    double product = 1;
    for (int a = 0; a < dimensions; ++a) {
      double sum = 0;
      for (int m = d[a]; m <= degree; ++m) {
        double term = std::pow(x[a], m - d[a]) * (1 + 0.25 * ((m + a + 2 * c) % 4));
        for (int n = 0; n < d[a]; ++n) term *= m - n;
        sum += term;
      }
      product *= sum;
    }
    return product;
  };
}

double derivative(const Function& f, int c, const double* x, int a, int b = -1) {
  int d[3] = {0, 0, 0};
  ++d[a];
  if (b >= 0) ++d[b];
  return f(c, x, d);
}

struct Deviation {
  double rms = 0, largest = 0;
};

// What every operator that there is in so many dimensions makes of a function, less the truth.
template <class Space, class Real>
std::map<std::string, Deviation> deviations(const Function& f, int dimensions, int cells,
                                            Order order, bool periodic) {
  const Space space;
  const xp::Grid grid = make_grid(dimensions, cells, order);
  const auto u = make_field<Space, Real>(grid, "u");
  const auto vector = make_field<Space, Real>(grid, "vector", dimensions);
  const int none[3] = {0, 0, 0};
  for (const auto& field : {u, vector}) {
    xp_test::set(field, grid, periodic ? Region::own : Region::ghosted,
                 [&](int c, const double* x) { return f(c, x, none); });
    if (periodic) xp_test::fill_periodic(grid, order, field);
  }

  xp::Measure<Space, Real> measure(grid.cells(Region::own));
  const auto compare = [&](const xp::Field<Space, Real>& result, const auto& truth) {
    const auto exact = make_field<Space, Real>(grid, "exact", result.info().components);
    xp_test::set(exact, grid, Region::own, truth);
    Deviation deviation;
    for (int c = 0; c < result.info().components; ++c) {
      const xp::Sums sums = measure.difference(space, result.view(c), exact.view(c));
      deviation.rms += sums.sum_square / static_cast<double>(grid.cell_count());
      deviation.largest = std::max(deviation.largest, sums.largest);
    }
    deviation.rms = std::sqrt(deviation.rms);
    return deviation;
  };

  std::map<std::string, Deviation> result;
  const auto scalar = make_field<Space, Real>(grid, "scalar");
  const auto components = make_field<Space, Real>(grid, "components", dimensions);
  xp::gradient(space, grid, order, u, components);
  result["gradient"] =
      compare(components, [&](int c, const double* x) { return derivative(f, 0, x, c); });
  xp::divergence(space, grid, order, vector, scalar);
  result["divergence"] = compare(scalar, [&](int, const double* x) {
    double sum = 0;
    for (int a = 0; a < dimensions; ++a) sum += derivative(f, a, x, a);
    return sum;
  });
  xp::laplacian(space, grid, order, u, scalar);
  result["laplacian"] = compare(scalar, [&](int, const double* x) {
    double sum = 0;
    for (int a = 0; a < dimensions; ++a) sum += derivative(f, 0, x, a, a);
    return sum;
  });
  if (dimensions > 1) {
    const auto& target = dimensions == 2 ? scalar : components;
    xp::curl(space, grid, order, vector, target);
    result["curl"] = compare(target, [&](int c, const double* x) {
      const int along = dimensions == 2 ? 2 : c, a = (along + 1) % 3, b = (along + 2) % 3;
      return derivative(f, b, x, a) - derivative(f, a, x, b);
    });
  }
  for (int a = 0; a < dimensions; ++a)
    for (int b = a; b < dimensions; ++b) {
      xp::mixed_derivative(space, grid, order, static_cast<Axis>(a), static_cast<Axis>(b), u,
                           scalar);
      const std::string axes = {xp::letter(static_cast<Axis>(a)), xp::letter(static_cast<Axis>(b))};
      result[(a == b ? "second " : "mixed ") + axes] =
          compare(scalar, [&](int, const double* x) { return derivative(f, 0, x, a, b); });
    }
  return result;
}

bool uses_second_difference(const std::string& name) {
  return name == "laplacian" || name.rfind("second", 0) == 0;
}

template <class Kind>
class OperatorsExact : public testing::Test {};
TYPED_TEST_SUITE(OperatorsExact, xp_test::AllKinds);

// The compact second difference is exact for one degree more than its order, by symmetry, and so
// the degrees meet: first differences up to the order, second ones up to the order + 1.
TYPED_TEST(OperatorsExact, PolynomialsOfTheStencilsDegree) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const Order order : {Order::second, Order::fourth})
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
      for (const int more : {0, 1}) {
        const int degree = static_cast<int>(order) + more, cells = 6;
        for (const auto& [name, deviation] : deviations<Space, Real>(
                 polynomials(dimensions, degree), dimensions, cells, order, false)) {
          // Values up to 10 per axis, divided by spacing^2.
          const double rounding = 16. * std::numeric_limits<Real>::epsilon() *
                                  std::pow(10., dimensions) * cells * cells;
          const std::string what = name + ", order " + std::to_string(static_cast<int>(order)) +
                                   ", degree " + std::to_string(degree) + ", " +
                                   std::to_string(dimensions) + "-D";
          if (more == 0 || uses_second_difference(name)) {
            EXPECT_LE(deviation.largest, rounding) << what;
          } else if (sizeof(Real) == sizeof(double)) {
            EXPECT_GT(deviation.largest, 1e-5) << what;
          }
        }
      }
}

template <class Kind>
class OperatorsOrder : public testing::Test {};
TYPED_TEST_SUITE(OperatorsOrder, xp_test::DoubleKinds);

TYPED_TEST(OperatorsOrder, ObservedOverFourGrids) {
  using Space = typename TypeParam::Space;
  for (const Order order : {Order::second, Order::fourth})
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
      const std::vector<int> sizes =
          dimensions < 3 ? std::vector<int>{24, 36, 54, 80} : std::vector<int>{18, 23, 29, 36};
      std::map<std::string, std::vector<double>> errors;
      for (const int cells : sizes)
        for (const auto& [name, deviation] :
             deviations<Space, double>(waves(dimensions), dimensions, cells, order, true))
          errors[name].push_back(deviation.rms);
      for (const auto& [name, error] : errors)
        for (std::size_t n = 1; n < sizes.size(); ++n) {
          const double observed = std::log(error[n - 1] / error[n]) /
                                  std::log(static_cast<double>(sizes[n]) / sizes[n - 1]);
          EXPECT_NEAR(observed, static_cast<int>(order), 0.05)
              << name << ", " << dimensions << "-D, " << sizes[n] << " cells";
          if (n + 1 == sizes.size() && dimensions == 3)
            this->RecordProperty(name + " order " + std::to_string(static_cast<int>(order)),
                                 std::to_string(observed));
        }
    }
}

}  // namespace
