// Decompositions cover the grid, and after an exchange every ghost cell holds the same bits as on
// one rank: across cuts, around periodic and antiperiodic ends, beside walls and in corners.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/expr/expr.hpp>
#include <xp/field/ghosts.hpp>
#include <xp/field/halo.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace {

using xp::Axis;
using xp::BoundaryConditions;
using xp::BoundaryKind;
using xp::Order;
using xp::Region;
using Parts = std::array<int, 3>;

int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Every way to cut `dimensions` axes into as many parts as there are ranks.
std::vector<Parts> all_parts(int dimensions) {
  std::vector<Parts> list;
  const int n = ranks();
  for (int x = 1; x <= n; ++x)
    for (int y = 1; y <= (dimensions > 1 ? n : 1); ++y)
      for (int z = 1; z <= (dimensions > 2 ? n : 1); ++z)
        if (x * y * z == n) list.push_back({x, y, z});
  return list;
}

xp::GridSpec spec_of(int dimensions, std::array<std::int64_t, 3> cells, Order order,
                     int ghosts = 0) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  spec.cells = cells;
  spec.ghosts = ghosts > 0 ? ghosts : xp::ghost_width(order);
  spec.wall_cells = xp::wall_cells(order, spec.ghosts);
  return spec;
}

xp::Program compiled(const std::string& text, int dimensions) {
  xp::Symbols symbols;
  symbols.dimensions = dimensions;
  const xp::Compiled result = xp::compile(text, symbols);
  EXPECT_TRUE(result) << text;
  return result ? *result.program : xp::Program();
}

// Conditions that differ from side to side; some walls are constant, some depend on place and time.
BoundaryConditions conditions_of(int dimensions, unsigned wrapping, unsigned flipping,
                                 bool steady) {
  BoundaryConditions all;
  for (int a = 0; a < dimensions; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const std::string other = a == 0 ? (dimensions > 1 ? "y" : "t") : "x";
    if ((wrapping >> a & 1u) != 0) {
      for (auto& side : all[axis])
        side.kind = (flipping >> a & 1u) != 0 ? BoundaryKind::antiperiodic : BoundaryKind::periodic;
      continue;
    }
    all[axis][0].kind = BoundaryKind::dirichlet;
    all[axis][0].value = compiled(steady ? "0.75" : "cos(3*" + other + ")+t", dimensions);
    all[axis][1].kind = a == 1 ? BoundaryKind::neumann : BoundaryKind::robin;
    all[axis][1].alpha = compiled(steady ? "1.25" : "1+" + other + "^2", dimensions);
    all[axis][1].beta = compiled("0.3", dimensions);
    all[axis][1].value = compiled(steady || a == 2 ? "0.1" : "sin(5*" + other + ")", dimensions);
  }
  return all;
}

template <class Space>
struct Filled {
  xp::Grid grid;
  std::vector<xp::Field<Space, double>> fields;
};

template <class Space>
Filled<Space> fill(const xp::Grid& grid, const xp::Communicator& communicator,
                   const std::vector<BoundaryConditions>& conditions, Order order, bool corners) {
  const Space space;
  Filled<Space> result{grid, {}};
  std::vector<xp::FieldEnds> ends;
  std::vector<xp::FieldView<Space, double>> views;
  for (std::size_t f = 0; f < conditions.size(); ++f) {
    xp::FieldInfo info;
    info.name = "u" + std::to_string(f);
    result.fields.emplace_back(grid, info);
    const auto u = result.fields.back().view();
    xp::CellInputs<Space, double> inputs;
    inputs.geometry = grid.geometry();
    const std::string text = f == 0 ? "sin(7*x)+x" : "cos(5*x)-x^3";
    const std::string y = grid.dimensions() > 1 ? "*exp(y)" : "";
    const std::string z = grid.dimensions() > 2 ? "+z*x" : "";
    const xp::DeviceProgram<Space> program(compiled("(" + text + ")" + y + z, grid.dimensions()));
    xp::evaluate_into(space, program, inputs, grid.cells(Region::own), u);
    xp::GhostFiller<Space, double> ghosts(grid, conditions[f], order);
    ghosts.fill(space, u, 0.5);
    ends.push_back(ghosts.ends());
    views.push_back(u);
  }
  xp::HaloExchange<Space, double> halo(grid, communicator, ends, corners);
  for (int repeat = 0; repeat < 2; ++repeat) {  // requests are persistent
    halo.start(space, views);
    halo.finish(space, views);
  }
  return result;
}

