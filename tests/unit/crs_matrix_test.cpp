// Sparse matrices: products, solves by every preconditioner, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <xp/solvers/linear/crs_matrix.hpp>

#include "krylov_testing.hpp"
#include "operators_testing.hpp"

namespace {

using xp::MatrixMethod;

const xp::Communicator& alone() {
  static const xp::Communicator communicator(MPI_COMM_SELF);
  return communicator;
}

struct Rows {
  std::vector<int> offsets = {0}, columns;
  std::vector<double> values;
  void add(int column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end() { offsets.push_back(static_cast<int>(columns.size())); }
};

// -laplacian + wind d/dx on n x n points, zero beyond them, in units of the spacing.
Rows five_points(int n, double wind) {
  Rows rows;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int r = j * n + i;
      // Not in order, and the diagonal in two parts.
      rows.add(r, 3);
      if (i + 1 < n) rows.add(r + 1, -1 + 0.5 * wind);
      if (j > 0) rows.add(r - n, -1);
      if (i > 0) rows.add(r - 1, -1 - 0.5 * wind);
      if (j + 1 < n) rows.add(r + n, -1);
      rows.add(r, 1);
      rows.end();
    }
  return rows;
}

template <class Kind>
class CrsMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(CrsMatrix, xp_test::DoubleKinds);

// sin(a i) sin(b j) is an eigenvector of second differences; wind adds its central difference.
TYPED_TEST(CrsMatrix, ProductsAreDifferences) {
  using Space = typename TypeParam::Space;
  constexpr int n = 31;
  constexpr double wind = 0.4, a = M_PI * 2 / (n + 1), b = M_PI * 5 / (n + 1);
  const Rows rows = five_points(n, wind);
  const xp::CrsMatrix<Space, double> matrix(rows.offsets, rows.columns, rows.values);
  EXPECT_EQ(matrix.rows(), n * n);
  EXPECT_EQ(matrix.entries(), 5 * n * n - 4 * n);
  std::vector<double> wave;
  for (int j = 1; j <= n; ++j)
    for (int i = 1; i <= n; ++i) wave.push_back(std::sin(a * i) * std::sin(b * j));
  const auto x = xp_test::vector_of<Space>(wave), y = xp_test::vector_of<Space>(wave);
  matrix.map(Space())(xp::system_of(x), xp::system_of(y));
  Space().fence();
  const std::vector<double> product = xp_test::values_of<Space>(y);
  std::size_t r = 0;
  for (int j = 1; j <= n; ++j)
    for (int i = 1; i <= n; ++i, ++r)
      EXPECT_NEAR(product[r],
                  (4 - 2 * std::cos(a) - 2 * std::cos(b)) * wave[r] +
                      wind * std::cos(a * i) * std::sin(a) * std::sin(b * j),
                  1e-13);
}

template <class Space>
int iterations(const Rows& rows, xp::KrylovMethod method, const MatrixMethod* by, int fill) {
  const xp::CrsMatrix<Space, double> matrix(rows.offsets, rows.columns, rows.values);
  const auto size = static_cast<std::size_t>(matrix.rows());
  std::vector<double> expected;
  for (std::size_t r = 0; r < size; ++r)
    expected.push_back(std::cos(0.37 * static_cast<double>(r * r % 101)));
  const auto x = xp_test::vector_of<Space>(std::vector<double>(size, 0.0));
  const auto b = xp_test::vector_of<Space>(expected), known = xp_test::vector_of<Space>(expected);
  matrix.apply(Space(), xp::system_of(known)[0], xp::system_of(b)[0]);
  std::unique_ptr<xp::MatrixPreconditioner<Space, double>> preconditioner;
  if (by)
    preconditioner =
        std::make_unique<xp::MatrixPreconditioner<Space, double>>(Space(), matrix, *by, fill);
  xp::KrylovOptions options;
  options.method = method;
  xp::Krylov<Space, double> krylov(matrix.rows(), alone(), options);
  const xp::LinearResult result = krylov.solve(
      Space(), matrix.map(Space()), by ? preconditioner->map() : xp::SystemMap<Space, double>(),
      xp::system_of(x), xp::system_of(b));
  EXPECT_TRUE(result.converged());
  const std::vector<double> solution = xp_test::values_of<Space>(x);
  for (std::size_t r = 0; r < size; ++r) EXPECT_NEAR(solution[r], expected[r], 1e-7);
  return result.iterations;
}

TYPED_TEST(CrsMatrix, AreSolvedByEveryPreconditioner) {
  using Space = typename TypeParam::Space;
  using xp::KrylovMethod;
  const Rows symmetric = five_points(40, 0), windy = five_points(40, 0.8);
  for (const auto& [rows, method] :
       {std::pair{&symmetric, KrylovMethod::cg}, std::pair{&windy, KrylovMethod::bicgstab},
        std::pair{&windy, KrylovMethod::gmres}}) {
    const int without = iterations<Space>(*rows, method, nullptr, 0);
    const MatrixMethod jacobi = MatrixMethod::jacobi, sweep = MatrixMethod::gauss_seidel,
                       ilu = MatrixMethod::ilu;
    // The diagonal is constant: nothing changes but the tolerance of the residual.
    EXPECT_NEAR(iterations<Space>(*rows, method, &jacobi, 0), without, 2);
    EXPECT_LT(iterations<Space>(*rows, method, &sweep, 0), 0.8 * without);
    if (!xp::has_matrix_method(ilu)) continue;
    const int filled = iterations<Space>(*rows, method, &ilu, 0);
    EXPECT_LT(filled, 0.5 * without);
    EXPECT_LT(iterations<Space>(*rows, method, &ilu, 3), 0.7 * filled);
  }
}

// Without fill to be dropped ILU is the inverse.
TYPED_TEST(CrsMatrix, IluOfThreeDiagonalsIsExact) {
  using Space = typename TypeParam::Space;
  if (!xp::has_matrix_method(MatrixMethod::ilu)) GTEST_SKIP() << "without Kokkos Kernels";
  Rows rows;
  constexpr int n = 200;
  for (int r = 0; r < n; ++r) {
    if (r > 0) rows.add(r - 1, -1.3);
    rows.add(r, 2.5 + 0.01 * r);
    if (r + 1 < n) rows.add(r + 1, -0.6);
    rows.end();
  }
  const MatrixMethod ilu = MatrixMethod::ilu;
  EXPECT_EQ(iterations<Space>(rows, xp::KrylovMethod::bicgstab, &ilu, 0), 1);
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TYPED_TEST(CrsMatrix, AreRefusedWithTheRow) {
  using Space = typename TypeParam::Space;
  using Matrix = xp::CrsMatrix<Space, double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] {
              Matrix({1, 2}, {0, 0}, {1, 1});
            }),
            "CrsMatrix: offsets must begin with 0");
  EXPECT_EQ(message_of([&] {
              Matrix({0, 2, 1}, {0, 0}, {1, 1});
            }),
            "CrsMatrix: offsets fall after row 1");
  EXPECT_EQ(message_of([&] {
              Matrix({0, 1}, {0, 0}, {1, 1});
            }),
            "CrsMatrix: offsets end with 1, and there are 2 columns and 2 values");
  EXPECT_EQ(message_of([&] {
              Matrix({0, 1, 2}, {0, 2}, {1, 1});
            }),
            "CrsMatrix: row 1 has column 2 of 2");
  EXPECT_EQ(message_of([&] {
              Matrix({0, 1, 2}, {0, 1}, {1, nan});
            }),
            "CrsMatrix: row 1, column 1 is not a finite number");
  const Matrix hollow({0, 2, 3}, {0, 1, 0}, {1, 1, 1});
  EXPECT_EQ(message_of([&] {
              xp::MatrixPreconditioner<Space, double>(Space(), hollow, MatrixMethod::jacobi);
            }),
            "MatrixPreconditioner: the diagonal of row 1 is zero: the matrix has no Jacobi "
            "preconditioner");
}

}  // namespace
