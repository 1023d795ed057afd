// Differential operators as calls: identities of vector calculus, the same bits in every space, and
// arguments that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <xp/operators/measure.hpp>
#include <xp/operators/one_sided.hpp>
#include <xp/operators/operators.hpp>

#include "operators_testing.hpp"

namespace {

using xp::Axis;
using xp::Order;
using xp::Region;
using xp_test::make_field;

xp::Grid make_grid(int dimensions, int ghosts) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  spec.cells = {12, 10, 14};
  spec.upper = {1, 1.5, 0.75};
  spec.periodic = {true, true, true};
  spec.ghosts = ghosts;
  return xp::Grid(spec);
}

// Values without any smoothness, in [-1, 1].
double rough(int c, const double* x) {
  return std::sin(1e4 * (x[0] + 1.7 * x[1] + 2.9 * x[2]) + 5.1 * c);
}

// The rounding of two first differences of values up to 1.
template <class Real>
double rounding(const xp::Grid& grid) {
  const double h = std::min(grid.spacing(Axis::x), grid.spacing(Axis::z));
  return 16 * std::numeric_limits<Real>::epsilon() / (h * h);
}

template <class Space, class Real>
void expect_zero(const xp::Grid& grid, const xp::Field<Space, Real>& field) {
  xp::Measure<Space, Real> measure(grid.cells(Region::own));
  for (int c = 0; c < field.info().components; ++c) {
    const xp::Sums sums = measure.sums(Space(), field.view(c));
    EXPECT_LE(sums.largest, rounding<Real>(grid));
    EXPECT_EQ(sums.not_finite, 0);
  }
}

template <class Kind>
class OperatorsIdentity : public testing::Test {};
TYPED_TEST_SUITE(OperatorsIdentity, xp_test::AllKinds);

TYPED_TEST(OperatorsIdentity, CurlOfGradientVanishes) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const Space space;
  for (const Order order : {Order::second, Order::fourth})
    for (const int dimensions : {2, 3}) {
      const xp::Grid grid = make_grid(dimensions, xp::ghost_width(order));
      const auto u = make_field<Space, Real>(grid, "u");
      const auto gradient = make_field<Space, Real>(grid, "gradient", dimensions);
      const auto curl = make_field<Space, Real>(grid, "curl", dimensions == 2 ? 1 : 3);
      xp_test::set(u, grid, Region::own, rough);
      xp_test::fill_periodic(grid, order, u);
      xp::gradient(space, grid, order, u, gradient);
      xp_test::fill_periodic(grid, order, gradient);
      xp::curl(space, grid, order, gradient, curl);
      expect_zero(grid, curl);
    }
}

TYPED_TEST(OperatorsIdentity, DivergenceOfCurlVanishes) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const Space space;
  for (const Order order : {Order::second, Order::fourth}) {
    const xp::Grid grid = make_grid(3, xp::ghost_width(order));
    const auto vector = make_field<Space, Real>(grid, "vector", 3);
    const auto curl = make_field<Space, Real>(grid, "curl", 3);
    const auto divergence = make_field<Space, Real>(grid, "divergence");
    xp_test::set(vector, grid, Region::own, rough);
    xp_test::fill_periodic(grid, order, vector);
    xp::curl(space, grid, order, vector, curl);
    xp_test::fill_periodic(grid, order, curl);
    xp::divergence(space, grid, order, curl, divergence);
    expect_zero(grid, divergence);
  }
}

// A function of its own, since CUDA allows no kernel in a test's body.
template <class Space, class View>
void copy_cells(const Space& space, const xp::Grid& grid, const View& from, const View& to) {
  xp::for_each(
      space, "copy", grid.cells(Region::own),
      KOKKOS_LAMBDA(int k, int j, int i) { to(k, j, i) = from(k, j, i); });
}

TYPED_TEST(OperatorsIdentity, MixedDerivativesCommuteAndAreProductsOfFirstOnes) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const Space space;
  for (const Order order : {Order::second, Order::fourth}) {
    const xp::Grid grid = make_grid(3, xp::ghost_width(order));
    const auto u = make_field<Space, Real>(grid, "u");
    const auto gradient = make_field<Space, Real>(grid, "gradient", 3);
    const auto z = make_field<Space, Real>(grid, "du/dz");
    const auto again = make_field<Space, Real>(grid, "gradient of du/dz", 3);
    const auto xz = make_field<Space, Real>(grid, "xz"), zx = make_field<Space, Real>(grid, "zx");
    xp_test::set(u, grid, Region::own, rough);
    xp_test::fill_periodic(grid, order, u);
    xp::gradient(space, grid, order, u, gradient);
    copy_cells(space, grid, gradient.view(2), z.view());
    xp_test::fill_periodic(grid, order, z);
    xp::gradient(space, grid, order, z, again);
    xp::mixed_derivative(space, grid, order, Axis::x, Axis::z, u, xz);
    xp::mixed_derivative(space, grid, order, Axis::z, Axis::x, u, zx);
    xp::Measure<Space, Real> measure(grid.cells(Region::own));
    EXPECT_LE(measure.difference(space, xz.view(), zx.view()).largest, rounding<Real>(grid));
    EXPECT_LE(measure.difference(space, xz.view(), again.view()).largest, rounding<Real>(grid));
    EXPECT_GT(measure.sums(space, xz.view()).largest, 1);
  }
}