// Compares every ghost cell of this rank with the same cell on one rank; returns how many.
template <class Space>
int compare(const xp::GridSpec& spec, const Parts& parts,
            const std::vector<BoundaryConditions>& conditions, Order order, bool corners) {
  const xp::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const xp::Grid grid(spec, xp::Decomposition(spec, parts), world.rank());
  const Filled<Space> many = fill<Space>(grid, world, conditions, order, corners);
  const Filled<Space> one = fill<Space>(xp::Grid(spec), self, conditions, order, corners);
  const xp::Box all = grid.cells(Region::ghosted), own = grid.cells(Region::own);
  int compared = 0, wrong = 0;
  for (int f = 0; f < static_cast<int>(conditions.size()); ++f) {
    const auto mine = xp::host_mirror(many.fields[static_cast<std::size_t>(f)]);
    const auto whole = xp::host_mirror(one.fields[static_cast<std::size_t>(f)]);
    for (int k = 0; k < all.upper[2]; ++k)
      for (int j = 0; j < all.upper[1]; ++j)
        for (int i = 0; i < all.upper[0]; ++i) {
          const int outside = (i < own.lower[0] || i >= own.upper[0]) +
                              (j < own.lower[1] || j >= own.upper[1]) +
                              (k < own.lower[2] || k >= own.upper[2]);
          if (outside == 0 || (!corners && outside > 1)) continue;
          const auto& first = grid.blocks()[0].first;
          const double expected = whole(0, k + first[2], j + first[1], i + first[0]);
          ++compared;
          if (mine(0, k, j, i) != expected) ++wrong;
        }
  }
  EXPECT_EQ(wrong, 0) << "of " << compared << " ghost cells, parts " << parts[0] << "x" << parts[1]
                      << "x" << parts[2] << ", order " << static_cast<int>(order) << ", "
                      << spec.ghosts << " ghosts" << (corners ? ", corners" : "");
  return compared;
}

// u_xy needs the corners: the same bits on every decomposition.
template <class Space>
void compare_mixed_derivative(const xp::GridSpec& spec, const Parts& parts,
                              const BoundaryConditions& conditions, Order order) {
  const xp::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto mixed = [&](const xp::Grid& grid, const xp::Communicator& communicator) {
    const Filled<Space> filled = fill<Space>(grid, communicator, {conditions}, order, true);
    const xp::Field<Space, double> result(grid, {"u_xy", "", ""});
    const auto u = filled.fields[0].view(), out = result.view();
    const double factor = 1 / (4 * grid.spacing(Axis::x) * grid.spacing(Axis::y));
    xp::for_each(
        Space(), "mixed", grid.cells(Region::own), KOKKOS_LAMBDA(int k, int j, int i) {
          out(k, j, i) = factor * (u(k, j + 1, i + 1) - u(k, j + 1, i - 1) - u(k, j - 1, i + 1) +
                                   u(k, j - 1, i - 1));
        });
    return xp::host_mirror(result);
  };
  const xp::Grid grid(spec, xp::Decomposition(spec, parts), world.rank());
  const auto many = mixed(grid, world), one = mixed(xp::Grid(spec), self);
  const xp::Box own = grid.cells(Region::own);
  const auto& first = grid.blocks()[0].first;
  int wrong = 0;
  for (int k = own.lower[2]; k < own.upper[2]; ++k)
    for (int j = own.lower[1]; j < own.upper[1]; ++j)
      for (int i = own.lower[0]; i < own.upper[0]; ++i)
        if (many(0, k, j, i) != one(0, k + first[2], j + first[1], i + first[0])) ++wrong;
  EXPECT_EQ(wrong, 0) << "parts " << parts[0] << "x" << parts[1] << "x" << parts[2];
}

