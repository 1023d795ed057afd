// What tests of files share: folders of their own, grids and arrays whose values are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include <xp/field/host_array.hpp>
#include <xp/mesh/grid.hpp>

namespace test {

/// A folder that is gone at the end; its name is that of the test and process.
struct Folder {
  std::string path;
  explicit Folder(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("xp_" + name)).string()) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& item : std::filesystem::directory_iterator(path))
      result.push_back(item.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A block of values that tell their global place.
template <class Real>
std::vector<Real> places(const xp::Grid& grid, double factor = 1) {
  const xp::Block& block = grid.blocks()[0];
  std::vector<Real> values;
  for (int k = 0; k < block.cells[2]; ++k)
    for (int j = 0; j < block.cells[1]; ++j)
      for (int i = 0; i < block.cells[0]; ++i)
        values.push_back(
            static_cast<Real>(factor * (static_cast<double>(block.first[0] + i) +
                                        1000 * static_cast<double>(block.first[1] + j) +
                                        1e6 * static_cast<double>(block.first[2] + k) + 0.1)));
  return values;
}

template <class Real>
xp::HostArray array(const std::vector<Real>& values) {
  return {sizeof(Real) == 8 ? xp::Precision::double_ : xp::Precision::float_, values.data(),
          static_cast<std::int64_t>(values.size())};
}

}  // namespace test
