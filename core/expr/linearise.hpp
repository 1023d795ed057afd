// How a right-hand side answers to a small change of its fields: what time steps are limited by.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <xp/expr/computation.hpp>

namespace xp {

struct Interval {
  double lower = 0, upper = 0;
};

/// A term of the linearised equations: d/dt of a change in `equation` holds coefficient times the
/// stencils, outermost first, of the change in `field`. Without stencils: the change itself.
struct LinearTerm {
  int equation = 0, field = 0;
  std::vector<Stencil> stencils;
  Interval coefficient;
  int number = 0;  ///< among all terms of the equations, for describe()
};

struct LinearTerms {
  std::vector<LinearTerm> bounded;
  std::vector<int> unbounded;  ///< numbers of those whose coefficient has no finite bounds
};

/// The linearised equations, with coefficients frozen at a cell. Differences of fields in
/// coefficients (du/dx in u du/dx) are left out: they are part of the solution's own growth.
class Linearised {
 public:
  /// The requests must have been compiled without a mistake.
  Linearised(const std::vector<Request>& requests, const Symbols& symbols);
  ~Linearised();
  Linearised(Linearised&&) noexcept;

  /// The terms with bounds of their coefficients (interval arithmetic), where fields, coordinates
  /// and the time stay in the given ranges.
  LinearTerms terms(const std::vector<Interval>& fields, const std::array<Interval, 3>& coordinates,
                    double time) const;
  /// A term in words: "the coefficient 1/u of laplacian(u) in d/dt u".
  std::string describe(int number) const;
  /// False where the equations are so complicated that terms are missing.
  bool is_complete() const { return complete_; }
  /// Do coefficients depend on fields or on the time?
  bool changes() const { return changes_; }
  /// Are the expressions sums of fields and their differences, with factors that know no field?
  /// False where that is not plain to see.
  bool is_linear() const { return linear_; }
  /// Does the time occur, so that coefficients may change while the fields stay?
  bool is_timed() const { return timed_; }

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
  bool complete_ = true, changes_ = false, timed_ = false, linear_ = true;
};

}  // namespace xp
