#include <xp/mesh/decomposition.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <xp/mesh/grid.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

struct AxisNeeds {
  std::int64_t cells = 1;
  std::int64_t end = 1;  // cells that the first and the last part need

  AxisNeeds(const GridSpec& spec, Axis axis) {
    const auto a = static_cast<std::size_t>(index(axis));
    if (index(axis) >= spec.dimensions) return;
    cells = spec.cells[a];
    end = spec.periodic[a] ? 1 : spec.wall_cells;
  }
  bool can_be_cut(int parts) const {
    if (parts == 1) return true;
    return cells / parts >= end || 2 * end + parts - 2 <= cells;
  }
  // Global index of the first cell of a part, and of the end for the last.
  std::int64_t cut(int part, int parts) const {
    if (parts == 1 || cells / parts >= end) return cells * part / parts;
    if (part == 0) return 0;
    if (part == parts) return cells;
    return parts == 2 ? end : end + (cells - 2 * end) * (part - 1) / (parts - 2);
  }
};

// Cuts at multiples of the largest power of two that leaves no part a tenth above its share.
void round_cuts(const AxisNeeds& needs, std::vector<std::int64_t>& cuts) {
  const auto parts = static_cast<std::int64_t>(cuts.size()) - 1;
  for (std::int64_t step = 2; parts > 1 && step * parts <= needs.cells; step *= 2) {
    std::vector<std::int64_t> round = cuts;
    for (std::int64_t part = 1; part < parts; ++part)
      round[static_cast<std::size_t>(part)] =
          (2 * needs.cells * part / parts + step) / (2 * step) * step;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
      const std::int64_t cells = round[part + 1] - round[part];
      if (cells < needs.end || 10 * parts * cells > 11 * needs.cells) return;
    }
    cuts = round;
  }
}

bool can_be_cut(const GridSpec& spec, const std::array<int, 3>& parts) {
  for (const Axis axis : all_axes)
    if (!AxisNeeds(spec, axis).can_be_cut(parts[static_cast<std::size_t>(index(axis))]))
      return false;
  return true;
}

// An end of a row lies in a cache line of its own: its exchange costs several times that of a cell
// among others (ten times on a CPU, docs/performance.md).
constexpr double row_end = 4;

// Cells of the largest box that lie at a cut, plus those that it has more than its share. Of two
// parts of a bounded axis each has but one cut.
double cost(const GridSpec& spec, const std::array<int, 3>& parts) {
  double size[3] = {1, 1, 1}, share = 1;
  for (int a = 0; a < spec.dimensions; ++a) {
    const auto n = static_cast<std::size_t>(a);
    size[a] = static_cast<double>((spec.cells[n] + parts[n] - 1) / parts[n]);
    share *= static_cast<double>(spec.cells[n]) / parts[n];
  }
  const double cells = size[0] * size[1] * size[2];
  double surface = 0;
  for (std::size_t a = 0; a < 3; ++a)
    if (parts[a] > 1)
      surface +=
          (parts[a] == 2 && !spec.periodic[a] ? 1 : 2) * (a == 0 ? row_end : 1) * cells / size[a];
  return surface + cells - share;
}

std::optional<std::array<int, 3>> best_parts(const GridSpec& spec, int ranks) {
  std::optional<std::array<int, 3>> best;
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const std::array<int, 3> parts{x, y, ranks / x / y};
      if (can_be_cut(spec, parts) && (!best || cost(spec, parts) < cost(spec, *best))) best = parts;
    }
  }
  return best;
}

std::string size_of(const GridSpec& spec) {
  std::string text;
  for (std::size_t a = 0; a < static_cast<std::size_t>(spec.dimensions); ++a)
    text += (a > 0 ? " x " : "") + std::to_string(spec.cells[a]);
  return text + " cells";
}

}  // namespace

Decomposition::Decomposition(const GridSpec& spec, const std::array<int, 3>& parts) {
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    const AxisNeeds needs(spec, axis);
    if (parts[a] < 1 || !needs.can_be_cut(parts[a]))
      throw Error(ErrorKind::input,
                  "a grid of " + size_of(spec) + " cannot be cut into " + std::to_string(parts[a]) +
                      " parts along " + letter(axis) +
                      (needs.cells >= parts[a] && parts[a] > 0
                           ? ": a stencil at a wall needs " + std::to_string(needs.end) + " cells"
                           : ": a rank would have no cells"));
    cuts_[a].clear();
    for (int part = 0; part <= parts[a]; ++part) cuts_[a].push_back(needs.cut(part, parts[a]));
    if (spec.coarsens) round_cuts(needs, cuts_[a]);
  }
}

std::array<int, 3> Decomposition::place(int rank) const {
  const int x = parts(Axis::x), y = parts(Axis::y);
  return {rank % x, rank / x % y, rank / x / y};
}

int Decomposition::rank(const std::array<int, 3>& place) const {
  return place[0] + parts(Axis::x) * (place[1] + parts(Axis::y) * place[2]);
}

int Decomposition::part_of(Axis axis, std::int64_t cell) const {
  const auto& all = cuts(axis);
  return static_cast<int>(std::upper_bound(all.begin(), all.end(), cell) - all.begin()) - 1;
}

Decomposition decompose(const GridSpec& spec, int ranks) {
  if (const auto parts = best_parts(spec, ranks)) return Decomposition(spec, *parts);
  int fewer = ranks - 1;
  while (fewer > 1 && !best_parts(spec, fewer)) --fewer;
  throw Error(
      ErrorKind::input,
      std::to_string(ranks) + " ranks cannot share a grid of " + size_of(spec) +
          ": however it is cut, a rank would have no cells",
      "use " + std::to_string(fewer) + (fewer == 1 ? " rank" : " ranks") + ", or a finer grid");
}

}  // namespace xp
