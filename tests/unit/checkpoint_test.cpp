// Checkpoints on one rank: what is written is read, a file that is not whole is never used, and old
// ones go only when a new one is there.
#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/io/checkpoint.hpp>
#include <xp/io/describe.hpp>

#include "file_testing.hpp"

namespace {

using test::bytes_of;

struct Checkpoints : testing::Test {
  xp::Communicator self{MPI_COMM_SELF};
  test::Folder folder{"checkpoint_" + std::to_string(::getpid())};
  xp::Grid grid{{3, {5, 4, 3}, {0, 0, 0}, {1, 1, 1}, {}, 1}};
  std::vector<double> u = test::places<double>(grid);
  std::vector<float> v = test::places<float>(grid, -1);
  std::string state = R"({"time": 0.25, "input": "a: \u00e9"})";

  std::string write(std::int64_t step, int keep = 2) {
    xp::CheckpointWriter writer(self, folder.path, grid);
    writer.begin(step);
    writer.write("u", test::array(u));
    writer.write("v", test::array(v));
    writer.finish(state, keep);
    return xp::list_checkpoints(folder.path).at(0);
  }
  // The result of reading all of a file: "whole", "damaged" or "refused", or what is wrong with it.
  std::string outcome(const std::string& path) {
    try {
      const xp::CheckpointReader reader(self, path);
      if (reader.state() != state || reader.contents().step != 7) return "another text";
      std::vector<std::byte> values;
      reader.read("u", grid, values);
      if (std::memcmp(values.data(), u.data(), values.size()) != 0) return "other values of u";
      reader.read("v", grid, values);
      if (std::memcmp(values.data(), v.data(), values.size()) != 0) return "other values of v";
      return "whole";
    } catch (const xp::DamagedCheckpoint&) {
      return "damaged";
    } catch (const xp::Error& error) {
      return error.kind() == xp::ErrorKind::input ? "refused" : error.what();
    }
  }
};

TEST_F(Checkpoints, AreReadAsWritten) {
  const std::string path = write(7);
  EXPECT_EQ(path, folder.path + "/checkpoint_000000007.h5");
  EXPECT_EQ(outcome(path), "whole");
  const xp::CheckpointReader reader(self, path);
  EXPECT_TRUE(reader.has("u"));
  EXPECT_FALSE(reader.has("w"));
  EXPECT_EQ(reader.shape("u"), (std::array<std::int64_t, 3>{3, 4, 5}));
  EXPECT_EQ(reader.precision("u"), xp::Precision::double_);
  EXPECT_EQ(reader.precision("v"), xp::Precision::float_);
  EXPECT_EQ(reader.contents().ranks, 1);
}

TEST_F(Checkpoints, DoNotFitAnotherGrid) {
  const xp::CheckpointReader reader(self, write(7));
  std::vector<std::byte> values;
  const xp::Grid other({3, {5, 4, 4}, {0, 0, 0}, {1, 1, 1}, {}, 1});
  EXPECT_THROW(reader.read("u", other, values), xp::Error);
  EXPECT_THROW(reader.read("w", grid, values), xp::Error);
}

TEST_F(Checkpoints, AreHdf5FilesForOthers) {
  const std::string bytes = bytes_of(write(7));
  EXPECT_EQ(bytes.substr(0, 17), "xpsim checkpoint\n");
  EXPECT_EQ(bytes.substr(512, 4), "\x89HDF");
}

TEST_F(Checkpoints, AreListed) {
  const std::string text = xp::describe_file(write(7));
  for (const char* part : {": checkpoint of xpsim", "step        7\n", "time        0.25\n",
                           "array u     (3, 4, 5) double\n", "array v     (3, 4, 5) float\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST_F(Checkpoints, OldOnesGo) {
  for (const std::int64_t step : {7, 9, 8}) write(step);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"checkpoint_000000008.h5", "checkpoint_000000009.h5"}));
  test::write_bytes(folder.path + "/checkpoint_000000006.h5.part", "of a run that was killed");
  test::write_bytes(folder.path + "/checkpoint_6.h5", "not ours");
  write(12345678901, 1);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"checkpoint_12345678901.h5", "checkpoint_6.h5"}));
  // The one just written stays, whatever steps others have.
  write(3, 0);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"checkpoint_000000003.h5", "checkpoint_6.h5"}));
}

TEST_F(Checkpoints, TheNewestComesFirst) {
  for (const std::int64_t step : {1000000000, 999999999, 5}) write(step, 9);
  const std::vector<std::string> list = xp::list_checkpoints(folder.path);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0], folder.path + "/checkpoint_1000000000.h5");
  EXPECT_EQ(list[2], folder.path + "/checkpoint_000000005.h5");
  EXPECT_TRUE(xp::list_checkpoints(folder.path + "/nowhere").empty());
}

TEST_F(Checkpoints, NothingIsLeftOfOneThatIsNotFinished) {
  write(7);
  {
    xp::CheckpointWriter writer(self, folder.path, grid);
    writer.begin(8);
    writer.write("u", test::array(u));
    EXPECT_EQ(folder.names().size(), 2u);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"checkpoint_000000007.h5"});
}

TEST_F(Checkpoints, MissingFilesAndOthersAreTheUsersMistake) {
  EXPECT_EQ(outcome(folder.path + "/checkpoint_000000001.h5"), "refused");
  EXPECT_EQ(outcome(folder.path), "refused");
  test::write_bytes(folder.path + "/other.h5", "\x89HDF\r\n\x1a\n and so on");
  EXPECT_EQ(outcome(folder.path + "/other.h5"), "refused");
}

TEST_F(Checkpoints, AnyFlippedBitIsFound) {
  const std::string path = write(7), whole = bytes_of(path);
  std::mt19937 random(1);
  int found = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::string bytes = whole;
    bytes[n] = static_cast<char>(bytes[n] ^ (1 << random() % 8));
    test::write_bytes(path, bytes);
    const std::string what = outcome(path);
    ASSERT_TRUE(what == "whole" || what == "damaged") << what << ", byte " << n;
    found += what == "damaged";
  }
  // All arrays and texts matter; what HDF5 says of them does not.
  EXPECT_GE(found, static_cast<int>(u.size() * 8 + v.size() * 4 + state.size()));
}

TEST_F(Checkpoints, AShorterOrLongerFileIsFound) {
  const std::string path = write(7), whole = bytes_of(path);
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 100) {
    test::write_bytes(path, whole.substr(0, size));
    ASSERT_EQ(outcome(path), "damaged") << size;
  }
  test::write_bytes(path, whole + "x");
  EXPECT_EQ(outcome(path), "damaged");
}

TEST_F(Checkpoints, GarbageIsFound) {
  const std::string path = write(7), whole = bytes_of(path);
  std::mt19937 random(2);
  for (int n = 0; n < 100; ++n) {
    std::string bytes = n % 2 ? whole.substr(0, 17) : std::string();
    while (bytes.size() < whole.size()) bytes += static_cast<char>(random());
    test::write_bytes(path, bytes);
    ASSERT_EQ(outcome(path), "damaged");
  }
}

TEST_F(Checkpoints, ExchangedCellsAreFound) {
  const std::string path = write(7);
  std::string bytes = bytes_of(path);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(u.data()), 16));
  ASSERT_NE(at, std::string::npos);
  std::swap_ranges(bytes.begin() + static_cast<long>(at), bytes.begin() + static_cast<long>(at) + 8,
                   bytes.begin() + static_cast<long>(at) + 8);
  test::write_bytes(path, bytes);
  EXPECT_EQ(outcome(path), "damaged");
}

}  // namespace