TYPED_TEST(OperatorsIdentity, GhostCellsOfTheResultAreLeftAlone) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const xp::Grid grid = make_grid(3, 2);
  const auto u = make_field<Space, Real>(grid, "u"), result = make_field<Space, Real>(grid, "r");
  xp_test::set(result, grid, Region::ghosted, [](int, const double*) { return 7; });
  xp::laplacian(Space(), grid, Order::fourth, u, result);
  Space().fence();
  const auto host = xp::host_mirror(result);
  const xp::Box own = grid.cells(Region::own);
  xp_test::visit(result, grid, Region::ghosted, [&](int, int k, int j, int i, const double*) {
    EXPECT_EQ(host(0, k, j, i), own.contains(k, j, i) ? 0 : 7);
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
template <class Space>
auto rough_laplacian(const xp::Grid& grid) {
  const auto u = make_field<Space, double>(grid, "u"),
             result = make_field<Space, double>(grid, "r");
  xp_test::set(u, grid, Region::ghosted, rough);
  xp::laplacian(Space(), grid, Order::fourth, u, result);
  Space().fence();
  return result;
}

TEST(OperatorsCalls, SameBitsOnSerialAndOpenMP) {
  const xp::Grid grid = make_grid(3, 2);
  const auto serial = rough_laplacian<Kokkos::Serial>(grid);
  const auto openmp = rough_laplacian<Kokkos::OpenMP>(grid);
  const auto a = xp::host_mirror(serial), b = xp::host_mirror(openmp);
  xp_test::visit(serial, grid, Region::own, [&](int, int k, int j, int i, const double*) {
    EXPECT_EQ(a(0, k, j, i), b(0, k, j, i));
  });
}

template <class Space, class FieldType>
concept gradient_takes = requires(const Space& space, const xp::Grid& grid, const FieldType& f) {
  xp::gradient(space, grid, Order::second, f, f);
};
static_assert(gradient_takes<Kokkos::Serial, xp::Field<Kokkos::Serial, double>>);
static_assert(!gradient_takes<Kokkos::Serial, xp::Field<Kokkos::OpenMP, double>>,
              "fields in another space than the call's do not compile");
#endif

// The message of the std::invalid_argument that a call throws.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(OperatorsCalls, RefuseTooFewGhostCells) {
  const xp::Grid grid = make_grid(2, 1);
  const auto u = make_field<Kokkos::Serial, double>(grid, "u"),
             r = make_field<Kokkos::Serial, double>(grid, "r");
  EXPECT_EQ(refusal([&] { xp::laplacian(Kokkos::Serial(), grid, Order::fourth, u, r); }),
            "laplacian: order 4 reads 2 ghost cells on each side, the grid has 1");
  const xp::Grid none = make_grid(2, 0);
  EXPECT_EQ(refusal([&] { xp::laplacian(Kokkos::Serial(), none, Order::second, u, r); }),
            "laplacian: order 2 reads 1 ghost cells on each side, the grid has 0");
}

TEST(OperatorsCalls, RefuseOtherShapes) {
  const xp::Grid grid = make_grid(2, 1);
  const auto u = make_field<Kokkos::Serial, double>(grid, "u");
  const auto bare = make_field<Kokkos::Serial, double>(grid, "bare", 1, false);
  const auto two = make_field<Kokkos::Serial, double>(grid, "two", 2);
  const xp::Field<Kokkos::Serial, double> empty;
  const std::string ghosted = "component(s) over the grid's cells with ghosts";
  EXPECT_EQ(refusal([&] { xp::gradient(Kokkos::Serial(), grid, Order::second, u, u); }),
            "gradient: the field 'u' does not have 2 " + ghosted);
  EXPECT_EQ(refusal([&] { xp::gradient(Kokkos::Serial(), grid, Order::second, bare, two); }),
            "gradient: the field 'bare' does not have 1 " + ghosted);
  EXPECT_EQ(refusal([&] { xp::divergence(Kokkos::Serial(), grid, Order::second, u, u); }),
            "divergence: the field 'u' does not have 2 " + ghosted);
  EXPECT_EQ(refusal([&] { xp::curl(Kokkos::Serial(), grid, Order::second, two, two); }),
            "curl: the field 'two' does not have 1 " + ghosted);
  EXPECT_EQ(refusal([&] { xp::laplacian(Kokkos::Serial(), grid, Order::second, u, empty); }),
            "laplacian: the field '' does not have 1 " + ghosted);
  EXPECT_EQ(refusal([&] {
              xp::mixed_derivative(Kokkos::Serial(), grid, Order::second, Axis::x, Axis::z, u, u);
            }),
            "mixed_derivative: the grid has no axis z");
  const xp::Grid line = make_grid(1, 1);
  EXPECT_EQ(refusal([&] { xp::curl(Kokkos::Serial(), line, Order::second, u, u); }),
            "curl: a grid with one dimension has none");
}

TEST(OperatorsCalls, RefuseResultsThatShareMemory) {
  const xp::Grid grid = make_grid(2, 1);
  const auto u = make_field<Kokkos::Serial, double>(grid, "u");
  const xp::Field<Kokkos::Serial, double> same = u;
  EXPECT_EQ(refusal([&] { xp::laplacian(Kokkos::Serial(), grid, Order::second, u, same); }),
            "laplacian: the fields 'u' and 'u' share memory");
  const xp::Grid line = make_grid(1, 1);
  const auto bare = make_field<Kokkos::Serial, double>(line, "bare", 1, false);
  EXPECT_EQ(refusal([&] { xp::gradient_one_sided(Kokkos::Serial(), line, bare, 1, bare); }),
            "gradient_one_sided: the fields 'bare' and 'bare' share memory");
}

}  // namespace
