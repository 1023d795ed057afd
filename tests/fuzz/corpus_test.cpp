// What fuzzing does, once for every file of the folders and files that are given: without a fuzzer,
// with every compiler. Fails for an input that crashes, takes long or much memory, or is refused in
// another way than inputs are.
#include <algorithm>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <mpi.h>
#include <sys/resource.h>

#include <xp/io/files.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/solvers/solvers.hpp>

#include "check_input.hpp"

namespace {

namespace fs = std::filesystem;

constexpr double longest_seconds = 10;
constexpr long most_kibibytes = 2 * 1024 * 1024;

std::vector<fs::path> files_of(int count, char** names) {
  std::vector<fs::path> files;
  for (int n = 1; n < count; ++n)
    if (fs::is_directory(names[n])) {
      for (const auto& entry : fs::directory_iterator(names[n]))
        // libFuzzer's names have no ending; what stands beside inputs has another.
        if (entry.path().extension() == ".yaml" || !entry.path().has_extension())
          files.push_back(entry.path());
    } else {
      files.emplace_back(names[n]);
    }
  std::sort(files.begin(), files.end());
  return files;
}

// What is wrong with a file, or "".
std::string check(const fs::path& file, const xp::Registry& registry) {
  // Of the processor, so that others on the machine do not count.
  const std::clock_t begin = std::clock();
  try {
    fuzz::check_input(xp::read_file(file.string()), registry);
  } catch (const std::exception& error) {
    return error.what();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > most_kibibytes) return "takes more than 2 GiB of memory";
  if (static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC > longest_seconds)
    return "takes more than 10 s";
  return {};
}

}  // namespace

int main(int count, char** names) {
  MPI_Init(nullptr, nullptr);
  int wrong = 0;
  {
    const xp::KokkosSession kokkos(1, {});
    const xp::Registry registry = xp::builtin_models();
    const std::vector<fs::path> files = files_of(count, names);
    for (const fs::path& file : files) {
      // The last name that is seen is that of an input which crashes.
      std::cout << file.string() << std::endl;
      const std::string mistake = check(file, registry);
      if (mistake.empty()) continue;
      ++wrong;
      std::cout << "  FAILED: " << mistake << "\n";
    }
    std::cout << files.size() << " inputs, " << wrong << " failures\n";
    if (files.empty()) wrong = 1;
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
