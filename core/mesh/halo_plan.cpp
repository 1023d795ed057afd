#include <xp/mesh/halo_plan.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace xp {
namespace {

// What a part needs along one axis: a range of its local indices, and where those cells are own
// ones.
struct Range {
  int owner = 0;  // part
  int to = 0, from = 0, count = 0;
  bool ghost = false, crossed = false, walled = false;
};

std::vector<Range> ranges_of(const Grid& grid, Axis axis, int part, bool wraps, bool corners) {
  const Decomposition& cut = grid.decomposition();
  const int ghosts = grid.ghosts(axis), own = cut.cells(axis, part);
  if (!grid.is_cut(axis)) {
    const int g = corners ? 0 : ghosts;
    return {{part, g, g, own + 2 * (ghosts - g), false, false, false}};
  }
  const std::int64_t first = cut.first(axis, part), all = grid.cells(axis);
  std::vector<Range> ranges;
  const auto add_ghost = [&](int local) {
    std::int64_t cell = first + local - ghosts;
    const bool outside = cell < 0 || cell >= all;
    if (outside && corners) ranges.push_back({part, local, local, 1, false, false, true});
    if (outside && !wraps) return;
    if (outside) cell += cell < 0 ? all : -all;
    const int owner = cut.part_of(axis, cell);
    const int from = static_cast<int>(cell - cut.first(axis, owner)) + ghosts;
    ranges.push_back({owner, local, from, 1, true, outside, false});
  };
  for (int n = 0; n < ghosts; ++n) add_ghost(n);
  ranges.push_back({part, ghosts, ghosts, own, false, false, false});
  for (int n = 0; n < ghosts; ++n) add_ghost(ghosts + own + n);

  // Neighbours in the same part go together.
  std::vector<Range> joined;
  for (const bool walled : {false, true})
    for (const Range& r : ranges) {
      if (r.walled != walled) continue;
      Range* last = joined.empty() ? nullptr : &joined.back();
      if (last && last->owner == r.owner && last->ghost == r.ghost && last->crossed == r.crossed &&
          last->walled == r.walled && last->to + last->count == r.to &&
          last->from + last->count == r.from)
        last->count += r.count;
      else
        joined.push_back(r);
    }
  return joined;
}

using PartRanges = std::array<std::vector<Range>, 3>;

// Calls `use(owner's place, piece at the receiver, piece at the owner)` for every piece that a
// receiver needs, in an order that all ranks agree on.
template <class Use>
void for_each_piece(const PartRanges& need, bool corners, const Use& use) {
  for (const Range& z : need[2])
    for (const Range& y : need[1])
      for (const Range& x : need[0]) {
        const int ghosts = x.ghost + y.ghost + z.ghost;
        if (ghosts == 0 || (!corners && ghosts > 1)) continue;
        HaloPiece to, from;
        const Range* axes[3] = {&x, &y, &z};
        for (const Axis axis : all_axes) {
          const Range& r = *axes[index(axis)];
          to.box = to.box.with_range(axis, r.to, r.to + r.count);
          from.box = from.box.with_range(axis, r.from, r.from + r.count);
          if (r.crossed) to.crossed |= axis_bit(axis);
          if (r.walled) to.walled |= axis_bit(axis);
        }
        from.crossed = to.crossed;
        from.walled = to.walled;
        use(std::array<int, 3>{x.owner, y.owner, z.owner}, to, from);
      }
}

void add(std::map<int, HaloMessage>& messages, int rank, HaloPiece piece) {
  HaloMessage& message = messages[rank];
  message.rank = rank;
  piece.offset = message.values;
  message.values += piece.box.count();
  message.pieces.push_back(piece);
}

std::vector<HaloMessage> list_of(std::map<int, HaloMessage>&& messages) {
  std::vector<HaloMessage> list;
  for (auto& [rank, message] : messages) list.push_back(std::move(message));
  return list;
}

}  // namespace

HaloPlan plan_halo(const Grid& grid, AxisSet wraps, bool corners) {
  const Decomposition& cut = grid.decomposition();
  const std::array<int, 3> here = cut.place(grid.rank());
  // The parts along each axis that need cells of this one, itself included, and what they need.
  std::array<std::vector<std::pair<int, std::vector<Range>>>, 3> takers;
  PartRanges mine;
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    for (int part = 0; part < cut.parts(axis); ++part) {
      std::vector<Range> need = ranges_of(grid, axis, part, (wraps & axis_bit(axis)) != 0, corners);
      if (part == here[a]) mine[a] = need;
      if (std::any_of(need.begin(), need.end(), [&](const Range& r) { return r.owner == here[a]; }))
        takers[a].emplace_back(part, std::move(need));
    }
  }
  std::map<int, HaloMessage> receive, send;
  for_each_piece(mine, corners,
                 [&](const std::array<int, 3>& owner, const HaloPiece& to, const HaloPiece&) {
                   add(receive, cut.rank(owner), to);
                 });
  for (const auto& [pz, z] : takers[2])
    for (const auto& [py, y] : takers[1])
      for (const auto& [px, x] : takers[0]) {
        const int taker = cut.rank({px, py, pz});
        for_each_piece(
            {x, y, z}, corners,
            [&](const std::array<int, 3>& owner, const HaloPiece&, const HaloPiece& from) {
              if (owner == here) add(send, taker, from);
            });
      }
  return {list_of(std::move(send)), list_of(std::move(receive))};
}

OwnCells split_own_cells(const Grid& grid, AxisSet wraps) {
  OwnCells cells{grid.cells(Region::own), {}};
  // Columns one cell wide at the ends of rows cost more than waiting does: see docs/performance.md.
  if (grid.is_cut(Axis::x)) return {Box{}, {cells.interior}};
  Box& interior = cells.interior;
  for (const Axis axis : {Axis::z, Axis::y}) {
    if (!grid.is_cut(axis)) continue;
    for (const bool upper : {false, true}) {
      if (grid.at_end(axis, upper) && (wraps & axis_bit(axis)) == 0) continue;
      const int first = interior.lower[index(axis)], last = interior.upper[index(axis)];
      const int part = std::min(grid.ghosts(axis), last - first);
      const int cut = upper ? last - part : first + part;
      cells.outskirts.push_back(upper ? interior.with_range(axis, cut, last)
                                      : interior.with_range(axis, first, cut));
      interior =
          upper ? interior.with_range(axis, first, cut) : interior.with_range(axis, cut, last);
    }
  }
  return cells;
}

}  // namespace xp
