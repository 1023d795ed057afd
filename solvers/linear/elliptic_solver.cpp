#include <xp/solvers/linear/elliptic_solver.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace {

BoundaryConditions without_values(BoundaryConditions conditions) {
  for (auto& axis : conditions)
    for (BoundaryCondition& side : axis)
      if (side.has_value()) side.value = Program::of(0);
  return conditions;
}

// Iterations that may pass without the residual becoming smaller by a tenth. That of conjugate
// gradients goes up and down where coefficients jump.
constexpr int patience = 6, patience_of_cg = 20;
// Times that conjugate gradients begin anew where their residual has drifted.
constexpr int most_restarts = 3;
// A right side whose mean is larger than this part of its size has no solution to speak of.
constexpr double most_imbalance = 1e-3;
// Of a plane that stay in the second-level cache, with those above and below, while a solution is
// corrected.
constexpr int block_cells = 16384;

}  // namespace

template <class Space, class Real>
EllipticSolver<Space, Real>::EllipticSolver(const Grid& grid, const Communicator& communicator,
                                            const BoundaryConditions& conditions,
                                            const EllipticOperator<Space, Real>& op,
                                            const LinearOptions& options)
    : grid_(with_one_ghost(grid)), op_(op), options_(options) {
  for (const Axis axis : all_axes)
    if (grid.exists(axis)) shift_[static_cast<std::size_t>(index(axis))] = grid.ghosts(axis) - 1;
  for (auto& faces : op_.faces)
    if (faces.data() != nullptr) faces = moved(faces);
  if (op_.reaction.data() != nullptr) op_.reaction = moved(op_.reaction);
  if (options.mixed && std::is_same_v<Real, double>)
    mixed_ = std::make_unique<Multigrid<Space, float>>(grid_, communicator, conditions, op_,
                                                       options.multigrid);
  else
    fine_ = std::make_unique<Multigrid<Space, Real>>(grid_, communicator, conditions, op_,
                                                     options.multigrid);
  measure_ = Measure<Space, Real>(grid_.cells(Region::own), communicator);
  measure_of_mixed_ = Measure<Space, float>(grid_.cells(Region::own), communicator);
  const auto largest = [&](const FieldView<Space, Real>& array) {
    return measure_.sums(Space(), array, Want::largest).largest;
  };
  for (const Axis axis : all_axes)
    if (grid.exists(axis)) {
      const double beta = op_.coefficients == Coefficients::constant
                              ? std::abs(op_.beta)
                              : largest(op_.faces[index(axis)]);
      largest_sum_ += 4 * beta / (grid.spacing(axis) * grid.spacing(axis));
    }
  if (op_.coefficients == Coefficients::faces_and_reaction)
    largest_reaction_ = largest(op_.reaction);
  if (options.method == LinearMethod::cg) {
    for (auto& vector : vectors_) {
      FieldInfo info;
      info.name = "cg: vector";
      vector = Field<Space, Real>(grid_, info);
    }
    homogeneous_ = GhostFiller<Space, Real>(grid_, without_values(conditions), Order::second);
    homogeneous_.allocate();
    if (grid_.decomposition().ranks() > 1)
      halo_ = std::make_unique<HaloExchange<Space, Real>>(
          grid_, communicator, std::vector<FieldEnds>{homogeneous_.ends()});
  }
}

template <class Space, class Real>
std::int64_t EllipticSolver<Space, Real>::memory(const Grid& grid, Coefficients coefficients,
                                                 const LinearOptions& options) {
  // Of the levels: correction, right side and coefficients; a third to one again for coarser ones.
  const FieldInfo info;
  const std::int64_t cycle = options.mixed ? Field<Space, float>::bytes(grid, info)
                                           : Field<Space, Real>::bytes(grid, info);
  const int level = 2 + (coefficients == Coefficients::constant ? 0 : grid.dimensions()) +
                    (coefficients == Coefficients::faces_and_reaction ? 1 : 0);
  const int shrink = (1 << grid.dimensions()) - 1;
  const int vectors = options.method == LinearMethod::cg ? 4 : 0;
  return level * (cycle + cycle / shrink) + vectors * Field<Space, Real>::bytes(grid, info);
}

