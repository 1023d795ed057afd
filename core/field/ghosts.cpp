#include <stdexcept>
#include <string>

#include <xp/field/ghosts.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

// Is the condition met by an interpolant at the wall, rather than by values of the other end?
bool is_wall(BoundaryKind kind) {
  return kind != BoundaryKind::periodic && kind != BoundaryKind::antiperiodic;
}

std::string side_name(Axis axis, bool upper) {
  return std::string(1, letter(axis)) + (upper ? "+" : "-");
}

}  // namespace

// A reader of a wall coefficient: a constant or a strip along the wall.
template <class Space>
struct WallValue {
  bool constant;
  double value;
  Kokkos::View<const double***, Kokkos::LayoutRight, typename Space::memory_space> values;
  int origin[3];

  KOKKOS_INLINE_FUNCTION double operator()(int k, int j, int i) const {
    return constant ? value : values(k - origin[2], j - origin[1], i - origin[0]);
  }
};

template <class Strip, class Space>
WallValue<Space> wall_value(const Strip& strip, const Box& lines, const Space&) {
  return {
      strip.constant, strip.value, strip.values, {lines.lower[0], lines.lower[1], lines.lower[2]}};
}

template <class Space, class Real>
void GhostFiller<Space, Real>::require_cells(const BoundaryCondition& condition, Axis axis) const {
  const std::int64_t cells = grid_.cells(axis);
  const int width = grid_.ghosts(axis);
  if (width < ghost_width(order_) || width > most_ghosts)
    throw std::invalid_argument("xp::GhostFiller: the grid's ghost width does not suit the order");
  const int needed = is_wall(condition.kind) ? wall_cells(order_, width) : width;
  if (cells < needed)
    throw Error(
        ErrorKind::input,
        "order " + std::to_string(static_cast<int>(order_)) +
            (width > ghost_width(order_) ? " with " + std::to_string(width) + " ghost cells" : "") +
            " needs at least " + std::to_string(needed) + " cells along " + letter(axis) +
            ", not " + std::to_string(cells));
}

template <class Space, class Real>
auto GhostFiller<Space, Real>::side_of(const BoundaryCondition& condition, Axis axis,
                                       bool upper) const -> Side {
  Side side;
  side.axis = axis;
  side.upper = upper;
  side.kind = condition.kind;
  side.width = grid_.ghosts(axis);
  side.cells = grid_.cells(Region::own).size(index(axis));
  const auto set = [&](Strip& strip, const Program& program) {
    strip.constant = program.is_constant();
    if (strip.constant) {
      strip.value = program.constant_value();
      return;
    }
    strip.timed = program.uses_time;
    strip.program = DeviceProgram<Space>(program);
  };
  if (condition.has_value()) set(side.value, condition.value);
  if (condition.kind == BoundaryKind::robin) {
    set(side.alpha, condition.alpha);
    set(side.beta, condition.beta);
  }
  if (condition.kind == BoundaryKind::dirichlet) side.alpha.value = 1;
  if (condition.kind == BoundaryKind::neumann || condition.kind == BoundaryKind::outflow)
    side.beta.value = 1;
  if (is_wall(condition.kind) && side.alpha.constant && side.beta.constant &&
      !has_solution(order_, side.width, side.alpha.value, side.beta.value, grid_.spacing(axis)))
    throw Error(ErrorKind::input, "the robin condition at " + side_name(axis, upper) +
                                      " has no solution on this grid: alpha, beta and the spacing "
                                      "cancel");
  return side;
}

template <class Space, class Real>
GhostFiller<Space, Real>::GhostFiller(const Grid& grid, const BoundaryConditions& conditions,
                                      Order order)
    : grid_(grid), order_(order), stencil_(wall_stencil(order)) {
  Box box = grid.cells(Region::own);
  for (const bool walls : {true, false})
    for (const Axis axis : all_axes) {
      const auto& ends = conditions[static_cast<std::size_t>(index(axis))];
      if (!grid.exists(axis) || is_wall(ends[0].kind) != walls) continue;
      if (!walls) {
        ends_.wraps |= axis_bit(axis);
        if (ends[0].kind == BoundaryKind::antiperiodic) ends_.antiperiodic |= axis_bit(axis);
      }
      bool filled[2] = {false, false};
      for (const bool upper : {false, true}) {
        const BoundaryCondition& condition = ends[upper ? 1 : 0];
        require_cells(condition, axis);
        Side side = side_of(condition, axis, upper);
        if (walls ? !grid.at_end(axis, upper) : grid.is_cut(axis)) continue;
        const int last = upper ? box.upper[index(axis)] - 1 : box.lower[index(axis)];
        side.lines = box.with_range(axis, last, last + 1);
        sides_.push_back(std::move(side));
        filled[upper ? 1 : 0] = true;
      }
      box = box.grown(axis, filled[0] ? grid.ghosts(axis) : 0, filled[1] ? grid.ghosts(axis) : 0);
    }
}

