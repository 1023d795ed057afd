// Sums over the cells of many ranks have the bits of those of one rank, wherever the array is cut.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <xp/field/field.hpp>
#include <xp/operators/norms.hpp>
#include <xp/runtime/communicator.hpp>

namespace {

constexpr int total = 50000;

// Of wildly different size, so that a sum depends on its order where it can.
double value_at(int n) {
  return std::sin(0.37 * n) * std::exp2((n * 37) % 101 - 50);
}

// A row of values [first, last) of the whole.
template <class Space>
struct Row {
  Row(int first, int last) : box{{0, 0, 0}, {last - first, 1, 1}} {
    xp::GridSpec spec;
    spec.dimensions = 1;
    spec.cells = {last > first ? last - first : 1, 1, 1};
    xp::FieldInfo info;
    info.ghosted = false;
    u = xp::Field<Space, double>(xp::Grid(spec), info);
    const auto host = xp::host_mirror(u);
    for (int n = first; n < last; ++n) host(0, 0, 0, n - first) = value_at(n);
    xp::to_device(host, u);
  }
  xp::Box box;
  xp::Field<Space, double> u;
};

std::vector<double> numbers(const xp::Sums& sums) {
  return {sums.min, sums.max, sums.largest, sums.sum, sums.sum_abs, sums.sum_square};
}

// Where the ranks' parts begin: even, uneven with the largest first, and all on the last rank.
std::vector<std::vector<int>> cuts(int ranks) {
  std::vector<int> even, uneven, last;
  for (int r = 0; r <= ranks; ++r) {
    even.push_back(static_cast<int>(static_cast<std::int64_t>(total) * r / ranks));
    uneven.push_back(r == 0 ? 0 : total - 1237 * (ranks - r));
    last.push_back(r < ranks ? 0 : total);
  }
  return {even, uneven, last};
}

template <class Space>
void expect_the_bits_of_one_rank(const xp::Communicator& world) {
  const Space space;
  const Row<Space> whole(0, total);
  xp::Measure<Space, double> alone(whole.box);
  const xp::Sums expected = alone.sums(space, whole.u.view());
  for (const std::vector<int>& cut : cuts(world.size())) {
    const auto rank = static_cast<std::size_t>(world.rank());
    const Row<Space> part(cut[rank], cut[rank + 1]);
    xp::Measure<Space, double> measure(part.box, world);
    const xp::Sums sums = measure.sums(space, part.u.view());
    EXPECT_EQ(numbers(sums), numbers(expected));
    EXPECT_EQ(sums.count, total);
    EXPECT_EQ(xp::norm_l2(space, measure, part.u), xp::norm_l2(space, alone, whole.u));
    EXPECT_EQ(xp::mean(space, measure, part.u), xp::mean(space, alone, whole.u));
    EXPECT_EQ(xp::dot(space, measure, part.u, part.u), xp::dot(space, alone, whole.u, whole.u));
  }
}

TEST(SumsOfRanks, HaveTheBitsOfOneRank) {
  const xp::Communicator world(MPI_COMM_WORLD);
  expect_the_bits_of_one_rank<Kokkos::Serial>(world);
#ifdef KOKKOS_ENABLE_OPENMP
  expect_the_bits_of_one_rank<Kokkos::OpenMP>(world);
#endif
#ifdef KOKKOS_ENABLE_CUDA
  expect_the_bits_of_one_rank<Kokkos::Cuda>(world);
#endif
}

TEST(SumsOfRanks, OneRankAloneIsNotJoined) {
  const xp::Communicator self(MPI_COMM_SELF);
  const Row<Kokkos::Serial> row(0, 1000);
  xp::Measure<Kokkos::Serial, double> alone(row.box), of_self(row.box, self);
  const Kokkos::Serial space;
  EXPECT_EQ(numbers(alone.sums(space, row.u.view())), numbers(of_self.sums(space, row.u.view())));
  EXPECT_EQ(of_self.sums(space, row.u.view()).count, 1000);
}

TEST(SumsOfRanks, ANaNOfOneRankIsSeenByAll) {
  const xp::Communicator world(MPI_COMM_WORLD);
  const Kokkos::Serial space;
  const Row<Kokkos::Serial> part(0, 100);
  if (world.rank() == world.size() - 1)
    part.u.view()(0, 0, 17) = std::numeric_limits<double>::quiet_NaN();
  xp::Measure<Kokkos::Serial, double> measure(part.box, world);
  const xp::Sums sums = measure.sums(space, part.u.view());
  EXPECT_EQ(sums.not_finite, 1);
  EXPECT_EQ(sums.count, 100 * world.size());
  EXPECT_TRUE(std::isnan(sums.sum));
  EXPECT_TRUE(std::isnan(sums.largest));
  EXPECT_EQ(sums.min, measure.sums(space, part.u.view(), xp::Want::extrema).min);
}

}  // namespace