template <class Space, class Real>
void EllipticSolver<Space, Real>::set_alpha(double alpha) {
  op_.alpha = alpha;
  if (mixed_) mixed_->set_alpha(alpha);
  if (fine_) fine_->set_alpha(alpha);
}

template <class Space, class Real>
FieldView<Space, Real> EllipticSolver<Space, Real>::moved(
    const FieldView<Space, Real>& view) const {
  return view.moved(shift_[2], shift_[1], shift_[0]);
}

template <class Space, class Real>
Box EllipticSolver<Space, Real>::inner() const {
  Box box = grid_.cells(Region::own);
  for (const Axis axis : all_axes)
    if (grid_.exists(axis)) {
      const int depth =
          wall_cells(Order::second, shift_[static_cast<std::size_t>(index(axis))] + 1);
      box = box.grown(axis, -depth, -depth);
    }
  return box;
}

template <class Space, class Real>
template <class A, class B>
void EllipticSolver<Space, Real>::combine(const Space& space, const Box& box, double ca,
                                          const FieldView<Space, A>& a, double cb,
                                          const FieldView<Space, B>& b,
                                          const FieldView<Space, B>& target) const {
  for_each(
      space, "linear: combine", box, KOKKOS_LAMBDA(int k, int j, int i) {
        target(k, j, i) = static_cast<B>(ca * static_cast<double>(a(k, j, i)) +
                                         cb * static_cast<double>(b(k, j, i)));
      });
}

template <class Space, class Real>
template <class A>
void EllipticSolver<Space, Real>::add_constant(const Space& space, double value,
                                               const FieldView<Space, A>& a) const {
  for_each(
      space, "linear: mean", grid_.cells(Region::own), KOKKOS_LAMBDA(int k, int j, int i) {
        a(k, j, i) = static_cast<A>(static_cast<double>(a(k, j, i)) + value);
      });
}

// One solve, with cycles in one precision.
template <class Space, class Real>
template <class Cycle>
struct EllipticSolver<Space, Real>::Solve {
  EllipticSolver& solver;
  const Space& space;
  Multigrid<Space, Cycle>& multigrid;
  Measure<Space, Cycle>& measure;
  FieldView<Space, Real> u, f;
  const std::function<void()>& fill;
  LinearResult result;
  double reference = 0, best = INFINITY, last = INFINITY;
  double mean = 0;                   // of the last residual that was measured, in its units
  double rounding = 0, storing = 0;  // residuals that rounding u makes
  int since_best = 0;