template <class Space, class Real>
std::int64_t GhostFiller<Space, Real>::memory() const {
  std::int64_t values = 0;
  for (const Side& side : sides_)
    for (const Strip* strip : {&side.alpha, &side.beta, &side.value})
      if (!strip->constant) values += side.lines.count();
  return values * static_cast<std::int64_t>(sizeof(double));
}

template <class Space, class Real>
void GhostFiller<Space, Real>::allocate() {
  for (Side& side : sides_)
    for (Strip* strip : {&side.alpha, &side.beta, &side.value})
      if (!strip->constant && !strip->values.data())
        strip->values = decltype(strip->values)("boundary: values", side.lines.size(2),
                                                side.lines.size(1), side.lines.size(0));
}

template <class Space, class Real>
bool GhostFiller<Space, Real>::is_solved(const Side& side) const {
  return is_wall(side.kind) && side.alpha.constant && side.beta.constant && side.value.constant;
}

template <class Space, class Real>
template <int points, int width>
SolvedWall<points, width, Real> GhostFiller<Space, Real>::solve(const Side& side) const {
  return {stencil_, side.alpha.value, side.beta.value, side.value.value, grid_.spacing(side.axis)};
}

template <class Space, class Real>
bool GhostFiller<Space, Real>::is_steady() const {
  for (const Side& side : sides_)
    if (is_wall(side.kind) && !is_solved(side)) return false;
  return true;
}

template <class Space, class Real>
template <int order>
SteadyGhosts<order, Real> GhostFiller<Space, Real>::steady() const {
  SteadyGhosts<order, Real> result;
  for (const Side& side : sides_) {
    auto& ends = result.ends[index(side.axis)];
    ends.copies = !is_wall(side.kind);
    ends.sign = side.kind == BoundaryKind::antiperiodic ? Real(-1) : Real(1);
    if (!ends.copies)
      (side.upper ? ends.upper : ends.lower) =
          this->template solve<SteadyGhosts<order, Real>::points, SteadyGhosts<order, Real>::width>(
              side);
  }
  return result;
}

template <class Space, class Real>
void GhostFiller<Space, Real>::update(const Space& space, const Side& side, Strip& strip,
                                      double time) {
  if (strip.constant || (strip.fresh && !strip.timed)) return;
  CellInputs<Space, Real> inputs;
  inputs.geometry = grid_.geometry();
  inputs.time = time;
  inputs.move_to_wall(side.axis, side.upper);
  const auto values = strip.values;
  const int k0 = side.lines.lower[2], j0 = side.lines.lower[1], i0 = side.lines.lower[0];
  evaluate(
      space, strip.program, inputs, side.lines,
      KOKKOS_LAMBDA(int k, int j, int i, double value) { values(k - k0, j - j0, i - i0) = value; });
  strip.fresh = true;
}

template <int points, int width, class Space, class Real>
void fill_solved(const Space& space, const FieldView<Space, Real>& u, const Box& lines,
                 std::int64_t inwards, const SolvedWall<points, width, Real>& solved) {
  for_each(
      space, "ghosts: wall", lines,
      KOKKOS_LAMBDA(int k, int j, int i) { solved(&u(k, j, i), inwards); });
}

// Both ends of an axis in one pass: along x they share cache lines, the end of one row with the
// start of the next.
template <int points, int width, class Space, class Real>
void fill_solved(const Space& space, const FieldView<Space, Real>& u, const Box& lines, int cells,
                 std::int64_t stride, const SolvedWall<points, width, Real>& lower,
                 const SolvedWall<points, width, Real>& upper) {
  for_each(
      space, "ghosts: walls", lines, KOKKOS_LAMBDA(int k, int j, int i) {
        Real* wall = &u(k, j, i);
        lower(wall, stride);
        upper(wall + (cells - 1) * stride, -stride);
      });
}

