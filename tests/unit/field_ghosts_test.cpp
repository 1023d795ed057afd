// Ghost cells: every boundary condition at both ends of each axis reproduces polynomials of the
// degree of its interpolant, with values at the wall that depend on place and time, in corners, and
// in ghost layers wider than the order needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <xp/expr/expr.hpp>
#include <xp/field/ghosts.hpp>
#include <xp/runtime/error.hpp>

#include "operators_testing.hpp"

namespace {

using xp::Axis;
using xp::BoundaryCondition;
using xp::BoundaryConditions;
using xp::BoundaryKind;
using xp::Order;
using xp::Region;

// Every ghost width of an order.
std::vector<int> widths(Order order) {
  return order == Order::second ? std::vector<int>{1, 2, 3} : std::vector<int>{2, 3};
}

xp::Grid make_grid(int dimensions, int ghosts, double lower = -0.5) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  spec.cells = {6, 4, 5};
  for (int a = 0; a < 3; ++a) {
    spec.lower[a] = lower;
    spec.upper[a] = 1;
  }
  spec.ghosts = ghosts;
  return xp::Grid(spec);
}

xp::Program compiled(const std::string& text, int dimensions) {
  xp::Symbols symbols;
  symbols.dimensions = dimensions;
  const xp::Compiled result = xp::compile(text, symbols);
  EXPECT_TRUE(result) << text << ": " << result.error.message;
  return result ? *result.program : xp::Program();
}

// A polynomial of one coordinate: a value, a slope, and how expressions write them.
struct Factor {
  double coefficient[5];

  double operator()(double x) const {
    double sum = 0;
    for (int m = 4; m >= 0; --m) sum = sum * x + coefficient[m];
    return sum;
  }
  std::string text(char x) const {
    std::string sum = "(0";
    for (int m = 0; m < 5; ++m)
      sum += "+(" + std::to_string(coefficient[m]) + ")*" + x + "^" + std::to_string(m);
    return sum + ")";
  }
  std::string slope(char x) const {
    std::string sum = "(0";
    for (int m = 1; m < 5; ++m)
      sum += "+(" + std::to_string(m * coefficient[m]) + ")*" + x + "^" + std::to_string(m - 1);
    return sum + ")";
  }
};

// u = (1 + t) times a factor per axis.
struct Solution {
  int dimensions;
  Factor factors[3];
  bool steady = false;  // without that of time

  double operator()(const double* x, double t) const {
    double product = steady ? 1 : 1 + t;
    for (int a = 0; a < dimensions; ++a) product *= factors[a](x[a]);
    return product;
  }
  std::string text(int derivative = -1) const {
    std::string product = "(1+t)";
    for (int a = 0; a < dimensions; ++a) {
      const char x = xp::letter(static_cast<Axis>(a));
      product += "*" + (a == derivative ? factors[a].slope(x) : factors[a].text(x));
    }
    return product;
  }
};

constexpr Factor linear[3] = {{{1, 0.5, 0, 0, 0}}, {{-0.75, 1, 0, 0, 0}}, {{0.5, -0.25, 0, 0, 0}}};
constexpr Factor quartic[3] = {
    {{1, 0.5, -1, 0.25, 0.5}}, {{-0.75, 1, 0.5, -0.5, 0.25}}, {{0.5, -0.25, 0.75, 1, -0.5}}};

Solution solution_of(int dimensions, Order order) {
  Solution u{dimensions, {}, false};
  for (int a = 0; a < 3; ++a) u.factors[a] = order == Order::second ? linear[a] : quartic[a];
  return u;
}

// The condition that a solution meets at a wall.
BoundaryCondition condition(BoundaryKind kind, const Solution& u, Axis axis, bool upper) {
  BoundaryCondition result;
  result.kind = kind;
  const std::string normal = (upper ? "(" : "-(") + u.text(xp::index(axis)) + ")";
  // Coefficients of robin that change along the wall and in time.
  const std::string along = u.dimensions == 1 ? "x" : axis == Axis::x ? "y" : "x";
  const std::string alpha = "(1+0.5*" + along + "^2+t)", beta = "(0.25+0.125*" + along + ")";
  if (kind == BoundaryKind::dirichlet) result.value = compiled(u.text(), u.dimensions);
  if (kind == BoundaryKind::neumann) result.value = compiled(normal, u.dimensions);
  if (kind == BoundaryKind::robin) {
    result.alpha = compiled(alpha, u.dimensions);
    result.beta = compiled(beta, u.dimensions);
    result.value =
        compiled(alpha + "*(" + u.text() + ")+" + beta + "*(" + normal + ")", u.dimensions);
  }
  return result;
}

