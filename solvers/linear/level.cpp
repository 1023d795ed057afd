#include <xp/solvers/linear/level.hpp>

#include <algorithm>
#include <string>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace {

// What the rows of a wave take of the second-level cache.
constexpr std::int64_t wave_bytes = 1 << 20;

}  // namespace

template <class Space, class Real>
Level<Space, Real>::Level(const LevelShape& shape, const Communicator& communicator,
                          Coefficients coefficients, double beta, double alpha, bool jumps,
                          Smoother smoother)
    : shape_(shape),
      grid_(shape.grid()),
      coefficients_(coefficients),
      jumps_(jumps),
      smoother_(smoother),
      communicator_(communicator) {
  const auto array = [](const Grid& grid, const char* name) {
    FieldInfo info;
    info.name = name;
    return Field<Space, Real>(grid, info);
  };
  u_ = array(grid_, "multigrid: correction");
  b_ = array(grid_, "multigrid: right side");
  if (smoother == Smoother::chebyshev) step_ = array(grid_, "multigrid: step");
  const AxisSet next = shape.next();
  if (coefficients != Coefficients::constant) {
    const auto coefficient = [&](const Grid& grid, const char* name) {
      coefficient_fields_.push_back(array(grid, name));
      return coefficient_fields_.back().view();
    };
    for (int a = 0; a < shape.dimensions; ++a)
      view_.faces[a] = coefficient(grid_, "multigrid: beta");
    if (coefficients == Coefficients::faces_and_reaction)
      view_.reaction = coefficient(grid_, "multigrid: alpha");
    LevelShape stage = shape;
    if (jumps) residual_ = array(grid_, "multigrid: residual");
    if (shape.can_be_coarsened(next))
      for (int a = 0; a < shape.dimensions; ++a) {
        far_.far[a] = coefficient(stage.grid(), "multigrid: weights");
        stage = stage.coarsened(next & axis_bit(static_cast<Axis>(a)));
      }
  }

  // Widths, links, near and far weights of each axis, ghost cells included, one more for the face
  // above the last.
  const Box all = grid_.cells(Region::ghosted);
  std::size_t size = 0, first[3];
  for (int a = 0; a < 3; ++a) {
    first[a] = size;
    size += 4 * (static_cast<std::size_t>(all.size(a)) + 1);
  }
  numbers_ = decltype(numbers_)("multigrid: axes", size);
  const auto host = Kokkos::create_mirror_view(numbers_);
  for (int a = 0; a < 3; ++a) {
    const LevelAxis& axis = shape.axes[static_cast<std::size_t>(a)];
    const auto count = static_cast<std::size_t>(all.size(a)) + 1;
    for (std::size_t n = 0; n < count; ++n) {
      const std::int64_t cell = grid_.geometry().first[a] + static_cast<std::int64_t>(n);
      host(first[a] + n) = axis.exists() ? static_cast<Real>(axis.width(cell)) : Real(1);
      host(first[a] + count + n) = static_cast<Real>(axis.link(cell));
      LevelAxis::Weights weights;
      if ((next & axis_bit(static_cast<Axis>(a))) != 0 && cell >= 0 && cell < axis.cells())
        weights = axis.weights(cell);
      host(first[a] + 2 * count + n) = static_cast<Real>(weights.near);
      host(first[a] + 3 * count + n) = static_cast<Real>(weights.far);
    }
    view_.width[a] = numbers_.data() + first[a];
    view_.link[a] = view_.width[a] + count;
    weights_.near[a] = view_.link[a] + count;
    weights_.far[a] = weights_.near[a] + count;
  }
  Kokkos::deep_copy(numbers_, host);

  // All but the cells at the ends are alike; whether they are does not depend on ranks.
  const Box cells = grid_.cells(Region::own);
  const Real *const width = host.data() + first[0], *const link = width + all.size(0) + 1;
  const int middle = cells.lower[0] + cells.size(0) / 2;
  const auto like_middle = [&](int i) {
    return width[i] == width[middle] && link[i] == link[middle] && link[i + 1] == link[middle + 1];
  };
  for (const int up : {0, 1}) view_.alike[up] = middle;
  while (view_.alike[0] > cells.lower[0] && like_middle(view_.alike[0] - 1)) --view_.alike[0];
  while (view_.alike[1] < cells.upper[0] && like_middle(view_.alike[1])) ++view_.alike[1];

  view_.beta = static_cast<Real>(beta);
  view_.alpha = static_cast<Real>(alpha);
  view_.own = grid_.cells(Region::own);
  std::int64_t parity = 0;
  for (const std::int64_t start : grid_.geometry().first) parity += start;
  view_.parity = static_cast<int>(((parity % 2) + 2) % 2);
  if (shape.decomposition.ranks() > 1) {
    halo_ = std::make_unique<HaloExchange<Space, Real>>(grid_, communicator,
                                                        std::vector<FieldEnds>{shape.ends}, false);
    corner_halo_ = std::make_unique<HaloExchange<Space, Real>>(
        grid_, communicator, std::vector<FieldEnds>{shape.ends}, true);
  }
}

