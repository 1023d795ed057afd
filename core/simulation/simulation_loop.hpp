// What changes while a run steps: private to simulation_*.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <xp/simulation/output_folder.hpp>
#include <xp/simulation/simulation.hpp>
#include <xp/simulation/stop.hpp>

namespace xp {

struct Simulation::Loop {
  RunState state;
  const Scheme& scheme;
  std::unique_ptr<StopControl> stop = {};
  ErrorControl control = {};
  int most_at_once = 1;     ///< steps in one pass
  double history_step = 0;  ///< size of the step that the scheme's history is of; 0: there is none
  std::optional<Ending> ending = {};
  bool output_is_ours = false;                   ///< may the folder be written into?
  std::vector<int> exact = {}, assertions = {};  ///< handles of expressions
  std::vector<std::string> failed = {};          ///< assertions, in words
  std::string checkpoint = {};                   ///< that the run goes on from; empty for none
  std::map<std::string, std::string> saved_monitors = {};

  /// Does a checkpoint belong to the run in the output folder?
  static bool restarts_here(const Settings& settings, const std::string& checkpoint) {
    namespace fs = std::filesystem;
    if (checkpoint == "latest") return true;
    std::error_code error;
    return fs::equivalent(fs::path(checkpoint).parent_path(), checkpoint_folder(settings.directory),
                          error);
  }
  std::pair<std::string, double> largest_field() const {
    std::pair<std::string, double> result;
    for (std::size_t f = 0; f < state.model.fields().size(); ++f) {
      const double size = state.model.norm("linf", static_cast<int>(f), 0, -1);
      if (result.first.empty() || size > result.second)
        result = {state.model.fields()[f].name, size};
    }
    return result;
  }
};

}  // namespace xp
