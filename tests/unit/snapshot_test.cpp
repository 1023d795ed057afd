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
  const xp::SnapshotWriter::Written all = {
      {"fields_000000.vtkhdf", 0}, {"fields_000001.vtkhdf", 0.5}, {"fields_000002.vtkhdf", 1}};
  EXPECT_EQ(second.written(), all);
  for (const char* index : {"/fields.xdmf", "/fields.vtkhdf.series"})
    for (const auto& [name, time] : all)
      EXPECT_NE(test::bytes_of(folder.path + index).find(name), std::string::npos) << index;
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
