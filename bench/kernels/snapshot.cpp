// A snapshot against a plain write of the same bytes to the same disk, both synced and renamed.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <common/heat_run.hpp>
#include <kernels/bench.hpp>
#include <xp/io/files.hpp>
#include <xp/io/snapshot.hpp>

namespace bench {
namespace {

// A folder that is gone at the end.
struct Folder {
  std::string path;
  explicit Folder(const std::string& parent)
      : path(parent + "/xp_bench_" + std::to_string(getpid())) {
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

void write_plainly(const std::string& path, const void* data, std::size_t bytes) {
  const auto check = [&](long result) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), path);
    return static_cast<std::size_t>(result);
  };
  const int file = static_cast<int>(
      check(open(xp::partial_name(path).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644)));
  for (std::size_t done = 0; done < bytes;)
    done += check(write(file, static_cast<const char*>(data) + done, bytes - done));
  check(close(file));
  xp::commit_file(path);
}

enum class How { plain, xpsim };

void snapshot(benchmark::State& state, const Options& options, std::vector<int> cells, How how) {
  HeatCase heat;
  heat.cells = std::move(cells);
  HeatRun run(heat);
  const Folder folder(options.folder);
  const xp::Communicator communicator(MPI_COMM_SELF);
  xp::SnapshotWriter writer(communicator, folder.path, xp::Grid(run.settings().grid), {});
  const xp::HostArray values = run.model().read_field(0);
  const double bytes = static_cast<double>(values.count) * 8;
  int step = 0;
  const auto write = [&] {
    // Each goes into a new file; the one before is removed, so that the disk does not fill.
    const std::string last = how == How::plain ? "/plain" : "/fields_";
    if (how == How::plain) {
      write_plainly(folder.path + "/plain", values.data,
                    static_cast<std::size_t>(values.count) * 8);
    } else {
      writer.begin(step, step, 1);
      writer.write({"u", "", "", run.model().read_field(0)});
      writer.finish();
    }
    ++step;
    state.PauseTiming();
    for (const auto& entry : std::filesystem::directory_iterator(folder.path))
      if (entry.path().string().find(last) != std::string::npos)
        std::filesystem::remove(entry.path());
    state.ResumeTiming();
  };
  for (auto _ : state) write();
  state.counters["bytes/s"] =
      benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

void register_snapshot(const Options& options) {
  const std::vector<std::vector<int>> sizes = {{4096, 4096}, {1000, 1000}};
  for (const std::vector<int>& cells : sizes)
    for (const How how : {How::plain, How::xpsim})
      benchmark::RegisterBenchmark(
          ((how == How::plain ? "write/plain/" : "write/snapshot/") + std::to_string(cells[0]) +
           "x" + std::to_string(cells[1]))
              .c_str(),
          [=](benchmark::State& state) { snapshot(state, options, cells, how); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
}

}  // namespace bench