template <class Space, class Real>
void Level<Space, Real>::coarsen_coefficients(const Space& space, const Level& fine) {
  const auto of = [](const Level& level) {
    const auto& view = level.view_;
    return LevelCoefficients<Space, Real>{{view.faces[0], view.faces[1], view.faces[2]},
                                          view.reaction};
  };
  xp::coarsen_coefficients(space, communicator_, fine.shape_, fine.shape_.next(), of(fine),
                           of(*this), fine.far_);
}

template <class Space, class Real>
void Level<Space, Real>::set_to_zero(const Space& space) {
  Field<Space, Real>::set_to_zero(space, u_.view(), grid_.cells(Region::ghosted));
}

template <class Space, class Real>
void Level<Space, Real>::wrap(const Space& space, const FieldView<Space, Real>& values) {
  Box box = own();
  for (const Axis axis : all_axes) {
    if (!grid_.exists(axis) || (shape_.ends.wraps & axis_bit(axis)) == 0 || grid_.is_cut(axis))
      continue;
    const int a = index(axis), cells = own().size(a);
    const std::int64_t stride = values.stride(axis);
    const Real sign = (shape_.ends.antiperiodic & axis_bit(axis)) != 0 ? Real(-1) : Real(1);
    for_each(
        space, "multigrid: wrap", box.with_range(axis, own().lower[a], own().lower[a] + 1),
        KOKKOS_LAMBDA(int k, int j, int i) {
          Real* const first = &values(k, j, i);
          first[-stride] = sign * first[(cells - 1) * stride];
          first[cells * stride] = sign * first[0];
        });
    box = box.grown(axis, 1, 1);
  }
}

template <class Space, class Real>
void Level<Space, Real>::exchange(const Space& space, const Field<Space, Real>& field,
                                  bool corners) {
  wrap(space, field.view());
  HaloExchange<Space, Real>* const halo = corners ? corner_halo_.get() : halo_.get();
  if (halo == nullptr) return;
  exchanged_[0] = field.view();
  halo->start(space, exchanged_);
  halo->finish(space, exchanged_);
}

template <class Space, class Real>
void Level<Space, Real>::smooth_rows(const Space& space, Real omega,
                                     const HalfSweeps& half_sweeps) {
  with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
    xp::smooth<dimensions, coefficients>(space, view_, u_.view(), b_.view(), omega, half_sweeps);
  });
}

template <class Space, class Real>
bool Level<Space, Real>::follows(Axis axis, bool upper) const {
  return grid_.exists(axis) &&
         ((shape_.ends.wraps & axis_bit(axis)) != 0 || !grid_.at_end(axis, upper));
}

template <class Space, class Real>
bool Level<Space, Real>::smooths_in_waves(int sweeps) const {
  // Where arrays are beyond the nearer caches, and most cells far from ends that follow others.
  constexpr std::int64_t large = 100000;
  if (!is_host_space<Space> || smoother_ != Smoother::red_black || sweeps == 0 ||
      shape_.dimensions < 3 || own().count() <= large)
    return false;
  for (const Axis axis : all_axes)
    if ((follows(axis, false) || follows(axis, true)) && own().size(index(axis)) < 16 * sweeps)
      return false;
  return true;
}

