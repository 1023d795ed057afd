// Tridiagonal systems along lines: against dense elimination, the residual of the operator with
// filled ghost cells, solutions that are known, and what has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <xp/runtime/error.hpp>

#include "operators_testing.hpp"
#include "tridiagonal_testing.hpp"

extern "C" long heap_allocations(void);  // heap_counter.c

namespace {

using xp::Axis;
using xp_test::LineCase;
using xp_test::LineProblem;

const xp::Communicator& alone() {
  static const xp::Communicator communicator(MPI_COMM_SELF);
  return communicator;
}
const xp::Decomposition whole(const LineCase& of) {
  return xp::Decomposition(LineProblem<Kokkos::Serial, double>::spec_of(of), {1, 1, 1});
}

template <class Kind>
class Tridiagonal : public testing::Test {};
TYPED_TEST_SUITE(Tridiagonal, xp_test::AllKinds);
template <class Kind>
class TridiagonalDouble : public testing::Test {};
TYPED_TEST_SUITE(TridiagonalDouble, xp_test::DoubleKinds);

// The largest |shift u + scale operator(u) - f| over the size of its terms.
template <class Space, class Real>
double residual(LineProblem<Space, Real>& problem) {
  const LineCase& that = problem.that;
  const xp::Box own = problem.grid.cells(xp::Region::own);
  problem.ghosts.fill(Space(), problem.u.view(), problem.time);
  // Other axes out of the operator: its betas there are 0.
  xp::EllipticOperator<Space, Real> op = problem.op;
  std::vector<xp::Field<Space, Real>> faces;
  if (!that.varies) {
    op.coefficients = xp::Coefficients::faces;
    for (const Axis axis : xp::all_axes) {
      if (!problem.grid.exists(axis)) continue;
      faces.push_back(problem.array());
      if (axis == that.axis)
        problem.set(faces.back(), problem.grid.faces(axis), xp::index(axis),
                    [&](auto...) { return op.beta; });
      op.faces[xp::index(axis)] = faces.back().view();
    }
  }
  const xp::Field<Space, Real> value = problem.array();
  op.apply(Space(), problem.grid, problem.u.view(), value.view());
  const auto u = xp::host_mirror(problem.u), f = xp::host_mirror(problem.f),
             v = xp::host_mirror(value);
  const double h = problem.grid.spacing(that.axis);
  double worst = 0, size = 0;
  for (int k = own.lower[2]; k < own.upper[2]; ++k)
    for (int j = own.lower[1]; j < own.upper[1]; ++j)
      for (int i = own.lower[0]; i < own.upper[0]; ++i) {
        const double here = static_cast<double>(u(0, k, j, i));
        const double rest = that.shift * here + that.scale * static_cast<double>(v(0, k, j, i)) -
                            static_cast<double>(f(0, k, j, i));
        worst = rest == rest ? std::max(worst, std::abs(rest)) : 1e300;
        size = std::max(size, std::abs(here) * 4 * 1.5 * that.scale / (h * h));
      }
  EXPECT_GT(size, 0);
  return worst / size;
}

TYPED_TEST(Tridiagonal, SolveTheOperatorWithFilledGhosts) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  const std::vector<std::vector<std::int64_t>> grids = {
      {1}, {2}, {41}, {1500}, {37, 29}, {8, 16}, {300, 5}, {13, 21, 18}, {150, 3, 4}};
  for (const auto& cells : grids)
    for (int a = 0; a < static_cast<int>(cells.size()); ++a)
      for (const char* letters : {"dd", "nn", "rr", "dn", "rd", "vv", "nv", "pp", "aa"})
        for (const bool varies : {false, true}) {
          const LineCase that{cells, static_cast<Axis>(a), letters, varies};
          LineProblem<Space, Real> problem(that, whole(that), alone());
          problem.solve();
          EXPECT_LE(residual(problem), sizeof(Real) == 8 ? 4e-16 : 2e-7)
              << letters << " axis " << a << " of " << cells[0] << " " << cells.size() << "-D "
              << varies;
        }
}

