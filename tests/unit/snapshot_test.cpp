// Snapshots on one rank: the list of those written, and files that cannot be written. What is in
// them is checked by the programs that read them (tests/readers).
#include <algorithm>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/io/snapshot.hpp>
#include <xp/runtime/error.hpp>

#include "file_testing.hpp"

namespace {

struct Snapshots : testing::Test {
  xp::Communicator self{MPI_COMM_SELF};
  test::Folder folder{"snapshot_" + std::to_string(::getpid())};
  xp::Grid grid{{2, {5, 4, 1}, {0, 0, 0}, {1, 1, 1}, {}, 1}};
  std::vector<double> u = test::places<double>(grid);

  void write(xp::SnapshotWriter& writer, std::int64_t step, double time) {
    writer.begin(step, time, 0.5);
    writer.write({"u", "", "", test::array(u)});
    writer.finish();
  }
};

TEST_F(Snapshots, ARunGoesOnWithItsList) {
  xp::SnapshotWriter first(self, folder.path, grid, {});
  write(first, 0, 0);
  write(first, 1, 0.5);
  xp::SnapshotWriter second(self, folder.path, grid, {});
  second.resume(first.written());
  // A step that is written again has one entry.
  write(second, 1, 0.5);
  write(second, 2, 1);
  ASSERT_EQ(second.written().size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    const xp::SnapshotEntry& entry = second.written()[n];
    EXPECT_EQ(entry.file, "fields_00000" + std::to_string(n) + ".vtkhdf");
    EXPECT_EQ(entry.time, 0.5 * static_cast<double>(n));
    for (const char* index : {"/fields.xdmf", "/fields.vtkhdf.series"})
      EXPECT_NE(test::bytes_of(folder.path + index).find(entry.file), std::string::npos) << index;
  }
  EXPECT_EQ(folder.names().size(), 5u);
}

TEST_F(Snapshots, AFolderThatIsNone) {
  test::write_bytes(folder.path + "/file", "");
  xp::SnapshotWriter writer(self, folder.path + "/file", grid, {});
  try {
    write(writer, 0, 0);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const xp::Error& error) {
    EXPECT_EQ(error.kind(), xp::ErrorKind::failure);
    EXPECT_EQ(error.diagnostics()[0].message,
              "cannot write '" + folder.path + "/file/fields_000000.vtkhdf': Not a directory");
  }
  EXPECT_TRUE(writer.written().empty());
}

}  // namespace
