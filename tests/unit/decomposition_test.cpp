// Decompositions: every cell belongs to one rank, boxes are balanced, surfaces are small.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <xp/mesh/boundary.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/error.hpp>

namespace {

using xp::Axis;
using Parts = std::array<int, 3>;

xp::GridSpec spec_of(int dimensions, std::array<std::int64_t, 3> cells, int wall_cells = 1) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  spec.cells = cells;
  spec.wall_cells = wall_cells;
  return spec;
}

Parts best(const xp::GridSpec& spec, int ranks) {
  const xp::Decomposition cut = xp::decompose(spec, ranks);
  EXPECT_EQ(cut.ranks(), ranks);
  return {cut.parts(Axis::x), cut.parts(Axis::y), cut.parts(Axis::z)};
}

// Counted by hand: cells at the cuts of the largest box, ends of rows fourfold.
TEST(Decomposition, HasTheSmallestSurface) {
  EXPECT_EQ(best(spec_of(3, {128, 128, 128}), 8), (Parts{1, 2, 4}));
  EXPECT_EQ(best(spec_of(3, {128, 128, 128}), 64), (Parts{1, 8, 8}));
  EXPECT_EQ(best(spec_of(2, {1024, 1024, 1}), 16), (Parts{2, 8, 1}));
  EXPECT_EQ(best(spec_of(2, {4000, 10, 1}), 4), (Parts{4, 1, 1}));
  EXPECT_EQ(best(spec_of(1, {1000, 1, 1}), 7), (Parts{7, 1, 1}));
  EXPECT_EQ(best(spec_of(2, {512, 512, 1}), 2), (Parts{1, 2, 1}));
  EXPECT_EQ(best(spec_of(3, {64, 64, 64}), 2), (Parts{1, 1, 2}));
  EXPECT_EQ(best(spec_of(3, {64, 64, 64}), 4), (Parts{1, 2, 2}));
  xp::GridSpec periodic = spec_of(2, {512, 512, 1});
  periodic.periodic = {true, true, false};
  EXPECT_EQ(best(periodic, 64), (Parts{4, 16, 1}));
}

TEST(Decomposition, PrefersEvenSharesToASmallerSurface) {
  // 1 x 7 would give one part in two twice the cells of the others.
  EXPECT_EQ(best(spec_of(2, {1000, 10, 1}), 7), (Parts{7, 1, 1}));
  EXPECT_EQ(best(spec_of(2, {5, 4, 1}), 5), (Parts{5, 1, 1}));
}

TEST(Decomposition, CoversEveryCellOnceAndEvenly) {
  for (const int cells : {1, 7, 64, 1000})
    for (int parts = 1; parts <= std::min(cells, 70); ++parts) {
      const xp::Decomposition cut(spec_of(1, {cells, 1, 1}), {parts, 1, 1});
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        EXPECT_EQ(cut.first(Axis::x, part), next);
        const int size = cut.cells(Axis::x, part);
        EXPECT_GE(size, cells / parts);
        EXPECT_LE(size, (cells + parts - 1) / parts);
        for (std::int64_t cell = next; cell < next + size; ++cell)
          EXPECT_EQ(cut.part_of(Axis::x, cell), part);
        next += size;
      }
      EXPECT_EQ(next, cells);
    }
}

TEST(Decomposition, NumbersPlacesWithXFastest) {
  const xp::Decomposition cut(spec_of(3, {8, 9, 10}), {2, 3, 4});
  EXPECT_EQ(cut.rank({0, 0, 0}), 0);
  EXPECT_EQ(cut.rank({1, 0, 0}), 1);
  EXPECT_EQ(cut.rank({0, 1, 0}), 2);
  for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(cut.rank(cut.place(rank)), rank);
}