  // The residual becomes the right side of a cycle, times a power of two that keeps it where floats
  // are exact. Returns its norm.
  double residual(double unit) {
    fill();
    solver.op_.residual(space, solver.grid_, u, f, factor(unit), multigrid.right_side());
    return norm_of_right_side(measure.sums(space, multigrid.right_side(), wanted()), unit);
  }
  double norm_of_right_side(const Sums& sums, double unit) {
    const double norm = norm_of(sums, multigrid.right_side()) / factor(unit);
    mean /= factor(unit);
    return norm;
  }
  // Adds the correction, whose unit is that of the last residual, and makes the next one.
  double correct(double last_unit, double unit) {
    const FieldView<Space, Cycle> correction = multigrid.correction();
    const Box own = solver.grid_.cells(Region::own), inner = solver.inner();
    const auto add = [&](const Box& box) {
      solver.combine(space, box, 1 / last_unit, correction, 1, u, u);
    };
    if (!corrects_in_blocks(inner)) {
      add(own);
      return residual(unit);
    }
    // What ghost cells are made from first; then all in one pass over memory, the correction one
    // plane and one row ahead of the residual.
    for_each_beside(inner, own, add);
    fill();
    const FieldView<Space, Cycle> b = multigrid.right_side();
    const int threads = thread_count<Space>();
    const int rows = std::max(8, block_cells / own.size(0)) * threads;
    for (int begin = own.lower[1]; begin < own.upper[1]; begin += rows) {
      const int end = std::min(begin + rows, own.upper[1]);
      const Box ahead = inner.with_range(
          Axis::y, std::max(begin == own.lower[1] ? begin : begin + 1, inner.lower[1]),
          std::min(end + 1, inner.upper[1]));
      for (int k = own.lower[2]; k < own.upper[2]; ++k) {
        add(ahead.with_range(Axis::z, std::max(k == own.lower[2] ? k : k + 1, inner.lower[2]),
                             std::min(k + 2, inner.upper[2])));
        const Box box = own.with_range(Axis::y, begin, end).with_range(Axis::z, k, k + 1);
        solver.op_.residual(space, solver.grid_, box, u, f, factor(unit), b);
        measure.add(space, b, box, wanted());
      }
    }
    return norm_of_right_side(measure.finish(), unit);
  }
  bool corrects_in_blocks(const Box& inner) const {
    // On a host, where arrays are beyond the nearer caches.
    constexpr std::int64_t large = 100000;
    return is_host_space<Space> && solver.grid_.dimensions() == 3 && inner.count() > large;
  }
  // The right side of a cycle is the residual per volume times this.
  double factor(double unit) const { return unit * multigrid.scale() * solver.grid_.cell_volume(); }
  // That makes a residual of this size about 1.
  double unit_for(double size) const {
    size *= factor(1);
    return size > 0 && std::isfinite(size) ? std::exp2(-std::ilogb(size)) : 1;
  }
  // What norm_of() takes of a right side.
  Want wanted() const {
    Want want = Want::sum_square;
    if (multigrid.keeps_mean()) want = want | Want::sum;
    if (multigrid.is_singular()) want = want | Want::sum_abs;
    return want;
  }
  // Takes the mean out of a right side, as a singular operator's value has none. Returns the norm
  // that it had.
  template <class A>
  double norm_of(const Sums& sums, const FieldView<Space, A>& b) {
    const auto count = static_cast<double>(sums.count);
    mean = sums.sum / count;
    if (multigrid.is_singular() && sums.sum_abs > 0) {
      if (result.history.empty()) result.imbalance = std::abs(sums.sum) / sums.sum_abs;
      solver.add_constant(space, -sums.sum / count, b);
    }
    return std::sqrt(sums.sum_square / count);
  }

