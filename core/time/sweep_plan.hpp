// How several steps are taken in one pass over memory: which part of the grid is advanced when, so
// that what a step writes is still in the cache when the next one reads it.
//
// Method: time skewing in a wave of layers (Wonnacott 2000; Wellein, Hager et al. 2009) inside
// parts whose ranges shrink by the stencil's reach with every step, followed by the gaps between
// them, which grow by as much (trapezoids: Frigo and Strumpen 2005). Two arrays are enough: a value
// is overwritten two steps later, when all its readers are done. Every cell is computed once per
// step from the same neighbours as otherwise, so no bit of the result changes.
#pragma once

#include <xp/mesh/boundary.hpp>
#include <xp/mesh/grid.hpp>

namespace xp {

/// A half-open range of layers that moves with the step n = 0, 1, ... of a sweep. Layers count from
/// the first own one; where an axis wraps around they may lie outside of it by less than its size.
struct SweepRange {
  int lower = 0, upper = 0;
  int lower_speed = 0, upper_speed = 0;
  int first(int step) const { return lower + lower_speed * step; }
  int last(int step) const { return upper + upper_speed * step; }
};

/// The parts of one axis, and the gaps between them.
struct SweepCuts {
  int cells = 1;
  int parts = 1;
  bool wraps = false;  ///< there is a cut between the last and the first cell
  int reach = 1;       ///< of the stencil

  /// How many parts (`gaps` false) or gaps there are; each can be advanced by itself.
  int count(bool gaps) const { return !gaps ? parts : wraps ? parts : parts - 1; }
  SweepRange range(bool gaps, int n) const;
};

struct SweepPlan {
  int steps = 1;  ///< most steps that a sweep takes; 1: not worth it
  int lag = 1;    ///< layers that a step stays behind the one before
  SweepCuts layers, rows;
};

/// The plan for a grid in 2 or 3 dimensions. Layers are rows of cells along x in 2-D and planes in
/// 3-D, where `rows` cuts those. `arrays` counts what a step reads and writes, of values of that
/// many bytes; `wraps` says along which axes each end follows the other (GhostFiller::ends()). No
/// sweeps on a grid with more ghost cells than the order needs: they would not be filled.
SweepPlan plan_sweep(const Grid& grid, Order order, AxisSet wraps, int arrays, int value_bytes,
                     int threads);

}  // namespace xp
