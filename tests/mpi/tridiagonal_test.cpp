// Systems along lines have the same bits on every number of ranks, however lines are cut.
#include <gtest/gtest.h>

#include <xp/runtime/error.hpp>

#include "../unit/heat_adi_testing.hpp"

namespace {

using xp::Axis;
using xp_test::LineCase;
using xp_test::LineProblem;

// All ways to cut a grid of so many dimensions among all ranks.
std::vector<xp::Decomposition> cuts(const xp::GridSpec& spec, int ranks) {
  std::vector<xp::Decomposition> result;
  for (int px = 1; px <= ranks; ++px)
    for (int py = 1; px * py <= ranks; ++py) {
      const std::array<int, 3> parts{px, py, ranks / (px * py)};
      if (ranks % (px * py) != 0) continue;
      bool fits = true;
      for (std::size_t a = 0; a < 3; ++a) fits = fits && parts[a] <= spec.cells[a];
      if (fits) result.emplace_back(spec, parts);
    }
  return result;
}

// Own cells that differ from those of one rank, or are 0.
template <class Space, class Real>
int different_cells(const xp::Grid& grid, const xp::Field<Space, Real>& field,
                    const xp::HostMirror<Real>& expected) {
  const auto u = xp::host_mirror(field);
  const xp::Box own = grid.cells(xp::Region::own);
  const auto& first = grid.blocks()[0].first;
  int different = 0;
  for (int k = own.lower[2]; k < own.upper[2]; ++k)
    for (int j = own.lower[1]; j < own.upper[1]; ++j)
      for (int i = own.lower[0]; i < own.upper[0]; ++i) {
        const Real value = u(0, k, j, i);
        const bool same = value == expected(0, k + first[2], j + first[1], i + first[0]);
        different += same && value != 0 ? 0 : 1;
      }
  return different;
}

template <class Space, class Real>
void expect_the_bits_of_one_rank(const LineCase& that, const xp::Communicator& world,
                                 const xp::Communicator& self) {
  const xp::GridSpec spec = LineProblem<Space, Real>::spec_of(that);
  LineProblem<Space, Real> alone(that, xp::Decomposition(spec, {1, 1, 1}), self);
  alone.solve();
  const auto expected = xp::host_mirror(alone.u);
  for (const xp::Decomposition& cut : cuts(spec, world.size())) {
    LineProblem<Space, Real> together(that, cut, world);
    for (int times = 0; times < 2; ++times) together.solve();
    EXPECT_EQ(different_cells(together.grid, together.u, expected), 0)
        << that.letters << " axis " << xp::index(that.axis) << " of " << that.cells[0]
        << ", cut in " << cut.parts(Axis::x) << " " << cut.parts(Axis::y) << " "
        << cut.parts(Axis::z);
  }
}

template <class Space, class Real>
void expect_the_bits_of_one_rank() {
  const xp::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const std::vector<std::vector<std::int64_t>> grids = {
      {5}, {1000}, {65, 33}, {4, 300}, {300, 4}, {29, 26, 17}, {70, 40, 5}};
  for (const auto& cells : grids)
    for (int a = 0; a < static_cast<int>(cells.size()); ++a)
      for (const char* letters : {"dn", "vr", "pp", "aa"})
        for (const bool varies : {false, true})
          expect_the_bits_of_one_rank<Space, Real>({cells, static_cast<Axis>(a), letters, varies},
                                                   world, self);
}

TEST(Tridiagonal, HasTheBitsOfOneRank) {
  expect_the_bits_of_one_rank<Kokkos::Serial, double>();
  expect_the_bits_of_one_rank<Kokkos::Serial, float>();
#ifdef KOKKOS_ENABLE_OPENMP
  expect_the_bits_of_one_rank<Kokkos::OpenMP, double>();
#endif
}

TEST(HeatAdi, HasTheBitsOfOneRank) {
  using Run = xp_test::AdiRun<Kokkos::Serial, double>;
  const xp::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const auto& [cells, letters] :
       {std::pair<std::vector<std::int64_t>, std::string>{{30}, "dr"},
        {{29, 16}, "dnpp"},
        {{16, 29}, "ddrr"},
        {{12, 13, 14}, "dddddd"},
        {{12, 13, 14}, "nrddpp"}})
    for (const bool varies : {false, true}) {
      const xp::GridSpec spec = xp_test::box_of(cells, letters);
      const std::string values = cells.size() == 1 ? "cos(x-t)" : "cos(x+3*y-t)";
      const auto advance = [](Run& run) {
        run.set([](double x, double y, double z) { return std::cos(x + 2 * y + 3 * z); });
        run.advance(0.1, 5);
      };
      Run alone(cells, letters, values, 0.5, varies, xp::Decomposition(spec, {1, 1, 1}), self);
      advance(alone);
      const auto expected = xp::host_mirror(alone.u);
      for (const xp::Decomposition& cut : cuts(spec, world.size())) {
        Run together(cells, letters, values, 0.5, varies, cut, world);
        advance(together);
        EXPECT_EQ(different_cells(together.grid, together.u, expected), 0)
            << letters << ", cut in " << cut.parts(Axis::x) << " " << cut.parts(Axis::y) << " "
            << cut.parts(Axis::z);
      }
    }
}

TEST(Tridiagonal, FailsOnAllRanks) {
  const xp::Communicator world(MPI_COMM_WORLD);
  for (const bool varies : {false, true}) {
    const LineCase that{{40, 5}, Axis::x, "nn", varies};
    const xp::GridSpec spec = LineProblem<Kokkos::Serial, double>::spec_of(that);
    LineProblem<Kokkos::Serial, double> problem(that, xp::Decomposition(spec, {world.size(), 1, 1}),
                                                world);
    auto op = problem.op;
    op.alpha = 0;
    if (varies) op.coefficients = xp::Coefficients::faces;
    xp::TridiagonalSolver<Kokkos::Serial, double> solver(problem.grid, world, Axis::x,
                                                         problem.conditions[0], op);
    try {
      solver.factor(Kokkos::Serial(), 0, 1);
      ADD_FAILURE() << "no error";
    } catch (const xp::Error& error) {
      EXPECT_TRUE(error.is_everywhere(world.size()));
    }
    // It can be used again.
    solver.factor(Kokkos::Serial(), 1, 1);
    solver.solve(Kokkos::Serial(), problem.f.view(), problem.u.view());
  }
}

}  // namespace
