// Norms, integrals and extrema: known functions, ghost cells that do not count, values that are not
// finite.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

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

TYPED_TEST(OperatorsNorms, OnlyWhatIsAskedFor) {
  using xp::Want;
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [](int, const double* x) { return x[0] - 1.5; });
  const auto sums = [&](Want want) { return this->measure.sums(this->space, u.view(), want); };
  const xp::Sums all = sums(Want::all);
  EXPECT_EQ(all.sum, -16);
  EXPECT_EQ(all.largest, 1.375);
  EXPECT_EQ(sums(Want::nothing).count, 32);
  EXPECT_EQ(sums(Want::nothing).sum, 0);
  EXPECT_EQ(sums(Want::sum).sum, all.sum);
  EXPECT_EQ(sums(Want::sum).sum_abs, 0);
  EXPECT_EQ(sums(Want::sum).largest, 0);
  EXPECT_EQ(sums(Want::sum_abs).sum_abs, all.sum_abs);
  EXPECT_EQ(sums(Want::sum_square | Want::extrema).sum_square, all.sum_square);
  EXPECT_EQ(sums(Want::sum_square | Want::extrema).min, all.min);
  EXPECT_EQ(sums(Want::largest).largest, all.largest);
  EXPECT_EQ(sums(Want::largest).max, -DBL_MAX);
}

TYPED_TEST(OperatorsNorms, NotFiniteIsCountedWhateverIsAskedFor) {
  using xp::Want;
  // Squares that overflow are of finite values.
  const double large = sizeof(typename TypeParam::Real) == sizeof(double) ? 1e200 : 1e30;
  const auto u = field_of<typename TypeParam::Space, typename TypeParam::Real>(
      this->grid, [=](int, const double* x) {
        return x[0] < 0.25 ? not_a_number : x[0] < 0.5 ? infinity : large;
      });
  for (const Want want : {Want::nothing, Want::extrema, Want::largest, Want::sum, Want::sum_abs,
                          Want::sum_square, Want::all})
    EXPECT_EQ(this->measure.sums(this->space, u.view(), want).not_finite, 8);
}

TYPED_TEST(OperatorsNorms, DotProduct) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const auto a = field_of<Space, Real>(this->grid, [](int, const double* x) { return x[0]; });
  const auto b = field_of<Space, Real>(this->grid, [](int, const double* x) { return x[1] - 1; });
  // The mean of x is 1, that of y is 1/4, over 32 cells.
  EXPECT_EQ(xp::dot(this->space, this->measure, a, b), -24);
  EXPECT_EQ(xp::dot(this->space, this->measure, a, a),
            this->measure.sums(this->space, a.view()).sum_square);
  EXPECT_THROW(xp::dot(this->space, this->measure, a, b, 1), std::invalid_argument);
}

// A wave with large and small values, so that sums depend on their order where they can.
double wave(int, const double* x) {
  return std::sin(40 * x[0] + 70 * x[1]) * std::exp(30 * x[0] - 20);
}

std::vector<double> numbers(const xp::Sums& sums) {
  return {sums.min, sums.max, sums.largest, sums.sum, sums.sum_abs, sums.sum_square};
}

template <class Kind>
class OperatorsNormsBits : public testing::Test {};
TYPED_TEST_SUITE(OperatorsNormsBits, xp_test::AllKinds);

TYPED_TEST(OperatorsNormsBits, SameBitsInEveryOrderOfRowsAndCells) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  constexpr int nx = 300, ny = 100;
  const xp::Grid grid = make_grid(nx, ny);
  xp::Measure<Space, Real> measure(grid.cells(Region::own));
  const auto u = field_of<Space, Real>(grid, wave);
  const auto turned = make_field<Space, Real>(grid, "turned");
  const auto from = xp::host_mirror(u), to = xp::host_mirror(turned);
  for (int n = 0; n < nx * ny; ++n) {
    const int m = (n * 7919 + 13) % (nx * ny);  // prime to the number of cells
    to(0, 0, 2 + m / nx, 2 + m % nx) = from(0, 0, 2 + n / nx, 2 + n % nx);
  }
  xp::to_device(to, turned);
  EXPECT_EQ(numbers(measure.sums(Space(), u.view())),
            numbers(measure.sums(Space(), turned.view())));
}

TYPED_TEST(OperatorsNormsBits, SameBitsAsTheValuesOneByOne) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const xp::Grid grid = make_grid(301, 103);
  xp::Measure<Space, Real> measure(grid.cells(Region::own));
  const auto u = field_of<Space, Real>(grid, wave);
  const auto host = xp::host_mirror(u);
  xp::detail::PartialSums sums;
  for (int j = 104; j >= 2; --j)
    for (int i = 2; i < 303; ++i) sums.add(static_cast<double>(host(0, 0, j, i)), xp::Want::all);
  EXPECT_EQ(numbers(measure.sums(Space(), u.view())), numbers(sums.finished()));
}

TYPED_TEST(OperatorsNormsBits, ARowThatIsCutHasTheBitsOfABox) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const auto value = [](int n) { return std::sin(0.37 * n) * std::exp2(n % 61); };
  const auto sums_in = [&](std::int64_t nx, std::int64_t ny) {
    const xp::Grid grid = make_grid(nx, ny);
    const auto u = make_field<Space, Real>(grid, "u");
    const auto host = xp::host_mirror(u);
    for (int n = 0; n < nx * ny; ++n)
      host(0, 0, 2 + n / static_cast<int>(nx), 2 + n % static_cast<int>(nx)) =
          static_cast<Real>(value(n));
    xp::to_device(host, u);
    xp::Measure<Space, Real> measure(grid.cells(Region::own));
    return numbers(measure.sums(Space(), u.view()));
  };
  EXPECT_EQ(sums_in(12000, 1), sums_in(100, 120));
  EXPECT_EQ(sums_in(12000, 1), sums_in(1, 12000));
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(OperatorsNormsBackends, SameBitsOnSerialAndOpenMP) {
  const xp::Grid grid = make_grid(300, 100);
  const auto a = field_of<Kokkos::Serial, double>(grid, wave);
  const auto b = field_of<Kokkos::OpenMP, double>(grid, wave);
  xp::Measure<Kokkos::Serial, double> serial(grid.cells(Region::own));
  xp::Measure<Kokkos::OpenMP, double> openmp(grid.cells(Region::own));
  EXPECT_EQ(numbers(serial.sums(Kokkos::Serial(), a.view())),
            numbers(openmp.sums(Kokkos::OpenMP(), b.view())));
  EXPECT_EQ(xp::dot(Kokkos::Serial(), serial, a, a), xp::dot(Kokkos::OpenMP(), openmp, b, b));
}
#endif

}  // namespace
