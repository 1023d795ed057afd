// Norms, integrals and extrema: known functions, ghost cells that do not count, values that are not
// finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <xp/operators/norms.hpp>

#include "operators_testing.hpp"

namespace {

using xp::Region;
using xp_test::make_field;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

xp::Grid make_grid(std::int64_t nx = 8, std::int64_t ny = 4) {
  xp::GridSpec spec;
  spec.dimensions = 2;
  spec.cells = {nx, ny, 1};
  spec.upper = {2, 0.5, 1};
  spec.ghosts = 2;
  return xp::Grid(spec);
}

// A field whose ghost cells are NaN.
template <class Space, class Real, class F>
auto field_of(const xp::Grid& grid, const F& f, int components = 1) {
  const auto field = make_field<Space, Real>(grid, "u", components);
  xp_test::set(field, grid, Region::ghosted, [](int, const double*) { return not_a_number; });
  xp_test::set(field, grid, Region::own, f);
  return field;
}

template <class Kind>
class OperatorsNorms : public testing::Test {
 public:
  typename Kind::Space space;
  xp::Grid grid = make_grid();
  xp::Measure<typename Kind::Space, typename Kind::Real> measure{grid.cells(Region::own)};
};
TYPED_TEST_SUITE(OperatorsNorms, xp_test::AllKinds);

TYPED_TEST(OperatorsNorms, OfAConstant) {
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int, const double*) { return -3; });
  EXPECT_EQ(xp::integral(this->space, this->measure, this->grid, u), -3);
  EXPECT_EQ(xp::mean(this->space, this->measure, u), -3);
  EXPECT_EQ(xp::norm_l1(this->space, this->measure, u), 3);
  EXPECT_EQ(xp::norm_l2(this->space, this->measure, u), 3);
  EXPECT_EQ(xp::norm_linf(this->space, this->measure, u), 3);
  EXPECT_EQ(xp::minimum(this->space, this->measure, u), -3);
  EXPECT_EQ(xp::maximum(this->space, this->measure, u), -3);
}

TYPED_TEST(OperatorsNorms, OfALinearFunction) {
  // x - 1 at midpoints of [0, 2]: the mean of the squares is 1/3 - spacing^2/12.
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int, const double* x) { return x[0] - 1; });
  EXPECT_EQ(xp::integral(this->space, this->measure, this->grid, u), 0);
  EXPECT_EQ(xp::mean(this->space, this->measure, u), 0);
  EXPECT_EQ(xp::norm_l1(this->space, this->measure, u), 0.5);
  EXPECT_DOUBLE_EQ(xp::norm_l2(this->space, this->measure, u),
                   std::sqrt(1. / 3 - 0.25 * 0.25 / 12));
  EXPECT_EQ(xp::norm_linf(this->space, this->measure, u), 0.875);
  EXPECT_EQ(xp::minimum(this->space, this->measure, u), -0.875);
  EXPECT_EQ(xp::maximum(this->space, this->measure, u), 0.875);
}

TYPED_TEST(OperatorsNorms, OfComponents) {
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int c, const double* x) { return c == 0 ? 5 : x[1]; }, 2);
  EXPECT_EQ(xp::mean(this->space, this->measure, u, 0), 5);
  EXPECT_EQ(xp::mean(this->space, this->measure, u, 1), 0.25);
  EXPECT_EQ(xp::integral(this->space, this->measure, this->grid, u, 1), 0.25);
  EXPECT_EQ(xp::maximum(this->space, this->measure, u, 1), 0.4375);
  EXPECT_THROW(xp::mean(this->space, this->measure, u, 2), std::invalid_argument);
  EXPECT_THROW(xp::mean(this->space, this->measure, u, -1), std::invalid_argument);
}

TYPED_TEST(OperatorsNorms, RefuseAFieldWithoutTheMeasuredCells) {
  using Space = typename TypeParam::Space;
  const auto bare = make_field<Space, typename TypeParam::Real>(this->grid, "bare", 1, false);
  EXPECT_THROW(xp::mean(this->space, this->measure, bare), std::invalid_argument);
}

