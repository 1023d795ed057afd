// The one-sided gradient against results of numpy.gradient 1.24. All numbers are exact in binary,
// in float too, so that the comparison is.
#include <gtest/gtest.h>

#include <stdexcept>

#include <xp/operators/one_sided.hpp>

#include "operators_testing.hpp"

namespace {

using xp::Region;
using xp_test::make_field;

// numpy.gradient(x**3 - 2*y**2*x + z**2*y + 0.5*z, dz, dy, dx, edge_order=...) at the centres of
// 3 x 3 x 4 cells of [0, 1.5] x [-1, 0.5] x [2, 3] in (z, y, x).
// clang-format off
// edge_order 1: d/dx, d/dy, d/dz, each in the order (z, y, x).
const double edge_order_1[3][36] = {{14.078125, 15.859375, 19.609375, 21.578125, 15.078125, 16.859375, 20.609375, 22.578125, 15.078125, 16.859375, 20.609375, 22.578125, 14.078125, 15.859375, 19.609375, 21.578125, 15.078125, 16.859375, 20.609375, 22.578125, 15.078125, 16.859375, 20.609375, 22.578125, 14.078125, 15.859375, 19.609375, 21.578125, 15.078125, 16.859375, 20.609375, 22.578125, 15.078125, 16.859375, 20.609375, 22.578125},
    {4.3125, 4.8125, 5.3125, 5.8125, 2.1875, 2.4375, 2.6875, 2.9375, 0.0625, 0.0625, 0.0625, 0.0625, 4.8125, 5.3125, 5.8125, 6.3125, 2.6875, 2.9375, 3.1875, 3.4375, 0.5625, 0.5625, 0.5625, 0.5625, 5.8125, 6.3125, 6.8125, 7.3125, 3.6875, 3.9375, 4.1875, 4.4375, 1.5625, 1.5625, 1.5625, 1.5625},
    {-0.25, -0.25, -0.25, -0.25, 0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75, -0.625, -0.625, -0.625, -0.625, 0.125, 0.125, 0.125, 0.125, 0.875, 0.875, 0.875, 0.875, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1}};
// edge_order 2: d/dx, d/dy, d/dz, each in the order (z, y, x).
const double edge_order_2[3][36] = {{12.296875, 15.859375, 19.609375, 23.546875, 13.296875, 16.859375, 20.609375, 24.546875, 13.296875, 16.859375, 20.609375, 24.546875, 12.296875, 15.859375, 19.609375, 23.546875, 13.296875, 16.859375, 20.609375, 24.546875, 13.296875, 16.859375, 20.609375, 24.546875, 12.296875, 15.859375, 19.609375, 23.546875, 13.296875, 16.859375, 20.609375, 24.546875, 13.296875, 16.859375, 20.609375, 24.546875},
    {6.4375, 7.1875, 7.9375, 8.6875, 2.1875, 2.4375, 2.6875, 2.9375, -2.0625, -2.3125, -2.5625, -2.8125, 6.9375, 7.6875, 8.4375, 9.1875, 2.6875, 2.9375, 3.1875, 3.4375, -1.5625, -1.8125, -2.0625, -2.3125, 7.9375, 8.6875, 9.4375, 10.1875, 3.6875, 3.9375, 4.1875, 4.4375, -0.5625, -0.8125, -1.0625, -1.3125},
    {0.125, 0.125, 0.125, 0.125, 0.375, 0.375, 0.375, 0.375, 0.625, 0.625, 0.625, 0.625, -0.625, -0.625, -0.625, -0.625, 0.125, 0.125, 0.125, 0.125, 0.875, 0.875, 0.875, 0.875, -1.375, -1.375, -1.375, -1.375, -0.125, -0.125, -0.125, -0.125, 1.125, 1.125, 1.125, 1.125}};
// clang-format on
const double line_edge_order_1[6] = {4, 6, 10, 14, 19, 22};
const double line_edge_order_2[6] = {2, 6, 10, 14, 19, 25};

xp::Grid box_grid(int ghosts) {
  xp::GridSpec spec;
  spec.dimensions = 3;
  spec.cells = {4, 3, 3};
  spec.lower = {2, -1, 0};
  spec.upper = {3, 0.5, 1.5};
  spec.ghosts = ghosts;
  return xp::Grid(spec);
}

xp::Grid line_grid(int cells) {
  xp::GridSpec spec;
  spec.cells[0] = cells;
  spec.upper[0] = 0.25 * cells;
  return xp::Grid(spec);
}

template <class Kind>
class OperatorsOneSided : public testing::Test {};
TYPED_TEST_SUITE(OperatorsOneSided, xp_test::AllKinds);

TYPED_TEST(OperatorsOneSided, EqualsNumpyInABox) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const int ghosts : {0, 2}) {
    const xp::Grid grid = box_grid(ghosts);
    const auto u = make_field<Space, Real>(grid, "u", 1, false);
    const auto result = make_field<Space, Real>(grid, "result", 3, false);
    xp_test::set(u, grid, Region::own, [](int, const double* x) {
      return x[0] * x[0] * x[0] - 2 * x[1] * x[1] * x[0] + x[2] * x[2] * x[1] + 0.5 * x[2];
    });
    for (const int edge_order : {1, 2}) {
      xp::gradient_one_sided(Space(), grid, u, edge_order, result);
      Space().fence();
      const auto host = xp::host_mirror(result);
      xp_test::visit(result, grid, Region::own, [&](int c, int k, int j, int i, const double*) {
        const auto& numpy = edge_order == 1 ? edge_order_1 : edge_order_2;
        EXPECT_EQ(static_cast<double>(host(c, k, j, i)), numpy[c][(k * 3 + j) * 4 + i])
            << "edge_order " << edge_order << ", component " << c << " at " << k << " " << j << " "
            << i;
      });
    }
  }
}

