#include <xp/solvers/linear/multigrid.hpp>

#include <algorithm>
#include <cmath>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace {

// A grid of fewer cells is coarsened further by every rank for itself: a message would cost more.
constexpr std::int64_t few_cells = 4096;

// From this ratio of coefficients at a cell on residuals are restricted by the transpose of the
// interpolation: sums are cheaper, and converge faster where coefficients are smooth.
constexpr double large_jump = 10;

// A wall coefficient, or what it is at one place of the wall.
double at_wall(const Program& program, const Grid& grid, Axis axis, bool upper) {
  if (program.is_constant()) return program.constant_value();
  std::vector<double> slots(Program::slot_fields, 0.0);
  for (const Axis other : all_axes)
    slots[static_cast<std::size_t>(index(other))] = grid.lower(other) + 0.5 * grid.spacing(other);
  slots[static_cast<std::size_t>(index(axis))] = upper ? grid.upper(axis) : grid.lower(axis);
  return program(slots);
}

AxisEnd end_of(const BoundaryCondition& condition, const Grid& grid, Axis axis, bool upper) {
  switch (condition.kind) {
    case BoundaryKind::periodic:
      return {true, false, 0, 1};
    case BoundaryKind::antiperiodic:
      return {true, true, 0, 1};
    case BoundaryKind::dirichlet:
      return {false, false, 1, 0};
    case BoundaryKind::robin:
      return {false, false, at_wall(condition.alpha, grid, axis, upper),
              at_wall(condition.beta, grid, axis, upper)};
    default:
      return {false, false, 0, 1};
  }
}

}  // namespace

template <class Space, class Real>
template <class Fine>
Multigrid<Space, Real>::Multigrid(const Grid& grid, const Communicator& communicator,
                                  const BoundaryConditions& conditions,
                                  const EllipticOperator<Space, Fine>& op,
                                  const MultigridOptions& options)
    : communicator_(communicator), options_(options) {
  LevelShape shape;
  shape.dimensions = grid.dimensions();
  shape.decomposition = grid.decomposition();
  shape.rank = grid.rank();
  may_be_singular_ = op.coefficients != Coefficients::faces_and_reaction;
  double narrowest = INFINITY;
  for (const Axis axis : all_axes) {
    if (!grid.exists(axis)) continue;
    const auto a = static_cast<std::size_t>(index(axis));
    AxisEnd ends[2];
    for (const bool upper : {false, true}) {
      const BoundaryCondition& condition = conditions[a][upper ? 1 : 0];
      ends[upper ? 1 : 0] = end_of(condition, grid, axis, upper);
      if (ends[upper ? 1 : 0].alpha != 0 || condition.kind == BoundaryKind::antiperiodic)
        may_be_singular_ = false;
    }
    shape.axes[a] = LevelAxis(grid.cells(axis), grid.spacing(axis), ends[0], ends[1]);
    if (ends[0].wraps) shape.ends.wraps |= axis_bit(axis);
    if (conditions[a][0].kind == BoundaryKind::antiperiodic)
      shape.ends.antiperiodic |= axis_bit(axis);
    narrowest = std::min(narrowest, grid.spacing(axis));
  }
  // The largest coefficient of neighbours becomes about 1, whatever the units.
  singular_ = may_be_singular_ && op.alpha == 0;
  const double size = op.coefficients == Coefficients::constant ? std::abs(op.beta) : 1;
  scale_ = narrowest * narrowest / (grid.cell_volume() * (size > 0 ? size : 1));

  const Space space;
  bool jumps = false;
  if (op.coefficients != Coefficients::constant) {
    FieldInfo info;
    info.name = "multigrid: jumps";
    const Field<Space, Real> scratch(grid, info);
    jumps = largest_jump(space, communicator, grid, op.faces, scratch.view()) > large_jump;
  }
  while (true) {
    levels_.emplace_back(shape, communicator, op.coefficients, scale_ * op.beta, scale_ * op.alpha,
                         jumps, shape.next() == 0 ? Smoother::red_black : options.smoother);
    const AxisSet next = shape.next();
    if (next == 0) break;
    std::int64_t cells = 1;
    for (const LevelAxis& axis : shape.axes) cells *= axis.cells();
    if (shape.decomposition.ranks() > 1 && (cells <= few_cells || !shape.can_be_coarsened(next))) {
      gathered_ = levels_.size();
      shape = shape.gathered();
    } else {
      shape = shape.coarsened(next);
    }
  }

  if (gathered_ > 0) {
    const LevelShape& parts = levels_[gathered_ - 1].shape();
    int total = 0;
    for (int rank = 0; rank < parts.decomposition.ranks(); ++rank) {
      const auto place = parts.decomposition.place(rank);
      int count = 1;
      for (const Axis axis : all_axes)
        count *= parts.decomposition.cells(axis, place[static_cast<std::size_t>(index(axis))]);
      counts_.push_back(count);
      starts_.push_back(total);
      total += count;
    }
    values_ = decltype(values_)("multigrid: cells of all ranks", static_cast<std::size_t>(total));
    host_values_ = Kokkos::create_mirror_view(values_);
  }

  if (op.coefficients != Coefficients::constant) {
    const Level<Space, Real>& finest = levels_.front();
    for (const Axis axis : all_axes)
      if (grid.exists(axis))
        set_conductances(space, finest.view(), grid, axis, op.faces[index(axis)],
                         scale_ * grid.cell_volume() / grid.spacing(axis));
    if (op.coefficients == Coefficients::faces_and_reaction)
      copy_scaled(space, grid.cells(Region::own), op.reaction, scale_ * grid.cell_volume(),
                  finest.view().reaction);
  }
  fill_coefficients(space);
  space.fence();
}

