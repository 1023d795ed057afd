// The largest stable step of a time scheme for linearised equations.
#pragma once

#include <vector>

#include <xp/expr/linearise.hpp>
#include <xp/mesh/boundary.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/time/scheme.hpp>

namespace xp {

/// Where an explicit scheme is stable, computed from its stages.
class StabilityRegion {
 public:
  explicit StabilityRegion(const Scheme& scheme);
  /// The largest step for an eigenvalue: where its ray leaves the region, and not above the
  /// scheme's own limit for decay. Infinity for one that grows.
  double step(double real, double imaginary) const;

 private:
  static constexpr int rays = 180;  ///< from the imaginary to the negative real axis
  double limit_;
  std::vector<double> reach_;
};

/// How waves on a grid see the differences that are taken on it.
struct WaveSetup {
  const Grid* grid = nullptr;
  Order order = Order::second;
  Advection advection = Advection::upwind1;
  bool walls[3] = {false, false, false};  ///< given values at walls: larger eigenvalues at order 4
  double refinement = 1;                  ///< cells per cell of the grid, along each axis
};

/// Von Neumann's analysis: for waves exp(i k x) of all lengths that the grid has, the eigenvalues
/// of the linearised equations must lie in the scheme's region of stability, which is computed from
/// its stages, and the step below the scheme's own `limit` for decay. Coefficients are frozen at
/// their smallest and at their largest values. Growing waves do not count. Infinity where nothing
/// limits the step; 0 where no step is stable.
double stable_step(const StabilityRegion& region, const std::vector<LinearTerm>& terms,
                   int equations, const WaveSetup& setup);

/// The same for a scheme with implicit stages: for each wave the matrix that takes a step is made
/// by the scheme's own stages from the matrices of both parts, and no power of it may grow. Waves
/// that the equations let grow do not count. Infinity where no step up to 4096 over the largest
/// rate of the explicit part is unstable.
double stable_step(const Scheme& scheme, const std::vector<LinearTerm>& explicit_terms,
                   const std::vector<LinearTerm>& implicit_terms, int equations,
                   const WaveSetup& setup);

/// Do waves grow the faster the shorter they are, as on ever finer grids? Then the equations have
/// no solution for a grid to come close to: diffusion that runs backwards, for one. Coefficients
/// count with their lower bounds; meant for ranges that are points.
bool grows_without_bound(const std::vector<LinearTerm>& terms, int equations,
                         const WaveSetup& setup);

}  // namespace xp
