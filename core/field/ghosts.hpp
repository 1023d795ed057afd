// Filling the ghost cells of a field from its boundary conditions.
#pragma once

#include <vector>

#include <xp/field/evaluate.hpp>
#include <xp/field/field.hpp>
#include <xp/field/halo.hpp>
#include <xp/field/solved_walls.hpp>
#include <xp/mesh/boundary.hpp>

namespace xp {

/// Fills ghost cells, corners included, of every field that shares a grid and a set of conditions:
/// all but those that are other ranks' cells (HaloExchange), which come after. Walls are filled
/// first, then ends that follow each other: what lies around such an end is a copy. Values at the
/// wall are evaluated on the device: once if they do not depend on time, else per fill. Method:
/// ghost values such that the interpolant through ghost and own cells meets the condition at the
/// wall (wall_stencil()); for second order the usual reflection. The grid's ghost layer may be
/// wider than the order needs: from ghost_width(order) to most_ghosts.
template <class Space, class Real>
class GhostFiller {
 public:
  GhostFiller() = default;
  /// Throws an Error of kind input when an axis has too few cells for the order and the ghost
  /// width, or when constants of a robin condition have no solution (has_solution()).
  GhostFiller(const Grid& grid, const BoundaryConditions& conditions, Order order);

  /// Bytes that allocate() takes: the strips along walls whose values are no constants.
  std::int64_t memory() const;
  /// Allocates them; fill() does it when it has not been done.
  void allocate();

  /// Fills the ghosts of a field's component at a time.
  void fill(const Space& space, const FieldView<Space, Real>& u, double time);

  /// Does nothing here depend on the time or the place along a wall?
  bool is_steady() const;
  /// The axes along which each end follows the other: periodic and antiperiodic ones.
  const FieldEnds& ends() const { return ends_; }
  /// The conditions as plain data, where they are steady and of that order.
  template <int order>
  SteadyGhosts<order, Real> steady() const;

  /// Wall values, one strip per side and coefficient: public only because CUDA asks it of kernels.
  struct Strip {
    DeviceProgram<Space> program;
    bool constant = true, timed = false, fresh = false;
    double value = 0;
    Kokkos::View<double***, Kokkos::LayoutRight, typename Space::memory_space> values;
  };
  struct Side {
    Axis axis = Axis::x;
    bool upper = false;
    BoundaryKind kind = BoundaryKind::periodic;
    Box lines;  ///< own cells next to the wall, with the ghosts that are filled before
    int width = 1, cells = 1;
    Strip alpha, beta, value;
  };
  void update(const Space& space, const Side& side, Strip& strip, double time);
  void fill_wall(const Space& space, Side& side, const FieldView<Space, Real>& u, double time);

 private:
  Side side_of(const BoundaryCondition& condition, Axis axis, bool upper) const;
  void require_cells(const BoundaryCondition& condition, Axis axis) const;
  bool is_solved(const Side& side) const;
  template <int points, int width>
  SolvedWall<points, width, Real> solve(const Side& side) const;

  Grid grid_{GridSpec{}};
  Order order_ = Order::second;
  WallStencil stencil_;
  FieldEnds ends_;
  std::vector<Side> sides_;  ///< of this rank, in the order in which they are filled
};

}  // namespace xp