  // True when the solve ends here.
  bool note(double norm) {
    if (result.history.empty()) reference = norm;
    result.residual = reference > 0 ? norm / reference : 0;
    result.history.push_back(result.residual);
    using Reason = LinearResult::Reason;
    const auto end = [&](Reason reason) {
      result.reason = reason;
      return true;
    };
    if (!std::isfinite(norm)) return end(Reason::not_finite);
    if (result.imbalance > most_imbalance) return end(Reason::incompatible);
    if (norm <= solver.options_.tolerance * reference) return end(Reason::converged);
    if (solver.options_.to_rounding) {
      // What storing u leaves; and what differences of it leave, which are exact for an even u.
      const bool stays = norm > 0.5 * last;
      if (norm <= storing || (stays && norm <= rounding)) return end(Reason::converged);
    }
    last = norm;
    since_best = norm < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, norm);
    const bool by_cg = solver.options_.method == LinearMethod::cg;
    if (since_best >= (by_cg ? patience_of_cg : patience)) return end(Reason::stalled);
    if (result.iterations >= solver.options_.max_iterations)
      return end(Reason::too_many_iterations);
    return false;
  }

  void by_multigrid() {
    const double largest = solver.measure_.sums(space, f, Want::largest).largest;
    double unit = unit_for(largest);
    double norm = residual(unit);
    // Once more if it was out of the range in which floats are exact.
    const double change = unit_for(norm) / unit;
    if (change > 1e6 || change < 1e-6) norm = residual(unit = unit_for(norm));
    while (!note(norm)) {
      multigrid.cycle(space, result.iterations == 0);
      const double last_unit = unit;
      ++result.iterations;
      unit = unit_for(norm);
      norm = correct(last_unit, unit);
    }
  }

  void by_cg() {
    const Box own = solver.grid_.cells(Region::own);
    const FieldView<Space, Real> r = solver.vectors_[0].view(), p = solver.vectors_[1].view(),
                                 q = solver.vectors_[2].view(), z = solver.vectors_[3].view();
    Measure<Space, Real>& m = solver.measure_;
    const std::vector<FieldView<Space, Real>> exchanged{p};
    const auto own_residual = [&] {
      fill();
      solver.op_.residual(space, solver.grid_, u, f, 1, r);
    };
    own_residual();
    double pq = 0, norm = 0;
    bool first = true;
    int restarts = 0;
    const auto ends = [&] {
      norm = norm_of(m.sums(space, r, wanted()), r);
      if (!note(norm)) return false;
      if (!result.converged() || result.iterations == 0) return true;
      // What was updated may have drifted from what is true: goes on from that, a few times.
      own_residual();
      norm = norm_of(m.sums(space, r, wanted()), r);
      result.history.back() = result.residual = norm / reference;
      if (result.residual <= 2 * solver.options_.tolerance) return true;
      if (solver.options_.to_rounding && norm <= rounding) return true;
      result.reason = LinearResult::Reason::stalled;
      first = true;
      return ++restarts > most_restarts;
    };
    while (true) {
      if ((result.iterations % solver.options_.check_every == 0 ||
           result.iterations >= solver.options_.max_iterations) &&
          ends())
        return;
      const double unit = unit_for(norm);
      solver.combine(space, own, factor(unit), r, 0, multigrid.right_side(),
                     multigrid.right_side());
      multigrid.cycle(space);
      solver.combine(space, own, 1 / unit, multigrid.correction(), 0, z, z);
      // Flexible conjugate gradients with one direction kept (Notay 2000, algorithm 2.1): cycles
      // are not quite symmetric.
      const double beta = first ? 0 : -m.dot(space, z, q) / pq;
      solver.combine(space, own, 1, z, beta, p, p);
      first = false;
      solver.homogeneous_.fill(space, p, 0);
      if (solver.halo_) {
        solver.halo_->start(space, exchanged);
        solver.halo_->finish(space, exchanged);
      }
      solver.op_.apply(space, solver.grid_, p, q);
      pq = m.dot(space, p, q);
      if (!(pq > 0)) {
        // Solved exactly between two looks.
        if (pq == 0 && ends()) return;
        result.reason =
            std::isnan(pq) ? LinearResult::Reason::not_finite : LinearResult::Reason::indefinite;
        return;
      }
      const double alpha = m.dot(space, p, r) / pq;
      solver.combine(space, own, alpha, p, 1, u, u);
      solver.combine(space, own, -alpha, q, 1, r, r);
      ++result.iterations;
    }
  }

  LinearResult operator()() {
    const double reaction = std::max(solver.largest_reaction_, std::abs(solver.op_.alpha));
    const auto round = [&] {
      const double ulp = std::numeric_limits<Real>::epsilon() *
                         solver.measure_.sums(space, u, Want::largest).largest;
      storing = ulp * reaction;
      rounding = ulp * (reaction + solver.largest_sum_);
    };
    round();
    if (solver.options_.method == LinearMethod::cg)
      by_cg();
    else
      by_multigrid();
    if (result.reason == LinearResult::Reason::stalled) {
      round();
      result.rounding = rounding / reference;
    }
    if (multigrid.is_singular()) {
      const Sums sums = solver.measure_.sums(space, u, Want::sum);
      solver.add_constant(space, -sums.sum / static_cast<double>(sums.count), u);
    }
    // What is left of the residual's mean is an error of the solution's own, and the one that sums
    // up over time steps.
    if (multigrid.keeps_mean() && solver.op_.alpha > 0 && result.converged())
      solver.add_constant(space, mean / solver.op_.alpha, u);
    space.fence();
    return std::move(result);
  }
};

template <class Space, class Real>
LinearResult EllipticSolver<Space, Real>::solve(const Space& space, const FieldView<Space, Real>& u,
                                                const FieldView<Space, Real>& f,
                                                const std::function<void()>& fill) {
  if (mixed_)
    return Solve<float>{*this, space, *mixed_, measure_of_mixed_, moved(u), moved(f), fill, {}}();
  return Solve<Real>{*this, space, *fine_, measure_, moved(u), moved(f), fill, {}}();
}

#define XP_ELLIPTIC_SOLVER(Space, Real) template class EllipticSolver<Space, Real>;
XP_INSTANTIATE(XP_ELLIPTIC_SOLVER)
#undef XP_ELLIPTIC_SOLVER

}  // namespace xp
