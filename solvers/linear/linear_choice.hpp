// Which linear solver an input gets, and why.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <xp/simulation/model.hpp>
#include <xp/solvers/linear/elliptic_solver.hpp>

namespace xp {

/// How alpha u - div(beta grad u) = f is solved.
struct LinearChoice {
  LinearOptions options;
  LinearReport report;  ///< with the method and the reason
};
/// `varies`: are there arrays of coefficients?
LinearChoice choose_elliptic(const LinearSettings& settings, bool varies);

/// Adds a solve to the report, and says how it ended.
Solved note(const LinearResult& result, LinearChoice& choice);

/// Methods with one line of help each, for `xpsim list` and the manual.
const std::vector<std::pair<std::string, std::string>>& linear_method_help();

}  // namespace xp
