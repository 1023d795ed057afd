// Matrices that are found from what a linear map does.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <xp/solvers/linear/map_matrix.hpp>

#include "map_matrix_testing.hpp"
#include "operators_testing.hpp"

namespace {

template <class Kind>
class MapMatrix : public ::testing::Test {};
TYPED_TEST_SUITE(MapMatrix, xp_test::DoubleKinds);

template <class Space>
struct Problem {
  xp::Grid grid;
  xp::BoundaryConditions conditions;
  xp::GhostFiller<Space, double> ghosts;
  std::vector<xp::Field<Space, double>> fields;
  xp::SystemView<Space, double> x, y;

  Problem(int nx, int ny, const std::string& letters)
      : grid(spec(nx, ny, letters)),
        conditions(xp_test::conditions_of(letters)),
        ghosts(grid, conditions, xp::Order::fourth) {
    for (int n = 0; n < 4; ++n) {
      xp::FieldInfo info;
      info.name = "test";
      fields.emplace_back(grid, info);
      (n < 2 ? x : y).push_back(fields.back().view());
    }
  }
  static xp::GridSpec spec(int nx, int ny, const std::string& letters) {
    xp::GridSpec result = xp_test::box_of({nx, ny}, letters);
    result.ghosts = 2;
    return result;
  }
  xp::SystemMap<Space, double> map() {
    return
        [this](const xp::SystemView<Space, double>& from, const xp::SystemView<Space, double>& to) {
          for (const auto& view : from) ghosts.fill(Space(), view, 0);
          xp::for_each(Space(), "test: map", grid.cells(xp::Region::own),
                       xp_test::TwoFields<Space>{from[0], from[1], to[0], to[1]});
        };
  }
};

TYPED_TEST(MapMatrix, ProductsAreWhatTheMapGives) {
  using Space = typename TypeParam::Space;
  for (const std::string letters : {"pppp", "ddnn", "ppdn"})
    for (const auto& [nx, ny] : {std::pair{5, 4}, std::pair{7, 8}, std::pair{10, 5},
                                 std::pair{11, 13}, std::pair{24, 16}}) {
      Problem<Space> problem(nx, ny, letters);
      // At walls ghost cells of order 4 are made of four cells.
      const bool walls = letters.find_first_of("dn") != std::string::npos;
      const xp::MapMatrix<Space, double> probe(problem.grid, 2, {walls ? 4 : 2, walls ? 4 : 1, 0});
      const auto matrix = probe.matrix(Space(), problem.map(), 0.5, problem.x, problem.y);
      ASSERT_EQ(matrix.rows(), 2 * nx * ny);
      EXPECT_EQ(probe.size(), matrix.rows());
      if (letters == "pppp") {
        // Six cells, all fields of each.
        EXPECT_EQ(matrix.entries(), 6 * 4 * nx * ny);
        EXPECT_EQ(probe.colours(), 2 * (5 + nx % 5) * (3 + ny % 3));
      } else if (letters == "ddnn") {
        EXPECT_EQ(probe.colours(), 2 * std::min(9, nx) * std::min(9, ny));
      }
      std::vector<double> noise;
      for (int n = 0; n < matrix.rows(); ++n) noise.push_back(xp_test::noise(0, 0, n));
      const auto x = xp_test::vector_of<Space>(noise), by_matrix = xp_test::vector_of<Space>(noise),
                 by_map = xp_test::vector_of<Space>(noise);
      matrix.apply(Space(), xp::system_of(x)[0], xp::system_of(by_matrix)[0]);
      probe.to_fields(Space(), xp::system_of(x)[0], problem.x);
      problem.map()(problem.x, problem.y);
      probe.to_vector(Space(), problem.y, xp::system_of(by_map)[0]);
      Space().fence();
      const std::vector<double> a = xp_test::values_of<Space>(by_matrix),
                                b = xp_test::values_of<Space>(by_map);
      for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-14) << letters << nx;
    }
}

TYPED_TEST(MapMatrix, RefusesWhatIsNotFinite) {
  using Space = typename TypeParam::Space;
  Problem<Space> problem(8, 8, "pppp");
  const xp::MapMatrix<Space, double> probe(problem.grid, 2, {2, 1, 0});
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(probe.matrix(Space(), problem.map(), infinite, problem.x, problem.y),
               std::invalid_argument);
}

}  // namespace
