#include <xp/time/sweep_plan.hpp>

#include <algorithm>
#include <cstdint>

namespace xp {
namespace {

constexpr std::int64_t core_cache = 1 << 20;

}  // namespace

SweepRange SweepCuts::range(bool gaps, int n) const {
  const auto cut = [&](int number) {
    return static_cast<int>(static_cast<std::int64_t>(cells) * number / parts);
  };
  if (gaps) {
    const int place = cut(wraps ? n : n + 1);
    return {place, place, -reach, reach};
  }
  return {cut(n), cut(n + 1), n > 0 || wraps ? reach : 0, n < parts - 1 || wraps ? -reach : 0};
}

SweepPlan plan_sweep(const Grid& grid, Order order, AxisSet wraps, int arrays, int value_bytes,
                     int threads) {
  const int dimensions = grid.dimensions();
  SweepPlan plan;
  const int reach = ghost_width(order);
  if (dimensions < 2 || grid.ghosts(Axis::x) != reach) return plan;
  const Axis wave = all_axes[dimensions - 1];
  // The ghost cells of a lower wall are made from that many layers (see WallStencil).
  const int lag = std::max(reach, wall_stencil(order).points - 2);
  const auto cells = [&](Axis axis) {
    const Box own = grid.cells(Region::own);
    return own.size(index(axis));
  };
  const std::int64_t row_bytes =
      static_cast<std::int64_t>(cells(Axis::x) + 2 * reach) * value_bytes * arrays;
  // One thread with everything in its cache has nothing to gain; several save launches.
  if (threads == 1 && row_bytes * cells(Axis::y) * cells(Axis::z) <= core_cache) return plan;
  // What a thread's wave keeps in use should fit into its core's second-level cache; where not even
  // few steps do, its share of the last level is better than memory. Measured: docs/performance.md.
  constexpr struct {
    int steps;
    std::int64_t cache;
  } choices[] = {{8, core_cache}, {4, core_cache}, {4, 4 * core_cache}, {2, 4 * core_cache}};
  for (const auto& [steps, cache] : choices) {
    // Gaps must not meet.
    const int smallest = 2 * steps * reach;
    const std::int64_t window = lag * (steps - 1) + 2 * reach + 1;
    const std::int64_t rows_in_cache = cache / (window * row_bytes);

    SweepCuts layers{cells(wave), 1, (wraps & axis_bit(wave)) != 0, reach};
    if (layers.wraps && layers.cells < smallest) continue;
    layers.parts = std::clamp(layers.cells / smallest, 1, threads);

    SweepCuts rows{dimensions == 3 ? cells(Axis::y) : 1, 1, false, reach};
    const int most = std::max(1, rows.cells / smallest);
    const std::int64_t wanted = std::max<std::int64_t>(
        (threads + layers.parts - 1) / layers.parts,
        rows_in_cache > 0 ? (rows.cells + rows_in_cache - 1) / rows_in_cache : most + 1);
    if (wanted > most) continue;
    rows.parts = static_cast<int>(wanted);
    rows.wraps = rows.parts > 1 && (wraps & axis_bit(Axis::y)) != 0;
    plan.steps = steps;
    plan.lag = lag;
    plan.layers = layers;
    plan.rows = rows;
    return plan;
  }
  return plan;
}

}  // namespace xp