template <class Space, class Real>
void Level<Space, Real>::wave(const Space& space, int sweeps, Real omega, bool from_zero,
                              const Level* source, Level* target) {
  const Box all = own();
  const int stages = 2 * sweeps;
  HalfSweeps step;
  step.box = all;
  step.from_zero = from_zero;
  for (const Axis axis : all_axes)
    for (const bool upper : {false, true})
      step.less[index(axis)][upper] = follows(axis, upper) ? 1 : 0;
  // Ends that follow others come first, one half sweep after the other with an exchange between:
  // each of one cell less, so that the wave finds its neighbours as they should be.
  step.stages = stages + 1;
  const Box inner = step.cells(0);
  if (source != nullptr)
    for_each_beside(inner, all, [&](const Box& box) { add_to_box(space, *source, box); });
  step.stages = stages;
  for (int stage = 0; stage < stages; ++stage) {
    HalfSweeps one;
    one.colour = stage % 2;
    one.from_zero = from_zero && stage == 0;
    if (!one.from_zero) exchange(space, u_, false);
    for_each_beside(step.cells(stage), all, [&](const Box& box) {
      one.box = box;
      smooth_rows(space, omega, one);
    });
  }
  if (target != nullptr) exchange(space, u_, false);
  const int threads = thread_count<Space>();
  // Threads must not write a plane that another half sweep of the same step reads.
  step.lag = threads == 1 ? 1 : 2;
  // As many rows as stay in the second-level cache until the last stage has come by.
  const int behind = step.lag * (step.stages - 1);
  const std::int64_t row = (behind + 5) *
                           (2 + static_cast<std::int64_t>(coefficient_fields_.size())) *
                           all.size(0) * static_cast<std::int64_t>(sizeof(Real));
  const int rows = threads * static_cast<int>(std::max<std::int64_t>(wave_bytes / row, 8));
  for (int first = all.lower[1]; first < all.upper[1]; first += rows) {
    const bool ends = first + rows >= all.upper[1];
    step.rows[0] = first;
    step.rows[1] = ends ? all.upper[1] + step.stages : first + rows;
    for (step.plane = all.lower[2]; step.plane < all.upper[2] + behind; ++step.plane) {
      // One plane and one row ahead.
      if (source != nullptr)
        add_to_box(
            space, *source,
            inner
                .with_range(Axis::y,
                            std::max(first == all.lower[1] ? first : first + 1, inner.lower[1]),
                            std::min(step.rows[1] + 1, inner.upper[1]))
                .with_range(Axis::z,
                            std::max(step.plane == all.lower[2] ? step.plane : step.plane + 1,
                                     inner.lower[2]),
                            std::min(step.plane + 2, inner.upper[2])));
      smooth_rows(space, omega, step);
      if (target == nullptr) continue;
      const Children cells(all, target->own());
      const int done = step.plane - behind, last = step.stages - 1;
      restrict_box(space, *target,
                   target->own()
                       .with_range(Axis::y, cells.end_of_those_below(1, first - last),
                                   cells.end_of_those_below(1, step.rows[1] - last))
                       .with_range(Axis::z, cells.end_of_those_below(2, done),
                                   cells.end_of_those_below(2, done + 1)));
    }
  }
}

template <class Space, class Real>
void Level<Space, Real>::smooth(const Space& space, int sweeps, Real omega, bool from_zero) {
  if (smooths_in_waves(sweeps)) return wave(space, sweeps, omega, from_zero, nullptr, nullptr);
  if (from_zero && (sweeps == 0 || smoother_ == Smoother::chebyshev)) set_to_zero(space);
  if (smoother_ == Smoother::chebyshev) return smooth_by_polynomial(space, 2 * sweeps);
  HalfSweeps one;
  one.box = own();
  for (int half = 0; half < 2 * sweeps; ++half) {
    one.colour = half % 2;
    one.from_zero = from_zero && half == 0;
    if (!one.from_zero) exchange(space, u_, false);
    smooth_rows(space, omega, one);
  }
}

