#include <xp/solvers/linear/linear_result.hpp>

#include <fmt/format.h>

namespace xp {

std::string LinearResult::message(double tolerance, int max_iterations,
                                  const std::string& hint) const {
  const std::string after =
      fmt::format("after {} iteration{} the residual is {:.3g} of the first one", iterations,
                  iterations == 1 ? "" : "s", residual);
  switch (reason) {
    case Reason::converged:
      return {};
    case Reason::too_many_iterations:
      return fmt::format(
          "{}, above linear_solver.tolerance {:.3g}: "
          "linear_solver.max_iterations is {}",
          after, tolerance, max_iterations);
    case Reason::stalled:
      if (residual > 100 * rounding)
        return after + ", and falls no further" + (hint.empty() ? "" : ": " + hint);
      return fmt::format(
          "{}, and falls no further: linear_solver.tolerance {:.3g} is below what "
          "rounding lets it reach",
          after, tolerance);
    case Reason::incompatible:
      return fmt::format(
          "there is no solution: with these boundary conditions the source and the "
          "fluxes through the walls have to balance, and their mean is {:.3g} of "
          "their size",
          imbalance);
    case Reason::indefinite:
      return "the operator is not positive definite: " + after;
    case Reason::not_finite:
      return fmt::format("the residual is not a finite number after {} iterations", iterations);
  }
  return {};
}

}  // namespace xp
