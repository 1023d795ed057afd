#include <xp/solvers/linear/tridiagonal.hpp>

#include <algorithm>
#include <cfloat>
#include <stdexcept>
#include <string>
#include <utility>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/device_messages.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

// Lines of a message at least, and messages along a line for each rank of it at most: with more
// they overlap better, with fewer less is waited for their way.
constexpr int shortest_message = 64, messages_per_rank = 4;

BoundaryConditions only(Axis axis, std::array<BoundaryCondition, 2> ends) {
  for (BoundaryCondition& side : ends)
    if (side.has_value()) side.value = Program::of(0);
  BoundaryConditions result;
  result[static_cast<std::size_t>(index(axis))] = ends;
  return result;
}

// Of the whole grid's ends, whichever of them this rank has: all ranks decide alike.
bool is_steady(const std::array<BoundaryCondition, 2>& ends) {
  for (const BoundaryCondition& side : ends)
    if (side.kind == BoundaryKind::robin && !(side.alpha.is_constant() && side.beta.is_constant()))
      return false;
  return true;
}

// The ghost cell next to a wall is this much times the first own cell, and a part without u.
double weight_of_wall(const BoundaryCondition& side, double spacing) {
  double alpha = side.kind == BoundaryKind::dirichlet ? 1 : 0, beta = 1 - alpha;
  if (side.kind == BoundaryKind::robin) {
    alpha = side.alpha.constant_value();
    beta = side.beta.constant_value();
  }
  return SolvedWall<2, 1, double>(wall_stencil(Order::second), alpha, beta, 0, spacing)
      .weight[0][0];
}

}  // namespace

template <class Space, class Real>
void set_to_one(const Space& space, const FieldView<Space, Real>& u, const Box& box) {
  for_each(
      space, "lines: ones", box, KOKKOS_LAMBDA(int k, int j, int i) { u(k, j, i) = Real(1); });
}

template <class Space, class Real>
TridiagonalSolver<Space, Real>::TridiagonalSolver(const Grid& grid,
                                                  const Communicator& communicator, Axis axis,
                                                  const std::array<BoundaryCondition, 2>& ends,
                                                  const EllipticOperator<Space, Real>& op)
    : grid_(grid), communicator_(communicator), axis_(axis), bad_("lines: bad pivots") {
  if (!grid.exists(axis))
    throw std::invalid_argument("xp::TridiagonalSolver: the grid has no such axis");
  homogeneous_ = GhostFiller<Space, Real>(grid, only(axis, ends), Order::second);
  matrix_.inverse2 = 1 / (grid.spacing(axis) * grid.spacing(axis));
  matrix_.beta = op.beta;
  matrix_.alpha = op.alpha;
  if (op.coefficients != Coefficients::constant) matrix_.faces = op.faces[index(axis)];
  if (op.coefficients == Coefficients::faces_and_reaction) matrix_.reaction = op.reaction;
  matrix_.wraps = (homogeneous_.ends().wraps & axis_bit(axis)) != 0;
  if ((homogeneous_.ends().antiperiodic & axis_bit(axis)) != 0) matrix_.sign = -1;
  for (const bool upper : {false, true}) matrix_.ends[upper ? 1 : 0] = grid.at_end(axis, upper);
  matrix_.tolerance = 8 * DBL_EPSILON * static_cast<double>(grid.cells(axis));

  const Space space;
  if (is_steady(ends)) {
    for (const int side : {0, 1})
      matrix_.weight[side] =
          weight_of_wall(ends[static_cast<std::size_t>(side)], grid.spacing(axis));
  } else {
    homogeneous_.allocate();
    ones_ = array("lines: walls");
    set_to_one(space, ones_.view(), grid.cells(Region::own));
    matrix_.weights = ones_.view();
  }
  varies_ = op.coefficients != Coefficients::constant || ones_.memory().data() != nullptr;
  find_lines();
  const int factors = matrix_.wraps ? 3 : 2;
  const char* const names[] = {"lines: pivots", "lines: links", "lines: border"};
  for (int n = 0; n < (varies_ ? factors : 3); ++n)
    if (varies_)
      arrays_[n] = array(names[n]);
    else
      shared_[n] = Values(std::string(names[n]), static_cast<std::size_t>(lines_.cells) + 1);
  if (varies_) {
    factors_.inverses = arrays_[0].view();
    factors_.links = arrays_[1].view();
    if (matrix_.wraps) factors_.borders = arrays_[2].view();
  } else {
    factors_.inverse = shared_[0].data();
    factors_.link = shared_[1].data();
    factors_.border = shared_[2].data();
  }
  find_neighbours();
}

