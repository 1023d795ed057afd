// Models as a run has them, driven step by step: made from an input text through the same reader
// and registry, without monitors and files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <xp/simulation/simulation.hpp>

namespace bench {

class ModelRun {
 public:
  /// `input` as a user would write it, and the scheme that it names.
  ModelRun(const std::string& input, const std::string& scheme);

  /// One step of the scheme; returns before its kernels have ended where the backend allows it.
  void step();
  /// Several, as a run takes them between two looks at the state: several at once where the model
  /// can, unless `single`.
  void steps(long count, bool single = false);
  void fence() { model().fence(); }
  double time_step() const { return step_; }
  void set_time_step(double step) { step_ = step; }
  const xp::Scheme& scheme() const { return scheme_; }

  xp::Model& model() { return simulation_.model(); }
  const xp::Settings& settings() const { return simulation_.settings(); }

 private:
  xp::Simulation simulation_;
  const xp::Scheme& scheme_;
  double step_ = 0, time_ = 0;
};

struct HeatCase {
  std::vector<int> cells;  ///< along x, y(, z)
  xp::Backend backend = xp::Backend::serial;
  xp::Precision precision = xp::Precision::double_;
  std::string scheme = "euler";
  int order = 2;
  bool variable = false;     ///< diffusivity: an expression instead of a constant
  bool as_equation = false;  ///< the equation written out instead of the model

  std::int64_t cell_count() const;
  int value_bytes() const { return precision == xp::Precision::double_ ? 8 : 4; }
  std::string input() const;  ///< as a user would write it
};

/// The diffusivity, and the part of the stability limit that steps take: small, so that a mode
/// decays so slowly that no benchmark reaches denormal numbers.
inline constexpr double diffusivity = 0.1;
inline constexpr double part_of_limit = 0.05;

class HeatRun : public ModelRun {
 public:
  explicit HeatRun(const HeatCase& heat);

  /// Bytes per step when every array is read once and written once per stage, the read that a
  /// write to memory not read before causes (write-allocate) included; ghosts not counted.
  double least_bytes() const;

 private:
  HeatCase case_;
};

}  // namespace bench
