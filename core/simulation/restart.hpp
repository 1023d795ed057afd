// What a checkpoint says about a run beside its arrays, and whether an input may go on from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <xp/simulation/settings.hpp>
#include <xp/time/control.hpp>

namespace xp {

struct SavedRun {
  std::int64_t step = 0, rejected_steps = 0, convergence_checks = 0;
  double time = 0, step_size = 0, convergence_value = 0;
  EqualSteps::Saved steps;
  ErrorControl::Saved control;
  std::map<std::string, std::string> monitors;  ///< what each keeps, by its name
  std::vector<std::string> failed;              ///< assertions at the start, in words
  std::string input;                            ///< resolved
};

/// As the text of a checkpoint, and back to the same bits.
std::string to_text(const SavedRun& run);
SavedRun saved_run_from(const std::string& text);

/// May `input` go on from a checkpoint of the run whose resolved input is given? Everything that
/// changes what is solved must be the same: each key that differs goes into the diagnostics.
/// Returns whether the times of fixed steps may have changed, too.
bool compare_with_saved(const Input& input, const std::string& saved_input,
                        const std::string& checkpoint, const Registry& registry,
                        Diagnostics& diagnostics);

}  // namespace xp
