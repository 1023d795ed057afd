// An error on one rank is an error on all, and none waits for the others.
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/runtime/communicator.hpp>
#include <xp/runtime/error.hpp>

namespace {

TEST(Everywhere, AllGoesWell) {
  const xp::Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  xp::everywhere(world, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Everywhere, AnErrorOfTheLastRankIsThrownByAll) {
  const xp::Communicator world(MPI_COMM_WORLD);
  try {
    xp::everywhere(world, [&] {
      if (world.rank() != world.size() - 1) return;
      xp::Diagnostic wrong{{"a.yaml", 3, 5, 2, std::string("x: y\xff")},
                           "rank " + std::to_string(world.rank()),
                           "help"};
      throw xp::Error(xp::ErrorKind::input, {wrong});
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const xp::Error& error) {
    EXPECT_EQ(error.kind(), xp::ErrorKind::input);
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].message, "rank " + std::to_string(world.size() - 1));
    EXPECT_EQ(error.diagnostics()[0].where.line, 3);
    EXPECT_EQ(error.diagnostics()[0].hint, "help");
  }
}

TEST(Everywhere, TheLowestRankSpeaksForSeveral) {
  const xp::Communicator world(MPI_COMM_WORLD);
  std::string said;
  try {
    xp::everywhere(world, [&]() -> void {
      throw xp::Error(xp::ErrorKind::failure, std::to_string(world.rank()));
    });
  } catch (const xp::Error& error) {
    said = error.diagnostics()[0].message;
  }
  EXPECT_EQ(said, "0");
}

TEST(OnRoot, RunsThereOnlyAndFailsEverywhere) {
  const xp::Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  xp::on_root(world, [&] { ++calls; });
  EXPECT_EQ(calls, world.is_root() ? 1 : 0);
  EXPECT_THROW(xp::on_root(world, [] { throw std::bad_alloc(); }), std::exception);
}

TEST(Texts, TravelWhole) {
  const xp::Communicator world(MPI_COMM_WORLD);
  const std::string mine = std::string(static_cast<std::size_t>(world.rank()), 'x');
  EXPECT_EQ(xp::broadcast(world, "of rank " + std::to_string(world.rank())), "of rank 0");
  const auto all = xp::gather(world, mine);
  EXPECT_EQ(all.size(), world.is_root() ? static_cast<std::size_t>(world.size()) : 0u);
  for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r].size(), r);
  const auto everywhere = xp::broadcast(world, all);
  EXPECT_EQ(everywhere.size(), static_cast<std::size_t>(world.size()));
  for (std::size_t r = 0; r < everywhere.size(); ++r) EXPECT_EQ(everywhere[r].size(), r);
}

}  // namespace