// The same with constants, for a solution that changes along that axis only and not in time.
BoundaryCondition constant_condition(BoundaryKind kind, const Solution& u, Axis axis, bool upper,
                                     const xp::Grid& grid) {
  const double wall = upper ? grid.upper(axis) : grid.lower(axis);
  const Factor& f = u.factors[xp::index(axis)];
  double slope = 0;
  for (int m = 4; m > 0; --m) slope = slope * wall + m * f.coefficient[m];
  const double normal = upper ? slope : -slope;
  const auto constant = [](double value) { return xp::Program::of(value); };
  BoundaryCondition result;
  result.kind = kind;
  if (kind == BoundaryKind::dirichlet) result.value = constant(f(wall));
  if (kind == BoundaryKind::neumann) result.value = constant(normal);
  if (kind == BoundaryKind::robin) {
    result.alpha = constant(1.25);
    result.beta = constant(0.375);
    result.value = constant(1.25 * f(wall) + 0.375 * normal);
  }
  return result;
}

// The sum of the absolute weights that ghost cell m = 1, 2, 3 has at most, nearly.
double growth(Order order, int m) {
  return order == Order::second ? 3 : m < 3 ? 64 : 224;
}

// Fills from own cells and compares every cell, ghosts and corners, at two times.
template <class Space, class Real>
void expect_reproduced(const xp::Grid& grid, const BoundaryConditions& conditions, Order order,
                       const Solution& u, const std::string& what) {
  const Space space;
  xp::GhostFiller<Space, Real> filler(grid, conditions, order);
  const auto field = xp_test::make_field<Space, Real>(grid, "u");
  const xp::Box own = grid.cells(Region::own);
  for (const double time : {0., 0.75}) {
    xp_test::set(field, grid, Region::ghosted,
                 [](int, const double*) { return std::numeric_limits<double>::quiet_NaN(); });
    xp_test::set(field, grid, Region::own, [&](int, const double* x) { return u(x, time); });
    filler.fill(space, field.view(), time);
    space.fence();
    const auto host = xp::host_mirror(field);
    // Each axis along which a cell lies outside multiplies rounding errors.
    xp_test::visit(field, grid, Region::ghosted, [&](int, int k, int j, int i, const double* x) {
      const int local[3] = {i, j, k};
      double rounding = 16. * std::numeric_limits<Real>::epsilon();
      for (int a = 0; a < 3; ++a) {
        const int m = std::max(own.lower[a] - local[a], local[a] - own.upper[a] + 1);
        if (m > 0) rounding *= growth(order, m);
      }
      EXPECT_NEAR(static_cast<double>(host(0, k, j, i)), u(x, time), rounding)
          << what << ", order " << static_cast<int>(order) << ", " << grid.ghosts(Axis::x)
          << " ghosts, " << u.dimensions << "-D, cell " << k << " " << j << " " << i << ", time "
          << time;
    });
  }
}

template <class Kind>
class FieldGhosts : public testing::Test {};
TYPED_TEST_SUITE(FieldGhosts, xp_test::AllKinds);

TYPED_TEST(FieldGhosts, WallsReproducePolynomials) {
  for (const Order order : {Order::second, Order::fourth})
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
      for (const BoundaryKind kind :
           {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin}) {
        const Solution u = solution_of(dimensions, order);
        BoundaryConditions conditions;
        for (int a = 0; a < dimensions; ++a)
          for (const bool upper : {false, true})
            conditions[a][upper] = condition(kind, u, static_cast<Axis>(a), upper);
        for (const int ghosts : widths(order))
          expect_reproduced<typename TypeParam::Space, typename TypeParam::Real>(
              make_grid(dimensions, ghosts), conditions, order, u,
              "kind " + std::to_string(static_cast<int>(kind)));
      }
}