template <class Space, class Real>
Field<Space, Real> TridiagonalSolver<Space, Real>::array(const char* name) const {
  FieldInfo info;
  info.name = name;
  return Field<Space, Real>(grid_, info);
}

template <class Space, class Real>
void TridiagonalSolver<Space, Real>::find_lines() {
  const Box own = grid_.cells(Region::own);
  lines_.along = axis_;
  lines_.across = axis_ == Axis::x ? Axis::y : Axis::x;
  lines_.rest = axis_ == Axis::z ? Axis::y : Axis::z;
  for (int a = 0; a < 3; ++a) lines_.lower[a] = own.lower[a];
  lines_.cells = own.size(index(axis_));
  lines_.inner = own.size(index(lines_.across));
  lines_.outer = own.size(index(lines_.rest));
  if (!is_host_space<Space>) return;
  if (axis_ == Axis::x) {
    lines_.width = detail::x_lanes<Space>;
    return;
  }
  // Long pieces of rows, which memory reads fast, but enough blocks for all threads.
  constexpr int cache_line = 64 / sizeof(Real);
  lines_.width = detail::most_lanes<Space>;
  while (lines_.width > 2 * cache_line && lines_.blocks() < 4 * thread_count<Space>())
    lines_.width /= 2;
}

template <class Space, class Real>
void TridiagonalSolver<Space, Real>::find_neighbours() {
  chunks_ = {0, lines_.blocks()};
  if (!grid_.is_cut(axis_)) return;
  const Decomposition& cut = grid_.decomposition();
  const auto place = cut.place(grid_.rank());
  const auto a = static_cast<std::size_t>(index(axis_));
  for (const int side : {0, 1}) {
    auto other = place;
    other[a] += side == 0 ? -1 : 1;
    if (other[a] >= 0 && other[a] < cut.parts(axis_)) neighbours_[side] = cut.rank(other);
  }
  // Messages are cut where blocks are: those of neighbours have to agree.
  MPI_Allreduce(MPI_IN_PLACE, &lines_.width, 1, MPI_INT, MPI_MIN, communicator_.get());
  const int lines = lines_.inner * lines_.outer, blocks = lines_.blocks();
  const int count = std::clamp(lines / shortest_message, 1,
                               std::min(blocks, messages_per_rank * cut.parts(axis_)));
  chunks_.clear();
  for (int n = 0; n <= count; ++n)
    chunks_.push_back(static_cast<int>(std::int64_t{blocks} * n / count));
  staged_ = !is_host_space<Space> && !mpi_takes_device_memory(communicator_);
  const auto values = static_cast<std::size_t>(lines) * FactorLines<Space, Real>::values;
  for (Message* message : {&in_, &out_}) {
    message->values = decltype(message->values)("lines: messages", values);
    if (staged_) message->staging = decltype(message->staging)("lines: staging", values);
  }
  requests_.resize(static_cast<std::size_t>(count));
}

template <class Space, class Real>
std::int64_t TridiagonalSolver<Space, Real>::memory() const {
  std::int64_t bytes = homogeneous_.memory();
  if (ones_.memory().data() != nullptr) bytes += ones_.bytes();
  for (int n = 0; n < 3; ++n) {
    if (arrays_[n].memory().data() != nullptr) bytes += arrays_[n].bytes();
    bytes += static_cast<std::int64_t>(shared_[n].size() * sizeof(Real));
  }
  return bytes +
         static_cast<std::int64_t>((in_.values.size() + out_.values.size()) * sizeof(double));
}