TYPED_TEST(OperatorsNorms, ANotANumberIsSeenInEveryResult) {
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int, const double* x) {
        return x[0] > 1 && x[0] < 1.25 && x[1] > 0.375 ? not_a_number : x[0];
      });
  EXPECT_TRUE(std::isnan(xp::integral(this->space, this->measure, this->grid, u)));
  EXPECT_TRUE(std::isnan(xp::mean(this->space, this->measure, u)));
  EXPECT_TRUE(std::isnan(xp::norm_l1(this->space, this->measure, u)));
  EXPECT_TRUE(std::isnan(xp::norm_l2(this->space, this->measure, u)));
  EXPECT_TRUE(std::isnan(xp::norm_linf(this->space, this->measure, u)));
  EXPECT_TRUE(std::isnan(xp::minimum(this->space, this->measure, u)));
  EXPECT_TRUE(std::isnan(xp::maximum(this->space, this->measure, u)));
  const xp::Sums sums = this->measure.sums(this->space, u.view());
  EXPECT_EQ(sums.not_finite, 1);
  EXPECT_EQ(sums.min, 0.125);  // of the finite values
  EXPECT_EQ(sums.max, 1.875);
}

TYPED_TEST(OperatorsNorms, AnInfinityIsSeenInEveryResult) {
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int, const double* x) { return x[0] < 0.25 ? -infinity : x[0]; });
  EXPECT_EQ(xp::mean(this->space, this->measure, u), -infinity);
  EXPECT_EQ(xp::norm_l1(this->space, this->measure, u), infinity);
  EXPECT_EQ(xp::norm_l2(this->space, this->measure, u), infinity);
  EXPECT_EQ(xp::norm_linf(this->space, this->measure, u), infinity);
  EXPECT_TRUE(std::isnan(xp::minimum(this->space, this->measure, u)));
  EXPECT_EQ(this->measure.sums(this->space, u.view()).not_finite, 4);
}

TYPED_TEST(OperatorsNorms, DifferencesSeeNotANumberToo) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const auto a = field_of<Space, Real>(this->grid, [](int, const double* x) { return x[0]; });
  const auto b = field_of<Space, Real>(
      this->grid, [](int, const double* x) { return x[0] < 0.25 ? not_a_number : x[0] - 0.5; });
  const xp::Sums sums = this->measure.difference(this->space, a.view(), b.view());
  EXPECT_EQ(sums.not_finite, 4);
  EXPECT_TRUE(std::isnan(sums.largest));
  EXPECT_EQ(sums.min, 0.5);
  EXPECT_EQ(sums.max, 0.5);
}

TYPED_TEST(OperatorsNorms, SumsAreMadeInDouble) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const xp::Grid large = make_grid(512, 256);
  xp::Measure<Space, Real> whole(large.cells(Region::own));
  const auto u = field_of<Space, Real>(large, [](int, const double*) { return 0.1; });
  EXPECT_NEAR(xp::mean(this->space, whole, u), static_cast<double>(Real(0.1)), 1e-13);
}

TYPED_TEST(OperatorsNorms, OnlyOneScalarCrossesToTheHost) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const auto u = field_of<Space, Real>(this->grid, [](int, const double* x) { return x[0]; });
  const xp::Transfers before = xp::transfers();
  {
    const xp::ForbidTransfers forbidden;
    xp::norm_l2(this->space, this->measure, u);
  }
  const xp::Transfers after = xp::transfers();
  EXPECT_EQ(after.scalars_to_host.count, before.scalars_to_host.count + 1);
  EXPECT_EQ(after.to_host.count, before.to_host.count);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(OperatorsNormsBits, SameOnSerialAndOpenMP) {
  const xp::Grid grid = make_grid(300, 100);
  const auto wave = [](int, const double* x) { return std::sin(40 * x[0] + 70 * x[1]); };
  const auto a = field_of<Kokkos::Serial, double>(grid, wave);
  const auto b = field_of<Kokkos::OpenMP, double>(grid, wave);
  xp::Measure<Kokkos::Serial, double> serial(grid.cells(Region::own));
  xp::Measure<Kokkos::OpenMP, double> openmp(grid.cells(Region::own));
  EXPECT_EQ(xp::mean(Kokkos::Serial(), serial, a), xp::mean(Kokkos::OpenMP(), openmp, b));
  EXPECT_EQ(xp::norm_l2(Kokkos::Serial(), serial, a), xp::norm_l2(Kokkos::OpenMP(), openmp, b));
}
#endif

}  // namespace