TYPED_TEST(OperatorsOneSided, EqualsNumpyOnALine) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const xp::Grid grid = line_grid(6);
  const auto u = make_field<Space, Real>(grid, "u", 1, false);
  const auto result = make_field<Space, Real>(grid, "result", 1, false);
  const double values[6] = {1, 2, 4, 7, 11, 16.5};
  xp_test::set(u, grid, Region::own,
               [&](int, const double* x) { return values[static_cast<int>(x[0] / 0.25)]; });
  for (const int edge_order : {1, 2}) {
    xp::gradient_one_sided(Space(), grid, u, edge_order, result);
    Space().fence();
    const auto host = xp::host_mirror(result);
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(static_cast<double>(host(0, 0, 0, i)),
                (edge_order == 1 ? line_edge_order_1 : line_edge_order_2)[i]);
  }
}

TYPED_TEST(OperatorsOneSided, FewestCells) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const xp::Grid grid = line_grid(2);
  const auto u = make_field<Space, Real>(grid, "u", 1, false);
  const auto result = make_field<Space, Real>(grid, "result", 1, false);
  xp_test::set(u, grid, Region::own, [](int, const double* x) { return 8 * x[0]; });
  xp::gradient_one_sided(Space(), grid, u, 1, result);
  Space().fence();
  const auto host = xp::host_mirror(result);
  EXPECT_EQ(host(0, 0, 0, 0), 8);
  EXPECT_EQ(host(0, 0, 0, 1), 8);
  EXPECT_THROW(xp::gradient_one_sided(Space(), grid, u, 2, result), std::invalid_argument);
  EXPECT_THROW(xp::gradient_one_sided(Space(), grid, u, 3, result), std::invalid_argument);
  const auto ghosted = make_field<Space, Real>(grid, "ghosted");
  EXPECT_THROW(xp::gradient_one_sided(Space(), grid, ghosted, 1, result), std::invalid_argument);
}

}  // namespace