TYPED_TEST(FieldGhosts, ConstantWallsReproducePolynomials) {
  for (const Order order : {Order::second, Order::fourth})
    for (const int ghosts : widths(order))
      for (int dimensions = 1; dimensions <= 3; ++dimensions)
        for (int axis = 0; axis < dimensions; ++axis)
          for (const BoundaryKind kind :
               {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin}) {
            const xp::Grid grid = make_grid(dimensions, ghosts);
            Solution u = solution_of(dimensions, order);
            u.steady = true;
            for (int a = 0; a < 3; ++a)
              if (a != axis) u.factors[a] = {{1, 0, 0, 0, 0}};
            BoundaryConditions conditions;
            for (int a = 0; a < dimensions; ++a)
              for (const bool upper : {false, true})
                conditions[a][upper] = constant_condition(a == axis ? kind : BoundaryKind::outflow,
                                                          u, static_cast<Axis>(a), upper, grid);
            expect_reproduced<typename TypeParam::Space, typename TypeParam::Real>(
                grid, conditions, order, u,
                "constant kind " + std::to_string(static_cast<int>(kind)));
          }
}

// A wider layer adds ghost cells and leaves the bits of the others.
TYPED_TEST(FieldGhosts, WiderLayersHoldTheNarrowOnes) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const Order order : {Order::second, Order::fourth})
    for (const bool constant : {false, true})
      for (const bool wrapped : {false, true}) {
        Solution u = solution_of(3, order);
        u.steady = constant;
        if (constant) u.factors[1] = u.factors[2] = {{1, 0, 0, 0, 0}};
        BoundaryConditions conditions;
        const BoundaryKind kinds[3] = {BoundaryKind::robin, BoundaryKind::dirichlet,
                                       BoundaryKind::neumann};
        for (int a = 0; a < 3; ++a)
          for (const bool upper : {false, true}) {
            const Axis axis = static_cast<Axis>(a);
            conditions[a][upper] = constant
                                       ? constant_condition(kinds[(a + upper) % 3], u, axis, upper,
                                                            make_grid(3, xp::ghost_width(order)))
                                       : condition(kinds[(a + upper) % 3], u, axis, upper);
            if (wrapped && a == 1) conditions[a][upper].kind = BoundaryKind::antiperiodic;
          }
        const auto filled = [&](const xp::Grid& grid) {
          const auto field = xp_test::make_field<Space, Real>(grid, "u");
          // Of no interpolant's degree, so that rounding shows.
          xp_test::set(field, grid, Region::own, [&](int, const double* x) {
            return std::sin(3 * x[0] + 2 * x[1]) * std::exp(x[2]);
          });
          xp::GhostFiller<Space, Real>(grid, conditions, order).fill(Space(), field.view(), 0.5);
          Space().fence();
          return xp::host_mirror(field);
        };
        const xp::Grid narrow = make_grid(3, xp::ghost_width(order));
        const xp::Box all = narrow.cells(Region::ghosted);
        const auto expected = filled(narrow);
        for (const int ghosts : widths(order)) {
          const auto found = filled(make_grid(3, ghosts));
          const int more = ghosts - xp::ghost_width(order);
          for (int k = 0; k < all.upper[2]; ++k)
            for (int j = 0; j < all.upper[1]; ++j)
              for (int i = 0; i < all.upper[0]; ++i)
                EXPECT_EQ(found(0, k + more, j + more, i + more), expected(0, k, j, i))
                    << ghosts << " ghosts, cell " << k << " " << j << " " << i;
        }
      }
}

TYPED_TEST(FieldGhosts, KindsCanDifferFromSideToSide) {
  for (const Order order : {Order::second, Order::fourth}) {
    const Solution u = solution_of(3, order);
    BoundaryConditions conditions;
    const BoundaryKind kinds[3] = {BoundaryKind::dirichlet, BoundaryKind::neumann,
                                   BoundaryKind::robin};
    for (int a = 0; a < 3; ++a)
      for (const bool upper : {false, true})
        conditions[a][upper] = condition(kinds[(a + upper) % 3], u, static_cast<Axis>(a), upper);
    for (const int ghosts : widths(order))
      expect_reproduced<typename TypeParam::Space, typename TypeParam::Real>(
          make_grid(3, ghosts), conditions, order, u, "mixed kinds");
  }
}