// Gauss' elimination with pivoting in long double.
std::vector<double> dense_solution(std::vector<std::vector<long double>> a,
                                   std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    std::swap(a[c], a[best]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const long double factor = a[r][c] / a[c][c];
      for (std::size_t m = c; m < n; ++m) a[r][m] -= factor * a[c][m];
      b[r] -= factor * b[c];
    }
  }
  std::vector<double> x(n);
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t m = c + 1; m < n; ++m) b[c] -= a[c][m] * static_cast<long double>(x[m]);
    x[c] = static_cast<double>(b[c] / a[c][c]);
  }
  return x;
}

// The ghost cell as value and weight of the first cell, from the conditions of conditions_of().
std::pair<long double, long double> ghost_of(char letter, long double value, long double h) {
  if (letter == 'd') return {2 * value, -1};
  if (letter == 'n') return {h * value, 1};
  return {value / (1 + 1 / h), -(1 - 1 / h) / (1 + 1 / h)};  // 2 u + du/dn
}

TYPED_TEST(TridiagonalDouble, AgreeWithDenseElimination) {
  using Space = typename TypeParam::Space;
  for (const char* letters : {"dd", "nn", "rr", "nd", "pp", "aa"})
    for (const std::int64_t n : {1, 2, 3, 4, 11, 60}) {
      const LineCase that{{n}, Axis::x, letters, true};
      LineProblem<Space, double> problem(that, whole(that), alone());
      problem.solve();
      const auto faces = xp::host_mirror(problem.faces[0]),
                 alpha = xp::host_mirror(problem.reaction), f = xp::host_mirror(problem.f),
                 u = xp::host_mirror(problem.u);
      const auto count = static_cast<std::size_t>(n);
      const long double h = 0.8L / n;
      std::vector<std::vector<long double>> a(count, std::vector<long double>(count, 0));
      std::vector<long double> b(count);
      for (std::size_t r = 0; r < count; ++r) {
        const int i = static_cast<int>(r) + 1;
        a[r][r] += that.shift + that.scale * alpha(0, 0, 0, i);
        b[r] = f(0, 0, 0, i);
        for (const bool upper : {false, true}) {
          const long double link = that.scale * faces(0, 0, 0, upper ? i + 1 : i) / (h * h);
          a[r][r] += link;
          const bool at_end = r == (upper ? count - 1 : 0);
          const std::size_t other = at_end ? (upper ? 0 : count - 1) : upper ? r + 1 : r - 1;
          if (at_end && letters[0] != 'p' && letters[0] != 'a') {
            const double wall = problem.time + std::cos(upper ? 3 * 0.8 : 0.);
            const auto [value, weight] = ghost_of(letters[upper ? 1 : 0], wall, h);
            a[r][r] -= link * weight;
            b[r] += link * value;
          } else {
            a[r][other] -= at_end && letters[0] == 'a' ? -link : link;
          }
        }
      }
      const std::vector<double> exact = dense_solution(a, b);
      for (std::size_t r = 0; r < count; ++r)
        EXPECT_NEAR(u(0, 0, 0, static_cast<int>(r) + 1), exact[r], 1e-13) << letters << " " << n;
    }
}

// -u'' = 1 with u = 0 at the ends: x (1 - x) / 2, and h^2 / 8 for the reflection at walls. A linear
// function is exact.
TYPED_TEST(TridiagonalDouble, PoissonEquationHasItsDiscreteSolution) {
  using Space = typename TypeParam::Space;
  for (const int n : {1, 2, 7, 100, 1000}) {
    const xp::Grid grid(xp_test::box_of({n}, "dd"));
    const auto zero = xp_test::conditions_of("dd");
    auto linear = zero;
    linear[0][0].value = xp::Program::of(3);
    linear[0][1].value = xp::Program::of(5);
    const auto u = xp_test::make_field<Space, double>(grid, "u");
    const auto walls = xp_test::make_field<Space, double>(grid, "walls");
    xp::TridiagonalSolver<Space, double> solver(grid, alone(), Axis::x, zero[0], {});
    solver.factor(Space(), 0, 1);
    xp_test::set(u, grid, xp::Region::own, [](auto...) { return 1.; });
    solver.solve(Space(), u.view(), u.view());
    const double h = 1. / n;
    auto host = xp::host_mirror(u);
    xp_test::visit(u, grid, xp::Region::own, [&](int, int k, int j, int i, const double* x) {
      EXPECT_NEAR(host(0, k, j, i), 0.5 * x[0] * (1 - x[0]) + h * h / 8, 1e-13) << n;
    });
    xp::GhostFiller<Space, double>(grid, linear, xp::Order::second).fill(Space(), walls.view(), 0);
    xp_test::set(u, grid, xp::Region::own, [](auto...) { return 0.; });
    solver.solve(Space(), u.view(), u.view(), walls.view());
    host = xp::host_mirror(u);
    xp_test::visit(u, grid, xp::Region::own, [&](int, int k, int j, int i, const double* x) {
      EXPECT_NEAR(host(0, k, j, i), 3 + 2 * x[0], 1e-11) << n;
    });
  }
}

