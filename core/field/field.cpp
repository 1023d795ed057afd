#include <xp/field/field.hpp>

#include <algorithm>
#include <atomic>

namespace xp {

FieldShape::FieldShape(const Grid& grid, const FieldInfo& info, bool aligned, int value_bytes)
    : components(info.components) {
  const Box own = grid.cells(Region::own);
  const Box box = info.ghosted ? grid.cells(Region::ghosted) : own;
  for (int axis = 0; axis < 3; ++axis) cells[axis] = box.size(axis);
  row = cells[0];
  // Without ghost cells a field is one block, as files have it.
  if (!aligned || !info.ghosted) return;
  constexpr int cache_line = 64;
  const int line = cache_line / value_bytes, ghosts = own.lower[0] - box.lower[0];
  const std::int64_t padded = (cells[0] + line - 1) / line * line;
  if ((padded - cells[0]) * 8 > cells[0]) return;
  row = padded;
  first = (line - ghosts % line) % line;
}

namespace detail {

std::int64_t stagger(std::int64_t bytes) {
  constexpr std::int64_t worth_it = 65536, distance = 13 * 64;
  static std::atomic<unsigned> fields{0};
  return bytes < worth_it ? 0 : fields++ % 4 * distance;
}

}  // namespace detail

}  // namespace xp