class Halo : public testing::TestWithParam<int> {};

TEST_P(Halo, GhostsAreThoseOfOneRank) {
  const int dimensions = GetParam();
  for (const xp::Backend backend : xp::available_backends())
    xp::with_space(backend, [&](auto space) {
      using Space = decltype(space);
      for (const auto& [order, ghosts] :
           {std::pair(Order::second, 1), {Order::fourth, 2}, {Order::second, 3}})
        for (const Parts& parts : all_parts(dimensions))
          for (const unsigned wrapping : {0u, 1u, 5u, 6u, 7u})
            for (const bool steady : {true, false})
              for (const bool corners : {false, true}) {
                // The second field has walls where the first goes around, and the other way.
                const std::vector<BoundaryConditions> conditions = {
                    conditions_of(dimensions, wrapping, 2, steady),
                    conditions_of(dimensions, ~wrapping, 5, steady)};
                const int compared =
                    compare<Space>(spec_of(dimensions, {17, 16, 19}, order, ghosts), parts,
                                   conditions, order, corners);
                EXPECT_GT(compared, 0);
              }
    });
}

TEST_P(Halo, PartsThinnerThanTheGhostLayer) {
  const int dimensions = GetParam();
  const std::vector<BoundaryConditions> around = {conditions_of(dimensions, 7, 2, true)};
  const std::vector<BoundaryConditions> walls = {conditions_of(dimensions, 0, 0, true)};
  for (const Parts& parts : all_parts(dimensions))
    for (const auto& [order, ghosts] :
         {std::pair(Order::fourth, 2), {Order::second, 3}, {Order::fourth, 3}}) {
      for (const std::int64_t cells : {4, 5, 7})
        for (const bool corners : {false, true}) {
          xp::GridSpec spec = spec_of(dimensions, {cells, cells, cells}, order, ghosts);
          spec.wall_cells = 1;
          compare<Kokkos::Serial>(spec, parts, around, order, corners);
        }
      // The ends keep the cells of a wall, those between have less than the ghost layer.
      for (const std::int64_t cells : {8, 10, 11}) {
        if (cells == 8 && order == Order::fourth) continue;
        compare<Kokkos::Serial>(spec_of(dimensions, {cells, cells, cells}, order, ghosts), parts,
                                walls, order, true);
      }
    }
}

TEST(Halo, MixedDerivatives) {
  for (const xp::Backend backend : xp::available_backends())
    xp::with_space(backend, [&](auto space) {
      for (const int dimensions : {2, 3})
        for (const Parts& parts : all_parts(dimensions))
          for (const unsigned wrapping : {0u, 1u, 3u})
            compare_mixed_derivative<decltype(space)>(
                spec_of(dimensions, {13, 12, 9}, Order::second), parts,
                conditions_of(dimensions, wrapping, 2, false), Order::second);
    });
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Halo, testing::Values(1, 2, 3));

TEST(Halo, SendsOneMessageToEachNeighbour) {
  const xp::GridSpec spec = spec_of(3, {12, 12, 12}, Order::second);
  const xp::Communicator world(MPI_COMM_WORLD);
  for (const Parts& parts : all_parts(3)) {
    const xp::Grid grid(spec, xp::Decomposition(spec, parts), world.rank());
    const xp::HaloPlan plan = xp::plan_halo(grid, 7, true);
    // Periodic everywhere and with corners: each is every other one's neighbour, except for the
    // rank on the opposite side of four in a line.
    const bool line = parts[0] == 4 || parts[1] == 4 || parts[2] == 4;
    EXPECT_EQ(plan.send.size(), static_cast<std::size_t>(line ? 2 : world.size() - 1));
    EXPECT_EQ(plan.receive.size(), plan.send.size());
    for (std::size_t n = 0; n < plan.send.size(); ++n) EXPECT_NE(plan.send[n].rank, world.rank());
  }
}

}  // namespace
