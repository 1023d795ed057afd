// Runs an input given as text, as the program does, and keeps what a test wants to know.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <xp/simulation/simulation.hpp>
#include <xp/solvers/solvers.hpp>

namespace test {

/// Backends and precisions of this build, for parameterised tests.
inline std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const xp::Backend backend : xp::available_backends()) names.push_back(xp::name(backend));
  return names;
}

struct Run {
  xp::RunReport report;
  std::vector<double> u;  ///< field 0 at the end, (z, y, x)
};

inline xp::Input read(const std::string& text, const xp::Registry& registry,
                      const std::vector<std::string>& overrides = {}) {
  xp::Diagnostics diagnostics;
  xp::Input input = xp::read_input(text, "test.yaml", overrides, registry.schema(), diagnostics);
  if (!diagnostics.empty()) xp::read_settings(input, registry, diagnostics);
  diagnostics.throw_if_any();
  return input;
}

inline Run run(const std::string& text, std::vector<std::string> overrides = {},
               const xp::Registry& registry = xp::builtin_models(),
               const std::function<void(xp::Simulation&)>& before = {}) {
  static int number = 0;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("xp_unit_" + std::to_string(::getpid()) + "_" + std::to_string(++number));
  overrides.push_back("output.directory=" + folder.string());
  Run result;
  {
    xp::Simulation simulation(read(text, registry, overrides), registry, MPI_COMM_SELF);
    if (before) before(simulation);
    result.report = simulation.run({});
    const xp::HostArray values = simulation.model().read_field(0);
    for (std::int64_t n = 0; n < values.count; ++n) result.u.push_back(values[n]);
  }
  std::filesystem::remove_all(folder);
  return result;
}

}  // namespace test