template <class Space, class Real>
void Multigrid<Space, Real>::set_alpha(double alpha) {
  singular_ = may_be_singular_ && alpha == 0;
  for (Level<Space, Real>& level : levels_) level.set_alpha(scale_ * alpha);
}

template <class Space, class Real>
void Multigrid<Space, Real>::fill_coefficients(const Space& space) {
  if (levels_.front().coefficients() == Coefficients::constant) return;
  for (std::size_t n = 1; n < levels_.size(); ++n) {
    if (n != gathered_) {
      levels_[n].coarsen_coefficients(space, levels_[n - 1]);
      continue;
    }
    const Level<Space, Real>&parts = levels_[n - 1], &whole = levels_[n];
    for (int a = 0; a < parts.shape().dimensions; ++a) {
      // Faces below cells; those at the upper end of the domain are those above the last cells.
      const FieldView<Space, Real>&from = parts.view().faces[a], &to = whole.view().faces[a];
      gather(space, parts, from, to, 0, 0, 0);
      gather(space, parts, from, to, a == 2, a == 1, a == 0);
    }
    if (parts.coefficients() == Coefficients::faces_and_reaction)
      gather(space, parts, parts.view().reaction, whole.view().reaction, 0, 0, 0);
  }
}

template <class Space, class Real>
void Multigrid<Space, Real>::copy_rank(const Space& space, const Level<Space, Real>& parts,
                                       int rank, const FieldView<Space, Real>& cells, bool out,
                                       const int (&origin)[3]) const {
  const Decomposition& cut = parts.shape().decomposition;
  const auto place = cut.place(rank);
  Box box;
  for (const Axis axis : all_axes) {
    const int a = index(axis);
    box.lower[a] = origin[a];
    box.upper[a] = origin[a] + cut.cells(axis, place[static_cast<std::size_t>(a)]);
  }
  const int ni = box.size(0), nj = box.size(1);
  const int i0 = box.lower[0], j0 = box.lower[1], k0 = box.lower[2];
  Real* const values = values_.data() + starts_[static_cast<std::size_t>(rank)];
  for_each(
      space, "multigrid: gather", box, KOKKOS_LAMBDA(int k, int j, int i) {
        Real& value = values[((k - k0) * static_cast<std::int64_t>(nj) + (j - j0)) * ni + (i - i0)];
        if (out)
          value = cells(k, j, i);
        else
          cells(k, j, i) = value;
      });
}

template <class Space, class Real>
void Multigrid<Space, Real>::gather(const Space& space, const Level<Space, Real>& parts,
                                    const FieldView<Space, Real>& from,
                                    const FieldView<Space, Real>& to, int dk, int dj, int di) {
  const Box& own = parts.own();
  const int rank = parts.shape().rank;
  copy_rank(space, parts, rank, from, true,
            {own.lower[0] + di, own.lower[1] + dj, own.lower[2] + dk});
  space.fence();
  Kokkos::deep_copy(host_values_, values_);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, host_values_.data(), counts_.data(),
                 starts_.data(), sizeof(Real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT,
                 communicator_.get());
  Kokkos::deep_copy(values_, host_values_);
  const Decomposition& cut = parts.shape().decomposition;
  for (int other = 0; other < cut.ranks(); ++other) {
    const auto place = cut.place(other);
    int origin[3] = {di, dj, dk};
    for (const Axis axis : all_axes)
      origin[index(axis)] +=
          parts.grid().ghosts(axis) +
          static_cast<int>(cut.first(axis, place[static_cast<std::size_t>(index(axis))]));
    copy_rank(space, parts, other, to, false, origin);
  }
}

