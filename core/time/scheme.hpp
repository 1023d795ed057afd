// Explicit Runge-Kutta schemes as tables over numbered copies ("slots") of the state.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xp {

/// One array that a stage writes: sum of coefficient*slot over `terms` + rate * step * du/dt.
struct StageOutput {
  int slot = 0;
  double rate = 0;
  std::vector<std::pair<int, double>> terms;  ///< (slot, coefficient)
};

/// One evaluation of du/dt, of the state in slot `in`, at time t + fraction*step, and all that is
/// made of it at once: every array is read and written once per stage. An output may be one of the
/// terms but never the slot that the stage reads through its stencil.
struct Stage {
  int in = 0;
  double fraction = 0;
  std::vector<StageOutput> outputs;
};

/// A scheme: slot 0 holds the state before the step, `result` the one after it.
struct Scheme {
  std::string name, help;
  int order = 1;
  int slots = 1;
  int result = 0;
  std::vector<Stage> stages;

  /// Largest step, in units of 2/lambda, with lambda the largest decay rate of the discrete
  /// operator: of strong stability (SSP coefficient) where the scheme has one, else of linear
  /// stability on the negative real axis.
  double limit = 1;

  /// Embedded schemes: the slot that is left holding the error estimate, and its order; -1 for
  /// others.
  int error_slot = -1;
  int error_order = 0;
  bool adaptive() const { return error_slot >= 0; }
  /// Euler's method: several of its steps can go through memory at once.
  bool is_euler() const { return stages.size() == 1; }
};

/// All explicit schemes: euler, ssprk2, ssprk3, rk4, rk32, rk54. Sources are in docs/numerics.md.
const std::vector<Scheme>& explicit_schemes();

/// The scheme of a name; throws std::logic_error for an unknown one (the schema has checked it).
const Scheme& explicit_scheme(const std::string& name);

}  // namespace xp
