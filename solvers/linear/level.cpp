#include <xp/solvers/linear/level.hpp>

#include <string>

#include <xp/runtime/backend.hpp>

namespace xp {

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
bool Level<Space, Real>::smooths_in_waves() const {
  // Where no ghost cell depends on others, and the arrays are beyond the nearer caches.
  constexpr std::int64_t large = 100000;
  return is_host_space<Space> && shape_.dimensions == 3 && halo_ == nullptr &&
         shape_.ends.wraps == 0 && own().count() > large;
}

template <class Space, class Real>
void Level<Space, Real>::smooth(const Space& space, int sweeps, Real omega, bool from_zero) {
  if (from_zero && (sweeps == 0 || smoother_ == Smoother::chebyshev)) set_to_zero(space);
  if (smoother_ == Smoother::chebyshev) return smooth_by_polynomial(space, 2 * sweeps);
  const auto run = [&](const HalfSweeps& half_sweeps) {
    with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
      xp::smooth<dimensions, coefficients>(space, view_, u_.view(), b_.view(), omega, half_sweeps);
    });
  };
  HalfSweeps wave;
  wave.from_zero = from_zero;
  if (smooths_in_waves()) {
    wave.stages = 2 * sweeps;
    // Threads must not write a plane that another half sweep of the same step reads.
    wave.lag = thread_count<Space>() == 1 ? 1 : 2;
    const int end = own().upper[2] + wave.lag * (wave.stages - 1);
    for (wave.plane = own().lower[2]; wave.plane < end; ++wave.plane) run(wave);
    return;
  }
  for (int half = 0; half < 2 * sweeps; ++half) {
    wave.colour = half % 2;
    wave.from_zero = from_zero && half == 0;
    if (!wave.from_zero) exchange(space, u_, false);
    run(wave);
  }
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
void Level<Space, Real>::restrict_to(const Space& space, Level& coarse) {
  exchange(space, u_, false);
  if (!jumps_) {
    with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
      restrict_residual<dimensions, coefficients>(space, view_, u_.view(), b_.view(), coarse.view_,
                                                  coarse.b_.view());
    });
    return;
  }
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
  with_dimensions(shape_.dimensions, [&]<int dimensions>() {
    if (coefficients_ == Coefficients::constant)
      prolong<dimensions, InterpolationRow<dimensions, Space, Real>>(
          space, view_, u_.view(), weights_, coarse.view_, coarse.u_.view());
    else
      prolong<dimensions, WeightedRow<dimensions, Space, Real>>(space, view_, u_.view(), far_,
                                                                coarse.view_, coarse.u_.view());
  });
}

#define XP_LEVEL(Space, Real) template class Level<Space, Real>;
XP_INSTANTIATE(XP_LEVEL)
#undef XP_LEVEL

}  // namespace xp