template <class Space, class Real>
void Multigrid<Space, Real>::scatter(const Space& space, const Level<Space, Real>& whole,
                                     const Level<Space, Real>& parts) const {
  const FieldView<Space, Real> to = parts.u();
  int shift[3];
  for (const Axis axis : all_axes)
    shift[index(axis)] =
        static_cast<int>(parts.grid().blocks()[0].first[static_cast<std::size_t>(index(axis))]);
  const FieldView<Space, Real> from = whole.u().moved(shift[2], shift[1], shift[0]);
  for_each(
      space, "multigrid: scatter", parts.own(),
      KOKKOS_LAMBDA(int k, int j, int i) { to(k, j, i) = from(k, j, i); });
}

template <class Space, class Real>
Real Multigrid<Space, Real>::relaxation(const LevelShape& shape) const {
  if (options_.omega > 0) return static_cast<Real>(options_.omega);
  // Found by measurement: convergence factors of V(2,2) are 0.15 along one axis with 0.6 (0.24 with
  // 1), and 0.04 in two and three dimensions with 1.2 (0.08 to 0.1 with 1).
  const AxisSet next = shape.next();
  return (next & (next - 1)) == 0 ? Real(0.6) : Real(1.2);
}

template <class Space, class Real>
void Multigrid<Space, Real>::solve(const Space& space, std::size_t n, bool from_zero) {
  Level<Space, Real>& level = levels_[n];
  if (n + 1 == levels_.size()) {
    // One cell: one sweep is the solution, of which a singular operator has none.
    if (from_zero) level.set_to_zero(space);
    if (!singular_) level.smooth(space, 1, Real(1), false);
    return;
  }
  Level<Space, Real>& next = levels_[n + 1];
  if (n + 1 == gathered_) {
    gather(space, level, level.b(), next.b(), 0, 0, 0);
    solve(space, n + 1, true);
    scatter(space, next, level);
    return;
  }
  const Real omega = relaxation(level.shape());
  level.smooth_and_restrict(space, options_.before, omega, from_zero, next);
  // The last level is solved by one visit.
  const int visits = options_.cycle == Cycle::w && n > 0 && n + 2 < levels_.size() ? 2 : 1;
  for (int visit = 1; visit < visits; ++visit) {
    solve(space, n + 1, true);
    level.add_from(space, next);
    level.restrict_to(space, next);
  }
  solve(space, n + 1, true);
  // Red first again: black first is symmetric, and converges four times slower per cycle in 3-D.
  level.add_and_smooth(space, next, options_.after, omega);
}

template <class Space, class Real>
void Multigrid<Space, Real>::solve_from_coarse(const Space& space, std::size_t n) {
  Level<Space, Real>& level = levels_[n];
  level.set_to_zero(space);
  if (n + 1 < levels_.size()) {
    Level<Space, Real>& next = levels_[n + 1];
    if (n + 1 == gathered_) {
      gather(space, level, level.b(), next.b(), 0, 0, 0);
      solve_from_coarse(space, n + 1);
      scatter(space, next, level);
      return;
    }
    level.restrict_to(space, next);
    solve_from_coarse(space, n + 1);
    level.add_from(space, next);
  }
  solve(space, n, false);
}

template <class Space, class Real>
void Multigrid<Space, Real>::cycle(const Space& space, bool first) {
  if (first && options_.cycle == Cycle::full) return solve_from_coarse(space, 0);
  solve(space, 0, true);
}

#define XP_MULTIGRID(Space, Real)                                      \
  template class Multigrid<Space, Real>;                               \
  template Multigrid<Space, Real>::Multigrid(                          \
      const Grid&, const Communicator&, const BoundaryConditions&,     \
      const EllipticOperator<Space, float>&, const MultigridOptions&); \
  template Multigrid<Space, Real>::Multigrid(                          \
      const Grid&, const Communicator&, const BoundaryConditions&,     \
      const EllipticOperator<Space, double>&, const MultigridOptions&);
XP_INSTANTIATE(XP_MULTIGRID)
#undef XP_MULTIGRID

}  // namespace xp
