// Time schemes as tables over numbered copies ("slots") of the state.
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

/// Which terms of du/dt a stage evaluates. Explicit schemes know all of them only; where no part is
/// called implicit or explicit, all terms are implicit to the other schemes.
enum class Part { all, explicit_, implicit_ };

/// One evaluation of du/dt, of the state in slot `in`, at time t + fraction*step, and all that is
/// made of it at once: every array is read and written once per stage. An output may be one of the
/// terms but never the slot that the stage reads through its stencil. Where no output has a rate,
/// nothing is evaluated.
///
/// Where `implicit` is positive the slot `in` is solved for first:
/// in - implicit*step*(implicit part of du/dt of `in`) = slot `right_side`, at the stage's time.
struct Stage {
  int in = 0;
  double fraction = 0;
  std::vector<StageOutput> outputs;
  Part part = Part::all;
  double implicit = 0;
  int right_side = 0;  ///< another slot than `in`
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

  /// Multi-step schemes: slots that a step leaves to the next one of the same size, and the stages
  /// of a step that has none before it.
  std::vector<int> history = {};
  std::vector<Stage> first = {};

  bool implicit() const;
  /// Forward Euler: several of its steps can go through memory at once.
  bool is_euler() const { return stages.size() == 1; }
};

/// All schemes: euler, ssprk2, ssprk3, rk4, rk32, rk54, backward_euler, crank_nicolson, bdf2, imex,
/// imex3, and adi, whose one stage the model takes by a method of its own. Sources are in
/// docs/numerics.md.
const std::vector<Scheme>& schemes();

/// The scheme of a name; throws std::logic_error for an unknown one (the schema has checked it).
const Scheme& find_scheme(const std::string& name);

}  // namespace xp