TEST(Decomposition, EndsKeepTheCellsOfAWallStencil) {
  xp::GridSpec spec = spec_of(1, {11, 1, 1}, 4);
  const xp::Decomposition cut(spec, {5, 1, 1});
  const int expected[] = {4, 1, 1, 1, 4};
  for (int part = 0; part < 5; ++part) EXPECT_EQ(cut.cells(Axis::x, part), expected[part]);
  EXPECT_THROW(xp::Decomposition(spec, {6, 1, 1}), xp::Error);
  spec.periodic[0] = true;
  EXPECT_EQ(xp::Decomposition(spec, {11, 1, 1}).cells(Axis::x, 10), 1);
}

TEST(Decomposition, OfGridsThatAreCoarsenedIsAtRoundNumbers) {
  const auto cuts = [](std::int64_t cells, int parts) {
    xp::GridSpec spec = spec_of(1, {cells, 1, 1});
    spec.coarsens = true;
    const xp::Decomposition cut(spec, {parts, 1, 1});
    std::vector<std::int64_t> result;
    for (int part = 1; part < parts; ++part) result.push_back(cut.first(Axis::x, part));
    return result;
  };
  using Cuts = std::vector<std::int64_t>;
  EXPECT_EQ(cuts(256, 4), (Cuts{64, 128, 192}));
  EXPECT_EQ(cuts(300, 4), (Cuts{80, 144, 224}));  // sixteens: 80 is 1.067 of 75
  EXPECT_EQ(cuts(180, 4), (Cuts{48, 88, 136}));
  EXPECT_EQ(cuts(257, 2), (Cuts{128}));
  EXPECT_EQ(cuts(10, 3), (Cuts{3, 6}));  // no even cuts without a part of 4
  EXPECT_EQ(cuts(3, 3), (Cuts{1, 2}));
}

TEST(Decomposition, ErrorsWhenARankWouldBeEmpty) {
  const auto message = [](const xp::GridSpec& spec, int ranks) {
    try {
      xp::decompose(spec, ranks);
    } catch (const xp::Error& error) {
      EXPECT_EQ(error.kind(), xp::ErrorKind::input);
      return error.diagnostics()[0].message + "; " + error.diagnostics()[0].hint;
    }
    return std::string();
  };
  EXPECT_EQ(message(spec_of(1, {10, 1, 1}), 12),
            "12 ranks cannot share a grid of 10 cells: however it is cut, a rank would have no "
            "cells; use 10 ranks, or a finer grid");
  EXPECT_EQ(message(spec_of(2, {5, 3, 1}), 7),
            "7 ranks cannot share a grid of 5 x 3 cells: however it is cut, a rank would have no "
            "cells; use 6 ranks, or a finer grid");
  EXPECT_EQ(message(spec_of(2, {5, 3, 1}), 15), "");
}

TEST(Grid, KnowsItsPartOfTheDomain) {
  xp::GridSpec spec = spec_of(2, {10, 7, 1});
  spec.upper = {5, 7, 1};
  const xp::Decomposition cut(spec, {2, 3, 1});
  std::int64_t cells = 0;
  for (int rank = 0; rank < 6; ++rank) {
    const xp::Grid grid(spec, cut, rank);
    cells += grid.cells(xp::Region::own).count();
    EXPECT_EQ(grid.cell_count(), 70);
    EXPECT_EQ(grid.cells(Axis::x), 10);
    EXPECT_EQ(grid.at_end(Axis::x, false), rank % 2 == 0);
    EXPECT_EQ(grid.at_end(Axis::x, true), rank % 2 == 1);
    EXPECT_EQ(grid.at_end(Axis::y, false), rank / 2 == 0);
    EXPECT_TRUE(grid.is_cut(Axis::y));
    EXPECT_FALSE(grid.is_cut(Axis::z));
    // The same place of a cell on every rank, to the last bit.
    const xp::Grid whole(spec);
    const auto first = static_cast<int>(grid.blocks()[0].first[0]);
    EXPECT_EQ(grid.geometry().center(0, 1), whole.geometry().center(0, first + 1));
  }
  EXPECT_EQ(cells, 70);
}

}  // namespace
