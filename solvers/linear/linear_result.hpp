// How a linear system was solved.
#pragma once

#include <string>
#include <vector>

namespace xp {

struct LinearResult {
  enum class Reason {
    converged,
    too_many_iterations,
    stalled,
    incompatible,
    indefinite,
    not_finite
  };
  Reason reason = Reason::converged;
  int iterations = 0;
  double residual = 0;          ///< relative
  double rounding = 0;          ///< about the least residual that rounding leaves, relative
  double imbalance = 0;         ///< singular operators: mean of the first residual over its size
  std::vector<double> history;  ///< relative residuals: before the first iteration and at each look

  bool converged() const { return reason == Reason::converged; }
  bool finite() const { return reason != Reason::not_finite; }
  /// One line for people; empty if converged. `hint` is what may help where the residual falls no
  /// further.
  std::string message(double tolerance, int max_iterations, const std::string& hint = {}) const;
};

}  // namespace xp
