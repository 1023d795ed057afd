// Files that many ranks write: the same bytes whatever their number, read by any other number, and
// what fails on one rank fails on all.
#include <cstring>

#include <sys/resource.h>
#include <csignal>

#include <gtest/gtest.h>
#include <mpi.h>

#include <xp/io/checkpoint.hpp>
#include <xp/io/snapshot.hpp>
#include <xp/mesh/decomposition.hpp>
#include <xp/runtime/error.hpp>

#include "../unit/file_testing.hpp"

namespace {

const xp::GridSpec spec{3, {9, 8, 7}, {0, 0, 0}, {1, 2, 3}, {}, 1};

// The text of the error that a call ends with; collective, and the same on all ranks or marked.
std::string error_of(const xp::Communicator& world, const std::function<void()>& call) {
  std::string text;
  try {
    call();
  } catch (const xp::Error& error) {
    text = error.what();
  }
  return text == xp::broadcast(world, text) ? text : "the ranks differ: " + text;
}

struct Files : testing::Test {
  xp::Communicator world{MPI_COMM_WORLD};
  xp::Communicator self{MPI_COMM_SELF};
  std::unique_ptr<test::Folder> folder;  // the root's
  std::string path;
  xp::Grid whole{spec};
  xp::Grid part = cut(false);

  Files() {
    if (world.is_root()) {
      folder = std::make_unique<test::Folder>("mpi_files_" + std::to_string(::getpid()));
      path = folder->path;
    }
    path = xp::broadcast(world, path);
  }
  // The grid cut among all ranks, along z or along x.
  xp::Grid cut(bool along_x) const {
    const int n = world.size();
    const std::array<int, 3> parts = along_x ? std::array{n, 1, 1} : std::array{1, 1, n};
    return {spec, xp::Decomposition(spec, parts), world.rank()};
  }
  std::string on_disk(const std::string& name) const { return test::bytes_of(path + "/" + name); }