template <class Space, class Real>
void fill_copies(const Space& space, const FieldView<Space, Real>& u, const Box& lines, int cells,
                 int width, std::int64_t inwards, Real sign) {
  for_each(
      space, "ghosts: copy", lines, KOKKOS_LAMBDA(int k, int j, int i) {
        Real* end = &u(k, j, i);
        for (int m = 1; m <= width; ++m) end[-m * inwards] = sign * end[(cells - m) * inwards];
      });
}

template <class Space, class Real>
void GhostFiller<Space, Real>::fill_wall(const Space& space, Side& side,
                                         const FieldView<Space, Real>& u, double time) {
  update(space, side, side.alpha, time);
  update(space, side, side.beta, time);
  update(space, side, side.value, time);
  const auto alpha = wall_value(side.alpha, side.lines, space);
  const auto beta = wall_value(side.beta, side.lines, space);
  const auto value = wall_value(side.value, side.lines, space);
  const WallStencil s = stencil_;
  const double inverse = 1 / grid_.spacing(side.axis);
  // Distances from the wall cell: inward is positive.
  const std::int64_t stride = side.upper ? -u.stride(side.axis) : u.stride(side.axis);
  const int width = side.width, mirrored = order_ == Order::second ? width : 1;
  for_each(
      space, "ghosts: wall", side.lines, KOKKOS_LAMBDA(int k, int j, int i) {
        Real* wall = &u(k, j, i);
        const double a = alpha(k, j, i), b = beta(k, j, i) * inverse;
        const double known = value(k, j, i);
        double ghost = 0;
        for (int g = 0; g < mirrored; ++g) {
          const double c = b / (2 * g + 1);
          double sum = known;
          for (int m = 1; m < s.points; ++m)
            sum -= (a * s.value[m] + c * s.derivative[m]) *
                   static_cast<double>(wall[(g + m - 1) * stride]);
          ghost = sum / (a * s.value[0] + c * s.derivative[0]);
          wall[-(g + 1) * stride] = static_cast<Real>(ghost);
        }
        for (int g = mirrored; g < width; ++g) {
          const double* extra = s.extra_ghost[g - 1];
          double sum = extra[0] * ghost;
          for (int m = 1; m < s.points; ++m)
            sum += extra[m] * static_cast<double>(wall[(m - 1) * stride]);
          wall[-(g + 1) * stride] = static_cast<Real>(sum);
        }
      });
}

template <class Space, class Real>
void GhostFiller<Space, Real>::fill(const Space& space, const FieldView<Space, Real>& u,
                                    double time) {
  allocate();
  for (std::size_t n = 0; n < sides_.size(); ++n) {
    Side& side = sides_[n];
    const std::int64_t stride = u.stride(side.axis), inwards = side.upper ? -stride : stride;
    if (!is_wall(side.kind)) {
      fill_copies(space, u, side.lines, side.cells, side.width, inwards,
                  side.kind == BoundaryKind::antiperiodic ? Real(-1) : Real(1));
      continue;
    }
    if (!is_solved(side)) {
      fill_wall(space, side, u, time);
      continue;
    }
    // Solved walls give the same bits alone and in pairs: a rank may have but one of the two.
    const bool both =
        n + 1 < sides_.size() && sides_[n + 1].axis == side.axis && is_solved(sides_[n + 1]);
    const auto fill = [&]<int points, int width>() {
      const auto solved = this->template solve<points, width>(side);
      if (both)
        fill_solved(space, u, side.lines, side.cells, stride, solved,
                    this->template solve<points, width>(sides_[n + 1]));
      else
        fill_solved(space, u, side.lines, inwards, solved);
    };
    if (order_ == Order::second) {
      if (side.width == 1) fill.template operator()<2, 1>();
      if (side.width == 2) fill.template operator()<2, 2>();
      if (side.width == 3) fill.template operator()<2, 3>();
    } else {
      if (side.width == 2) fill.template operator()<5, 2>();
      if (side.width == 3) fill.template operator()<5, 3>();
    }
    if (both) ++n;
  }
}

#define XP_GHOST_FILLER(Space, Real)                                          \
  template class GhostFiller<Space, Real>;                                    \
  template SteadyGhosts<2, Real> GhostFiller<Space, Real>::steady<2>() const; \
  template SteadyGhosts<4, Real> GhostFiller<Space, Real>::steady<4>() const;
XP_INSTANTIATE(XP_GHOST_FILLER)
#undef XP_GHOST_FILLER

}  // namespace xp
