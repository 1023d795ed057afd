#include <xp/solvers/linear/level_shape.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace xp {

Grid LevelShape::grid() const {
  GridSpec spec;
  spec.dimensions = dimensions;
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    spec.cells[a] = axes[a].cells();
    spec.periodic[a] = (ends.wraps & axis_bit(axis)) != 0;
  }
  return Grid(spec, decomposition, rank);
}

AxisSet LevelShape::next() const {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LevelAxis& axis : axes)
    if (axis.can_be_coarsened()) narrowest = std::min(narrowest, axis.width(0));
  AxisSet result = 0;
  for (const Axis axis : all_axes) {
    const LevelAxis& cells = axes[static_cast<std::size_t>(index(axis))];
    if (cells.can_be_coarsened() && cells.width(0) <= 1.5 * narrowest) result |= axis_bit(axis);
  }
  return result;
}

bool LevelShape::can_be_coarsened(AxisSet set) const {
  for (const Axis axis : all_axes) {
    if ((set & axis_bit(axis)) == 0) continue;
    for (int part = 0; part < decomposition.parts(axis); ++part)
      if (decomposition.first(axis, part) % 2 != 0 || decomposition.cells(axis, part) < 2)
        return false;
  }
  return true;
}

LevelShape LevelShape::coarsened(AxisSet set) const {
  if (!can_be_coarsened(set))
    throw std::logic_error("xp::LevelShape: parts do not hold whole coarse cells");
  LevelShape result = *this;
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    const int by = (set & axis_bit(axis)) != 0 ? 2 : 1;
    if (by == 2) result.axes[a] = axes[a].coarsened();
    // A cell's differences to itself are part of the links.
    if (result.axes[a].cells() == 1) {
      result.ends.wraps &= ~axis_bit(axis);
      result.ends.antiperiodic &= ~axis_bit(axis);
    }
    for (int part = 0; part < decomposition.parts(axis); ++part)
      cuts[a].push_back(decomposition.first(axis, part) / by);
    cuts[a].push_back(result.axes[a].cells());
  }
  result.decomposition = Decomposition(cuts);
  return result;
}

LevelShape LevelShape::gathered() const {
  LevelShape result = *this;
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (std::size_t a = 0; a < 3; ++a) cuts[a] = {0, axes[a].cells()};
  result.decomposition = Decomposition(cuts);
  result.rank = 0;
  return result;
}

}  // namespace xp
