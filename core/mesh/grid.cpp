#include <cmath>
#include <string>

#include <xp/mesh/grid.hpp>
#include <xp/runtime/error.hpp>

namespace xp {

Grid::Grid(const GridSpec& spec) : Grid(spec, Decomposition(spec, {1, 1, 1}), 0) {}

Grid::Grid(const GridSpec& spec, const Decomposition& decomposition, int rank)
    : spec_(spec), decomposition_(decomposition), rank_(rank) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::input, what); };
  if (spec.dimensions < 1 || spec.dimensions > 3) refuse("a grid has 1, 2 or 3 dimensions");
  if (spec.ghosts < 0) refuse("the ghost width of a grid is not negative");
  double product = 1;
  const std::array<int, 3> place = decomposition_.place(rank);
  Block block;
  for (const Axis axis : all_axes) {
    const int a = index(axis);
    const std::string where = std::string(" along ") + letter(axis);
    if (!exists(axis)) {
      spec_.cells[a] = 1;
      spec_.lower[a] = 0;
      spec_.upper[a] = 1;
      spec_.periodic[a] = false;
    }
    if (spec_.cells[a] < 1) refuse("a grid needs at least one cell" + where);
    if (spec_.cells[a] > (std::int64_t{1} << 31) - 1 - 2 * spec.ghosts)
      refuse("more than 2^31 cells" + where);
    if (!std::isfinite(spec_.lower[a]) || !std::isfinite(spec_.upper[a]))
      refuse("the bounds of a grid are finite numbers" + where);
    if (!(spec_.upper[a] > spec_.lower[a]))
      refuse("the upper bound lies above the lower one" + where);
    product *= static_cast<double>(spec_.cells[a]);
    geometry_.lower[a] = spec_.lower[a];
    geometry_.spacing[a] = (spec_.upper[a] - spec_.lower[a]) / static_cast<double>(spec_.cells[a]);
    const int part = place[static_cast<std::size_t>(a)];
    block.first[a] = decomposition_.first(axis, part);
    block.cells[a] = decomposition_.cells(axis, part);
    geometry_.first[a] = block.first[a] - ghosts(axis);
  }
  if (product > 9007199254740992.0) refuse("more than 2^53 cells in all");
  blocks_.push_back(block);
}

std::int64_t Grid::cell_count() const {
  return spec_.cells[0] * spec_.cells[1] * spec_.cells[2];
}

double Grid::cell_volume() const {
  double product = 1;
  for (const Axis axis : all_axes)
    if (exists(axis)) product *= spacing(axis);
  return product;
}

double Grid::volume() const {
  double product = 1;
  for (const Axis axis : all_axes)
    if (exists(axis)) product *= upper(axis) - lower(axis);
  return product;
}

bool Grid::at_end(Axis axis, bool upper_side) const {
  const Block& block = blocks_[0];
  const int a = index(axis);
  return upper_side ? block.first[a] + block.cells[a] == spec_.cells[a] : block.first[a] == 0;
}

Box Grid::cells(Region region) const {
  Box box;
  for (const Axis axis : all_axes) {
    const int a = index(axis), g = ghosts(axis), n = blocks_[0].cells[a];
    box.lower[a] = region == Region::own ? g : 0;
    box.upper[a] = region == Region::own ? g + n : n + 2 * g;
  }
  return box;
}

Box Grid::faces(Axis axis) const {
  return cells(Region::own).grown(axis, 0, 1);
}

}  // namespace xp