// Takes the blocks of lines in the order of their numbers, in as many pieces as there are messages:
// a neighbour begins with the first lines while this rank is at the next ones. Nobody waits for
// those who come after.
template <class Space, class Real>
template <class Kernel>
void TridiagonalSolver<Space, Real>::sweep(const Space& space, const char* name, bool upwards,
                                           const Kernel& kernel) {
  constexpr int tag = 2;
  const int from = neighbours_[upwards ? 0 : 1], to = neighbours_[upwards ? 1 : 0];
  Kernel piece = kernel;
  const int count = static_cast<int>(chunks_.size()) - 1;
  int sent = 0;
  std::int64_t bytes = 0;
  for (int n = 0; n < count; ++n) {
    const int first = chunks_[static_cast<std::size_t>(n)];
    const int last = chunks_[static_cast<std::size_t>(n) + 1];
    LineCarry& carry = piece.carry;
    carry.first = lines_.first_line(first);
    carry.lines = lines_.first_line(last) - carry.first;
    const int values = Kernel::values * carry.lines;
    const std::size_t start = static_cast<std::size_t>(carry.first) * Kernel::values;
    const std::pair<std::size_t, std::size_t> range(start,
                                                    start + static_cast<std::size_t>(values));
    if (from >= 0) {
      double* const data = staged_ ? in_.staging.data() : in_.values.data();
      MPI_Recv(data + start, values, MPI_DOUBLE, from, tag, communicator_.get(), MPI_STATUS_IGNORE);
      if (staged_)
        Kokkos::deep_copy(space, Kokkos::subview(in_.values, range),
                          Kokkos::subview(in_.staging, range));
      carry.in = in_.values.data() + start;
    }
    if (to >= 0) carry.out = out_.values.data() + start;
    for_each_block(space, name, first, last, std::int64_t{carry.lines} * lines_.cells, piece);
    if (to < 0) continue;
    if (staged_)
      Kokkos::deep_copy(space, Kokkos::subview(out_.staging, range),
                        Kokkos::subview(out_.values, range));
    space.fence();
    double* const data = staged_ ? out_.staging.data() : out_.values.data();
    MPI_Isend(data + start, values, MPI_DOUBLE, to, tag, communicator_.get(),
              &requests_[static_cast<std::size_t>(sent++)]);
    bytes += values * std::int64_t{sizeof(double)};
  }
  MPI_Waitall(sent, requests_.data(), MPI_STATUSES_IGNORE);
  count_halo(sent, bytes);
}

template <class Space, class Real>
void TridiagonalSolver<Space, Real>::factor(const Space& space, double shift, double scale,
                                            double time) {
  matrix_.shift = shift;
  matrix_.scale = scale;
  if (matrix_.weights.data() != nullptr) homogeneous_.fill(space, ones_.view(), time);
  Kokkos::deep_copy(space, bad_, 0);
  if (varies_) {
    sweep(space, "lines: factor", true,
          FactorLines<Space, Real>{lines_, matrix_, factors_, bad_.data(), {}});
  } else {
    const auto part = static_cast<std::size_t>(index(axis_));
    const std::int64_t before = grid_.blocks()[0].first[part];
    for_each_block(space, "lines: factor", 0, 1, 1,
                   FactorShared<Space, Real>{matrix_, factors_, before, lines_.cells,
                                             grid_.cells(axis_), bad_.data()});
  }
  int bad = 0;
  space.fence();
  Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&bad);
  Kokkos::deep_copy(host, bad_);
  count_scalar_to_host(sizeof(int));
  if (grid_.decomposition().ranks() > 1)
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, communicator_.get());
  if (bad > 0)
    throw Error(ErrorKind::input,
                std::string("the tridiagonal systems along ") + letter(axis_) +
                    " have no unique solution: a pivot is zero",
                "without a value at a wall and a reaction term the solution is determined but for "
                "a constant")
        .thrown_everywhere();
}

template <class Space, class Real>
template <bool along_x, bool varies, bool cyclic>
void TridiagonalSolver<Space, Real>::solve_lines(const Space& space,
                                                 const FieldView<Space, Real>& f,
                                                 const FieldView<Space, Real>& u,
                                                 const FieldView<Space, Real>& walls) {
  SolveLines<Space, Real, along_x, varies, cyclic> kernel{
      lines_, f, u, walls, factors_, matrix_.ends[1], true, true, {}};
  if (!grid_.is_cut(axis_)) {
    sweep(space, "lines: solve", true, kernel);
    return;
  }
  kernel.downwards = false;
  sweep(space, "lines: up", true, kernel);
  std::swap(kernel.upwards, kernel.downwards);
  sweep(space, "lines: down", false, kernel);
}

template <class Space, class Real>
void TridiagonalSolver<Space, Real>::solve(const Space& space, const FieldView<Space, Real>& f,
                                           const FieldView<Space, Real>& u,
                                           const FieldView<Space, Real>& walls) {
  const auto with = [&]<bool along_x, bool varies>() {
    if (matrix_.wraps)
      this->template solve_lines<along_x, varies, true>(space, f, u, walls);
    else
      this->template solve_lines<along_x, varies, false>(space, f, u, walls);
  };
  if (axis_ == Axis::x)
    varies_ ? with.template operator()<true, true>() : with.template operator()<true, false>();
  else
    varies_ ? with.template operator()<false, true>() : with.template operator()<false, false>();
}

template <class Space, class Real>
void TridiagonalSolver<Space, Real>::solve(const Space& space, const FieldView<Space, Real>& f,
                                           const FieldView<Space, Real>& u) {
  solve(space, f, u, FieldView<Space, Real>());
}

#define XP_TRIDIAGONAL(Space, Real) template class TridiagonalSolver<Space, Real>;
XP_INSTANTIATE(XP_TRIDIAGONAL)
#undef XP_TRIDIAGONAL

}  // namespace xp