template <class Space, class Real>
void Level<Space, Real>::smooth_and_restrict(const Space& space, int sweeps, Real omega,
                                             bool from_zero, Level& coarse) {
  if (smooths_in_waves(sweeps) && !jumps_)
    return wave(space, sweeps, omega, from_zero, nullptr, &coarse);
  smooth(space, sweeps, omega, from_zero);
  restrict_to(space, coarse);
}

template <class Space, class Real>
void Level<Space, Real>::add_and_smooth(const Space& space, Level& coarse, int sweeps, Real omega) {
  if (!smooths_in_waves(sweeps)) {
    add_from(space, coarse);
    return smooth(space, sweeps, omega, false);
  }
  coarse.exchange(space, coarse.u_, true);
  wave(space, sweeps, omega, false, &coarse, nullptr);
}

template <class Space, class Real>
void Level<Space, Real>::smooth_by_polynomial(const Space& space, int degree) {
  // Of the operator over its diagonal no eigenvalue is above 2 (Gershgorin), and those of errors
  // that the next level does not see are above one over the number of axes.
  const double largest = 2, smallest = 1.0 / shape_.dimensions;
  const double centre = 0.5 * (largest + smallest), half = 0.5 * (largest - smallest);
  double rho = half / centre;
  for (int n = 0; n < degree; ++n) {
    const double next = 1 / (2 * centre / half - rho);
    const double keep = n == 0 ? 0 : next * rho, weight = n == 0 ? 1 / centre : 2 * next / half;
    if (n > 0) rho = next;
    exchange(space, u_, false);
    with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
      make_step<dimensions, coefficients>(space, view_, u_.view(), b_.view(),
                                          static_cast<Real>(keep), static_cast<Real>(weight),
                                          step_.view());
    });
    add_step(space, own(), step_.view(), u_.view());
  }
}

template <class Space, class Real>
void Level<Space, Real>::restrict_box(const Space& space, Level& coarse, const Box& box) {
  with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
    restrict_residual<dimensions, coefficients>(space, view_, u_.view(), b_.view(), coarse.view_,
                                                coarse.b_.view(), box);
  });
}

template <class Space, class Real>
void Level<Space, Real>::restrict_to(const Space& space, Level& coarse) {
  exchange(space, u_, false);
  if (!jumps_) return restrict_box(space, coarse, coarse.own());
  with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
    residual<dimensions, coefficients>(space, view_, u_.view(), b_.view(), residual_.view());
  });
  exchange(space, residual_, true);
  AxisSet lone = 0;
  for (const Axis axis : all_axes)
    if (coarse.grid_.cells(axis) == 1) lone |= axis_bit(axis);
  with_dimensions(shape_.dimensions, [&]<int dimensions>() {
    restrict_weighted<dimensions>(space, view_, residual_.view(), far_, coarse.view_,
                                  coarse.b_.view(), lone);
  });
}

template <class Space, class Real>
void Level<Space, Real>::add_from(const Space& space, Level& coarse) {
  coarse.exchange(space, coarse.u_, true);
  add_to_box(space, coarse, own());
}

template <class Space, class Real>
void Level<Space, Real>::add_to_box(const Space& space, const Level& coarse, const Box& box) {
  with_dimensions(shape_.dimensions, [&]<int dimensions>() {
    if (coefficients_ == Coefficients::constant)
      prolong<dimensions, InterpolationRow<dimensions, Space, Real>>(
          space, view_, u_.view(), weights_, coarse.view_, coarse.u_.view(), box);
    else
      prolong<dimensions, WeightedRow<dimensions, Space, Real>>(
          space, view_, u_.view(), far_, coarse.view_, coarse.u_.view(), box);
  });
}

#define XP_LEVEL(Space, Real) template class Level<Space, Real>;
XP_INSTANTIATE(XP_LEVEL)
#undef XP_LEVEL

}  // namespace xp