// In place as from one array to another, without memory or transfers.
TYPED_TEST(Tridiagonal, AreTheSameInPlaceAndAllocateNothing) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const int a : {0, 1, 2})
    for (const char* letters : {"dr", "pp"})
      for (const bool varies : {false, true}) {
        const LineCase that{{43, 31, 24}, static_cast<Axis>(a), letters, varies};
        LineProblem<Space, Real> problem(that, whole(that), alone());
        problem.solve();
        const xp::ForbidTransfers forbid;
        const long before = heap_allocations();
        problem.solver.solve(Space(), problem.f.view(), problem.f.view(), problem.walls.view());
        Space().fence();
#if KOKKOS_VERSION < 50000
        EXPECT_EQ(heap_allocations(), before);
#endif
        EXPECT_GT(problem.solver.memory(), 0);
        xp::Measure<Space, Real> measure(problem.grid.cells(xp::Region::own));
        EXPECT_EQ(measure.difference(Space(), problem.u.view(), problem.f.view()).largest, 0);
        EXPECT_GT(measure.sums(Space(), problem.u.view()).largest, 0);
      }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(TridiagonalThreads, HaveTheBitsOfOne) {
  for (const int a : {0, 1, 2})
    for (const char* letters : {"dr", "aa"})
      for (const bool varies : {false, true}) {
        const LineCase that{{143, 31, 24}, static_cast<Axis>(a), letters, varies};
        LineProblem<Kokkos::Serial, double> one(that, whole(that), alone());
        LineProblem<Kokkos::OpenMP, double> many(that, whole(that), alone());
        one.solve();
        many.solve();
        const auto x = xp::host_mirror(one.u), y = xp::host_mirror(many.u);
        int different = 0;
        xp_test::visit(one.u, one.grid, xp::Region::own,
                       [&](int, int k, int j, int i, const double*) {
                         different += x(0, k, j, i) == y(0, k, j, i) ? 0 : 1;
                       });
        EXPECT_EQ(different, 0) << letters << " " << a;
      }
}
#endif

TYPED_TEST(Tridiagonal, SayWhenThereIsNoUniqueSolution) {
  using Space = typename TypeParam::Space;
  using Real = typename TypeParam::Real;
  for (const char* letters : {"nn", "pp", "dn", "aa"})
    for (const bool varies : {false, true})
      for (const int n : {1, 2, 3, 100, 4001})
        for (const double alpha : {0., 1e-3}) {
          const LineCase that{{n, 3}, Axis::x, letters, varies, alpha};
          LineProblem<Space, Real> problem(that, whole(that), alone());
          xp::EllipticOperator<Space, Real> op = problem.op;
          op.alpha = 0;
          if (varies) op.coefficients = xp::Coefficients::faces;
          xp::TridiagonalSolver<Space, Real> solver(problem.grid, alone(), Axis::x,
                                                    problem.conditions[0], op);
          const bool singular = alpha == 0 && (letters[0] == 'n' || letters[0] == 'p');
          std::string text;
          try {
            solver.factor(Space(), that.shift, 1);
          } catch (const xp::Error& error) {
            EXPECT_EQ(error.kind(), xp::ErrorKind::input);
            text = error.what();
          }
          EXPECT_EQ(text.find("along x have no unique solution") != std::string::npos, singular)
              << letters << " " << n << " " << varies << text;
        }
  const xp::Grid grid(xp_test::box_of({5, 5}, "dddd"));
  EXPECT_THROW((xp::TridiagonalSolver<Space, Real>(grid, alone(), Axis::z, {}, {})),
               std::invalid_argument);
}

}  // namespace