  template <class Real>
  void snapshot(const xp::Communicator& communicator, const xp::Grid& grid,
                const std::string& where) {
    xp::Provenance from;
    from.title = "caf\u00e9";
    from.input = "xpsim: 1\n";
    xp::SnapshotWriter writer(communicator, where, grid, from);
    const std::vector<Real> u = test::places<Real>(grid), v = test::places<Real>(grid, 2);
    writer.begin(3, 0.5, 0.1);
    writer.write({"u", "a field", "K", test::array(u)});
    writer.write({"v", "another", "", test::array(v)});
    writer.finish();
  }
  void checkpoint(const xp::Communicator& communicator, const xp::Grid& grid,
                  const std::string& where) {
    xp::CheckpointWriter writer(communicator, where, grid);
    const std::vector<double> u = test::places<double>(grid);
    const std::vector<float> v = test::places<float>(grid, 2);
    writer.begin(3);
    writer.write("u", test::array(u));
    writer.write("v", test::array(v));
    writer.finish("{\"time\": 0.5}", 2);
  }
  // Does the array of a checkpoint hold what `places` says, in this rank's block?
  template <class Real>
  bool has(const xp::CheckpointReader& reader, const std::string& name, const xp::Grid& grid,
           double factor) {
    std::vector<std::byte> bytes;
    reader.read(name, grid, bytes);
    const std::vector<Real> expected = test::places<Real>(grid, factor);
    return bytes.size() == expected.size() * sizeof(Real) &&
           std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0;
  }
};

TEST_F(Files, SnapshotsAreTheSameForAnyNumberOfRanks) {
  for (const bool along_x : {false, true}) {
    // The date has seconds: both files must be of the same one.
    bool same = false;
    for (int attempt = 0; attempt < 5 && !same; ++attempt) {
      snapshot<double>(world, cut(along_x), path);
      if (world.is_root()) {
        std::filesystem::create_directories(path + "/one");
        snapshot<double>(self, whole, path + "/one");
        same = on_disk("fields_000003.vtkhdf") == on_disk("one/fields_000003.vtkhdf") &&
               on_disk("fields.xdmf") == on_disk("one/fields.xdmf");
      }
      MPI_Bcast(&same, 1, MPI_CXX_BOOL, 0, world.get());
    }
    EXPECT_TRUE(same) << (along_x ? "along x" : "along z");
  }
}

TEST_F(Files, CheckpointsAreTheSameForAnyNumberOfRanks) {
  for (const bool along_x : {false, true}) {
    bool same = false;
    for (int attempt = 0; attempt < 5 && !same; ++attempt) {
      checkpoint(world, cut(along_x), path);
      if (world.is_root()) {
        checkpoint(self, whole, path + "/one");
        std::string many = on_disk("checkpoint_000000003.h5"),
                    one = on_disk("one/checkpoint_000000003.h5");
        // The table of contents has the number of ranks, the first bytes that table's checksum.
        const std::size_t at = one.find("\"ranks\": ");
        EXPECT_NE(at, std::string::npos);
        one.replace(at, 10, many, at, 10);
        one.replace(0, 512, many, 0, 512);
        same = one == many;
      }
      MPI_Bcast(&same, 1, MPI_CXX_BOOL, 0, world.get());
    }
    EXPECT_TRUE(same) << (along_x ? "along x" : "along z");
  }
}

TEST_F(Files, CheckpointsAreReadByAnyNumberOfRanks) {
  checkpoint(world, part, path);
  const std::string file = path + "/checkpoint_000000003.h5";
  {
    const xp::CheckpointReader reader(world, file);
    EXPECT_EQ(reader.state(), "{\"time\": 0.5}");
    EXPECT_EQ(reader.contents().ranks, world.size());
    for (const bool along_x : {false, true}) {
      EXPECT_TRUE(has<double>(reader, "u", cut(along_x), 1));
      EXPECT_TRUE(has<float>(reader, "v", cut(along_x), 2));
    }
  }
  const xp::CheckpointReader alone(self, file);
  EXPECT_TRUE(has<double>(alone, "u", whole, 1));
  MPI_Barrier(world.get());
}

// More than fits in one piece for each rank that writes: 22 MB.
TEST_F(Files, LargeArraysTravelInRounds) {
  const int n = world.size();
  const xp::GridSpec large{3, {151, 139, 131}, {0, 0, 0}, {1, 1, 1}, {}, 1};
  const xp::Grid along_y{large, xp::Decomposition(large, {1, n, 1}), world.rank()};
  const xp::Grid along_x{large, xp::Decomposition(large, {n, 1, 1}), world.rank()};
  checkpoint(world, along_y, path);
  const xp::CheckpointReader reader(world, path + "/checkpoint_000000003.h5");
  EXPECT_TRUE(has<double>(reader, "u", along_x, 1));
  EXPECT_TRUE(has<float>(reader, "v", along_y, 2));
}

TEST_F(Files, DamageIsSeenByAll) {
  checkpoint(world, part, path);
  const std::string file = path + "/checkpoint_000000003.h5";
  const std::string bytes = on_disk("checkpoint_000000003.h5");
  MPI_Barrier(world.get());
  // A value of the last rank's block; the size; the table of contents; nothing but zeros.
  const std::vector<double> u = test::places<double>(whole);
  const std::size_t value = bytes.find(std::string(reinterpret_cast<const char*>(&u.back()), 8));
  ASSERT_NE(value, std::string::npos);
  std::vector<std::string> damaged = {bytes, bytes.substr(0, 3000), bytes, std::string(700, '\0'),
                                      ""};
  damaged[0][value + 3] ^= 4;
  damaged[2][bytes.find("\"ranks\"")] = 'x';
  for (const std::string& content : damaged) {
    if (world.is_root()) test::write_bytes(file, content);
    bool thrown = false;
    const std::string text = error_of(world, [&] {
      try {
        const xp::CheckpointReader reader(world, file);
        has<double>(reader, "u", part, 1);
      } catch (const xp::DamagedCheckpoint&) {
        thrown = true;
        throw;
      }
    });
    EXPECT_TRUE(thrown);
    EXPECT_NE(text.find("'" + file + "' is damaged"), std::string::npos) << text;
  }
  const std::string missing = error_of(
      world, [&] { const xp::CheckpointReader reader(world, path + "/checkpoint_000000009.h5"); });
  EXPECT_NE(missing.find("No such file or directory"), std::string::npos) << missing;
}

TEST_F(Files, AFolderThatIsNoneFailsOnAll) {
  if (world.is_root()) test::write_bytes(path + "/file", "");
  std::string text = error_of(world, [&] { snapshot<float>(world, part, path + "/file"); });
  EXPECT_NE(text.find("file/fields_000003.vtkhdf': Not a directory"), std::string::npos) << text;
  text = error_of(world, [&] { checkpoint(world, part, path + "/file/checkpoint"); });
  EXPECT_NE(text.find("file/checkpoint'"), std::string::npos) << text;
}

// A limit on the size of files stands for a disk that is full: where the arrays have to go, or only
// where HDF5's own part has.
TEST_F(Files, AFullDiskFailsOnAll) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  for (const bool is_checkpoint : {false, true}) {
    const std::string name = is_checkpoint ? "checkpoint_000000003.h5" : "fields_000003.vtkhdf";
    const auto write = [&] {
      is_checkpoint ? checkpoint(world, part, path) : snapshot<double>(world, part, path);
    };
    write();
    const std::string bytes = on_disk(name);
    MPI_Barrier(world.get());
    for (const std::size_t limit : {bytes.size() / 2, bytes.size() - 1}) {
      const rlimit small{limit, before.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
      const std::string text = error_of(world, write);
      ::setrlimit(RLIMIT_FSIZE, &before);
      EXPECT_EQ(text, "error: cannot write '" + path + "/" + name + "': File too large") << limit;
      EXPECT_EQ(on_disk(name), bytes);
      EXPECT_FALSE(std::filesystem::exists(path + "/" + name + ".part"));
      MPI_Barrier(world.get());
    }
    EXPECT_EQ(error_of(world, write), "");
  }
}

}  // namespace
