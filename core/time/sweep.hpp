// Several Euler steps in one pass over memory, on a CPU (see sweep_plan.hpp).
#pragma once

#include <xp/field/solved_walls.hpp>
#include <xp/time/stage.hpp>
#include <xp/time/sweep_plan.hpp>

namespace xp {

/// What a sweep is made of. `Rate` is the right-hand side as for apply_stage(), on a star-shaped
/// stencil: ghost cells at the grid's edges and corners are not filled.
template <int dimensions, int order, class Space, class Real, class Rate>
struct Sweep {
  /// The two arrays, and a step out of each: rate[n] reads u[n], update[n] (one or two terms, the
  /// first of them u[n]) writes u[1 - n].
  FieldView<Space, Real> u[2];
  Rate rate[2];
  StageTarget<Space, Real> update[2];
  SteadyGhosts<order, Real> ghosts;
  Box own;
  SweepPlan plan;

  /// Takes `steps` steps, at most plan.steps, from u[0], whose ghost cells are filled, to
  /// u[steps % 2], whose ghost cells are not. Bit for bit what single steps give.
  void run(const Space& space, const char* kernel, int steps) const {
    for (const bool layer_gaps : {false, true})
      for (const bool row_gaps : {false, true}) {
        const int parts = plan.rows.count(row_gaps);
        const int tasks = plan.layers.count(layer_gaps) * parts;
        const auto task = [=, this](const int n) {
          advance(plan.layers.range(layer_gaps, n / parts), plan.rows.range(row_gaps, n % parts),
                  steps);
        };
        if (tasks == 1 || thread_count<Space>() == 1)
          for (int n = 0; n < tasks; ++n) task(n);
        else if (tasks > 1)
          Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Space>(space, 0, tasks), task);
      }
  }

 private:
  static constexpr int width = SteadyGhosts<order, Real>::width;
  static constexpr int wall_cells = SteadyGhosts<order, Real>::points - 1;

  // The steps of one part or gap as a wave: each a few layers behind the one before.
  void advance(const SweepRange& layers, const SweepRange& rows, int steps) const {
    const int end = std::max(layers.upper, layers.last(steps - 1)) + plan.lag * (steps - 1);
    for (int place = layers.lower; place < end; ++place)
      for (int step = 0; step < steps; ++step) {
        const int layer = place - plan.lag * step;
        if (layer < layers.first(step)) break;
        if (layer >= layers.last(step)) continue;
        const int first = rows.first(step), last = rows.last(step);
        for (int row = first; row < last; ++row) take(step % 2, layer, row);
        if (step + 1 < steps) fill(u[1 - step % 2], layer, first, last);
      }
  }
  static int wrapped(int layer, int cells) {
    return layer < 0 ? layer + cells : layer >= cells ? layer - cells : layer;
  }
  // The first own cell of a row, of a layer that may be a ghost layer.
  Real* line(const FieldView<Space, Real>& field, int layer, int row) const {
    if constexpr (dimensions == 2)
      return &field(own.lower[2], own.lower[1] + layer, own.lower[0]);
    else
      return &field(own.lower[2] + layer, own.lower[1] + row, own.lower[0]);
  }

  void take(int from, int layer, int row) const {
    const int a = wrapped(layer, plan.layers.cells), b = wrapped(row, plan.rows.cells);
    const int k = dimensions == 2 ? own.lower[2] : own.lower[2] + a;
    const int j = own.lower[1] + (dimensions == 2 ? a : b);
    const int first = own.lower[0], last = own.upper[0];
    // Copies: a store through `out` could otherwise change what the loop reads of this object.
    const Rate rates = rate[from];
    const FieldView<Space, Real> out = u[1 - from], in = u[from];
    const StageTarget<Space, Real>& t = update[from];
    const Real c = t.coefficient[0], cr = t.rate;
    if (t.terms == 1) {
      XP_VECTORISE
      for (int i = first; i < last; ++i) out(k, j, i) = c * in(k, j, i) + cr * rates(k, j, i);
    } else {
      const FieldView<Space, Real> other = t.source[1];
      const Real co = t.coefficient[1];
      XP_VECTORISE
      for (int i = first; i < last; ++i)
        out(k, j, i) = c * in(k, j, i) + co * other(k, j, i) + cr * rates(k, j, i);
    }
    const auto& ends = ghosts.ends[0];
    Real* cells = line(out, a, b);
    const int count = last - first;
    if (ends.copies) {
      for (int m = 1; m <= width; ++m) {
        cells[-m] = ends.sign * cells[count - m];
        cells[count + m - 1] = ends.sign * cells[m - 1];
      }
    } else {
      ends.lower(cells, 1);
      ends.upper(cells + count - 1, -1);
    }
  }

  // The ghost cells that follow from rows [first, last) of a layer.
  void fill(const FieldView<Space, Real>& field, int layer, int first, int last) const {
    const int a = wrapped(layer, plan.layers.cells);
    if constexpr (dimensions == 3) {
      const auto& ends = ghosts.ends[1];
      const std::int64_t stride = field.stride(Axis::y);
      const int cells = plan.rows.cells;
      if (ends.copies) {
        for (int row = first; row < last; ++row) {
          const int b = wrapped(row, cells);
          if (b < width) copy_line(line(field, a, b), cells * stride, ends.sign);
          if (b >= cells - width) copy_line(line(field, a, b), -cells * stride, ends.sign);
        }
      } else {
        if (first <= 0) solve_line(ends.lower, line(field, a, 0), stride);
        if (last >= cells) solve_line(ends.upper, line(field, a, cells - 1), -stride);
      }
    }
    const auto& ends = ghosts.ends[dimensions - 1];
    const std::int64_t stride = field.stride(all_axes[dimensions - 1]);
    const int cells = plan.layers.cells;
    for (int row = first; row < last; ++row) {
      const int b = wrapped(row, plan.rows.cells);
      if (ends.copies) {
        if (a < width) copy_line(line(field, a, b), cells * stride, ends.sign);
        if (a >= cells - width) copy_line(line(field, a, b), -cells * stride, ends.sign);
      } else {
        if (a == wall_cells - 1) solve_line(ends.lower, line(field, 0, b), stride);
        if (a == cells - 1) solve_line(ends.upper, line(field, cells - 1, b), -stride);
      }
    }
  }
  void copy_line(Real* from, std::int64_t distance, Real sign) const {
    Real* to = from + distance;
    const int count = own.size(0);
    XP_VECTORISE
    for (int i = 0; i < count; ++i) to[i] = sign * from[i];
  }
  void solve_line(const SolvedWall<SteadyGhosts<order, Real>::points, width, Real>& solved,
                  Real* wall, std::int64_t stride) const {
    const auto fixed = solved;
    const int count = own.size(0);
    XP_VECTORISE
    for (int i = 0; i < count; ++i) fixed(wall + i, stride);
  }
};

}  // namespace xp
