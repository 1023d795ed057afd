#include <xp/solvers/linear/linear_choice.hpp>

namespace xp {

LinearChoice choose_elliptic(const LinearSettings& settings, bool varies) {
  LinearChoice choice;
  choice.options.tolerance = settings.tolerance;
  choice.options.max_iterations = settings.max_iterations;
  choice.options.check_every = settings.check_every;
  const bool given = settings.method != "auto";
  const bool cg = given ? settings.method == "cg" : varies;
  choice.options.method = cg ? LinearMethod::cg : LinearMethod::multigrid;
  choice.report.method = cg ? "cg" : "multigrid";
  choice.report.why = given    ? "as the input has it"
                      : varies ? "coefficients vary, and may jump"
                               : "coefficients are constant";
  return choice;
}

Solved note(const LinearResult& result, LinearChoice& choice) {
  ++choice.report.solves;
  choice.report.iterations += result.iterations;
  choice.report.residual = result.residual;
  return {
      result.converged(), result.finite(),
      result.message(
          choice.options.tolerance, choice.options.max_iterations,
          choice.options.method == LinearMethod::cg ? "" : "linear_solver.method cg may go on")};
}

const std::vector<std::pair<std::string, std::string>>& linear_method_help() {
  static const std::vector<std::pair<std::string, std::string>> help = {
      {"multigrid", "V-cycles of geometric multigrid, matrix-free"},
      {"cg", "conjugate gradients, with one such cycle as preconditioner"},
      {"bicgstab", "BiCGStab, for equations: cycles per field as preconditioner"},
      {"gmres", "GMRES(30), the same"},
  };
  return help;
}

}  // namespace xp