TYPED_TEST(FieldGhosts, OutflowHasNoSlope) {
  for (const Order order : {Order::second, Order::fourth})
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
      for (int axis = 0; axis < dimensions; ++axis) {
        Solution u = solution_of(dimensions, order);
        // Polynomials without slope at 0 and 1: constants, and 1 + x^2 (1-x)^2.
        u.factors[axis] = order == Order::second ? Factor{{2, 0, 0, 0, 0}}  //
                                                 : Factor{{1, 0, 1, -2, 1}};
        BoundaryConditions conditions;
        for (int a = 0; a < dimensions; ++a)
          for (const bool upper : {false, true})
            conditions[a][upper] =
                condition(a == axis ? BoundaryKind::outflow : BoundaryKind::dirichlet, u,
                          static_cast<Axis>(a), upper);
        for (const int ghosts : widths(order))
          expect_reproduced<typename TypeParam::Space, typename TypeParam::Real>(
              make_grid(dimensions, ghosts, 0), conditions, order, u, "outflow");
      }
}

TYPED_TEST(FieldGhosts, OppositeEndsFollowExactly) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const int ghosts : {1, 2, 3})
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
      for (int antiperiodic = 0; antiperiodic < (1 << dimensions); ++antiperiodic) {
        const Order order = ghosts == 2 ? Order::fourth : Order::second;
        const xp::Grid grid = make_grid(dimensions, ghosts);
        const Solution u = solution_of(dimensions, order);
        BoundaryConditions conditions;
        for (int a = 0; a < dimensions; ++a)
          for (const bool upper : {false, true})
            if (antiperiodic >> a & 1) conditions[a][upper].kind = BoundaryKind::antiperiodic;
        const auto field = xp_test::make_field<Space, Real>(grid, "u");
        xp_test::set(field, grid, Region::own, [&](int, const double* x) { return u(x, 0); });
        xp::GhostFiller<Space, Real>(grid, conditions, order).fill(Space(), field.view(), 0);
        Space().fence();
        const auto host = xp::host_mirror(field);
        const xp::Box own = grid.cells(Region::own);
        xp_test::visit(field, grid, Region::ghosted, [&](int, int k, int j, int i, const double*) {
          int at[3] = {i, j, k};
          Real sign = 1;
          for (int a = 0; a < 3; ++a) {
            const int n = own.size(a);
            if (at[a] >= own.lower[a] && at[a] < own.upper[a]) continue;
            at[a] += at[a] < own.lower[a] ? n : -n;
            if (antiperiodic >> a & 1) sign = -sign;
          }
          EXPECT_EQ(host(0, k, j, i), sign * host(0, at[2], at[1], at[0]))
              << dimensions << "-D, antiperiodic axes " << antiperiodic << ", cell " << k << " "
              << j << " " << i;
        });
      }
}

TYPED_TEST(FieldGhosts, PeriodicEndsBetweenWalls) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  // Along x the ends follow each other, along y there are walls: corners follow along x.
  for (const int ghosts : {1, 2, 3}) {
    const Order order = ghosts == 2 ? Order::fourth : Order::second;
    const xp::Grid grid = make_grid(2, ghosts);
    const Solution u = solution_of(2, order);
    BoundaryConditions conditions;
    for (const bool upper : {false, true}) {
      conditions[1][upper].kind = BoundaryKind::dirichlet;
      conditions[1][upper].value = compiled("2+t", 2);
    }
    const auto field = xp_test::make_field<Space, Real>(grid, "u");
    xp_test::set(field, grid, Region::own, [&](int, const double* x) { return u(x, 0); });
    xp::GhostFiller<Space, Real>(grid, conditions, order).fill(Space(), field.view(), 0.5);
    Space().fence();
    const auto host = xp::host_mirror(field);
    const xp::Box own = grid.cells(Region::own), all = grid.cells(Region::ghosted);
    for (int j = all.lower[1]; j < all.upper[1]; ++j)
      for (int m = 1; m <= grid.ghosts(Axis::x); ++m) {
        EXPECT_EQ(host(0, 0, j, own.lower[0] - m), host(0, 0, j, own.upper[0] - m));
        EXPECT_EQ(host(0, 0, j, own.upper[0] - 1 + m), host(0, 0, j, own.lower[0] - 1 + m));
      }
    if (order == Order::second) {
      for (int i = all.lower[0]; i < all.upper[0]; ++i)
        for (int m = 0; m < ghosts; ++m)
          EXPECT_NEAR(host(0, 0, own.lower[1] - 1 - m, i) + host(0, 0, own.lower[1] + m, i), 5,
                      8. * std::numeric_limits<Real>::epsilon());
    }
  }
}

using Filler = xp::GhostFiller<Kokkos::Serial, double>;

// The message of the Error of kind input that making a filler throws.
std::string refusal(const xp::Grid& grid, const BoundaryConditions& conditions, Order order) {
  try {
    Filler(grid, conditions, order);
  } catch (const xp::Error& error) {
    EXPECT_EQ(error.kind(), xp::ErrorKind::input);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(FieldGhostsRefused, RobinWithoutSolution) {
  for (const Order order : {Order::second, Order::fourth})
    for (const Axis axis : {Axis::x, Axis::y})
      for (const bool upper : {false, true}) {
        const xp::Grid grid = make_grid(2, xp::ghost_width(order));
        const xp::WallStencil s = xp::wall_stencil(order);
        // The ghost cell's weight in alpha*u + beta*du/dn is zero for these two.
        const double alpha = 2, beta = -alpha * s.value[0] / s.derivative[0] * grid.spacing(axis);
        BoundaryConditions conditions;
        BoundaryCondition& robin = conditions[xp::index(axis)][upper];
        robin.kind = BoundaryKind::robin;
        robin.value = xp::Program::of(0);
        robin.alpha = xp::Program::of(alpha);
        robin.beta = xp::Program::of(beta);
        const std::string side = {xp::letter(axis), upper ? '+' : '-'};
        EXPECT_NE(refusal(grid, conditions, order)
                      .find("the robin condition at " + side + " has no solution"),
                  std::string::npos);
        robin.beta = xp::Program::of(-beta);
        EXPECT_EQ(refusal(grid, conditions, order), "nothing was thrown");
        // At second order a ghost cell further out has another weight: that of three spacings.
        robin.beta = xp::Program::of(3 * beta);
        EXPECT_EQ(refusal(grid, conditions, order), "nothing was thrown");
        EXPECT_EQ(refusal(make_grid(2, 3), conditions, order) == "nothing was thrown",
                  order == Order::fourth);
      }
}

TEST(FieldGhostsRefused, TooFewCells) {
  xp::GridSpec spec;
  spec.cells[0] = 3;
  spec.ghosts = 2;
  BoundaryConditions conditions;
  const Solution u = solution_of(1, Order::fourth);
  for (const bool upper : {false, true})
    conditions[0][upper] = condition(BoundaryKind::dirichlet, u, Axis::x, upper);
  EXPECT_EQ(refusal(xp::Grid(spec), conditions, Order::fourth),
            "error: order 4 needs at least 4 cells along x, not 3");
  EXPECT_EQ(refusal(xp::Grid(spec), BoundaryConditions(), Order::fourth), "nothing was thrown");
  // Ghost cells that mirror own ones need as many of them.
  spec.ghosts = 3;
  EXPECT_EQ(refusal(xp::Grid(spec), conditions, Order::second), "nothing was thrown");
  spec.cells[0] = 2;
  for (const BoundaryConditions& all : {conditions, BoundaryConditions()})
    EXPECT_EQ(refusal(xp::Grid(spec), all, Order::second),
              "error: order 2 with 3 ghost cells needs at least 3 cells along x, not 2");
}

TEST(FieldGhostsRefused, WidthsThatDoNotSuitTheOrder) {
  for (const int ghosts : {0, 1, 4})
    EXPECT_THROW(Filler(make_grid(1, ghosts), BoundaryConditions(), Order::fourth),
                 std::invalid_argument);
  EXPECT_THROW(Filler(make_grid(1, 0), BoundaryConditions(), Order::second), std::invalid_argument);
  EXPECT_THROW(Filler(make_grid(1, 4), BoundaryConditions(), Order::second), std::invalid_argument);
}

TEST(WallCells, AreThoseOfTheStencilAndOfTheMirror) {
  for (const int ghosts : {1, 2, 3}) EXPECT_EQ(xp::wall_cells(Order::second, ghosts), ghosts);
  for (const int ghosts : {2, 3}) EXPECT_EQ(xp::wall_cells(Order::fourth, ghosts), 4);
  for (const Order order : {Order::second, Order::fourth})
    EXPECT_EQ(xp::wall_cells(order, xp::ghost_width(order)), xp::wall_stencil(order).points - 1);
}

}  // namespace
