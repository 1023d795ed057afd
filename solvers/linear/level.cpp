#include <xp/solvers/linear/level.hpp>

#include <string>

#include <xp/runtime/backend.hpp>

namespace xp {

template <class Space, class Real>
Level<Space, Real>::Level(const LevelShape& shape, const Communicator& communicator,
                          Coefficients coefficients, double beta, double alpha)
    : shape_(shape), grid_(shape.grid()), coefficients_(coefficients) {
  const auto array = [&](const char* name) {
    FieldInfo info;
    info.name = name;
    return Field<Space, Real>(grid_, info);
  };
  u_ = array("multigrid: correction");
  exchanged_ = {u_.view()};
  b_ = array("multigrid: right side");
  if (coefficients != Coefficients::constant)
    for (int a = 0; a < shape.dimensions; ++a)
      faces_[static_cast<std::size_t>(a)] = array("multigrid: beta");
  if (coefficients == Coefficients::faces_and_reaction) reaction_ = array("multigrid: alpha");

  // Widths, links, near and far weights of each axis, ghost cells included, one more for the face
  // above the last.
  const Box all = grid_.cells(Region::ghosted);
  std::size_t size = 0, first[3];
  for (int a = 0; a < 3; ++a) {
    first[a] = size;
    size += 4 * (static_cast<std::size_t>(all.size(a)) + 1);
  }
  const AxisSet next = shape.next();
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

  view_.beta = static_cast<Real>(beta);
  view_.alpha = static_cast<Real>(alpha);
  view_.own = grid_.cells(Region::own);
  std::int64_t parity = 0;
  for (const std::int64_t start : grid_.geometry().first) parity += start;
  view_.parity = static_cast<int>(((parity % 2) + 2) % 2);
  for (int a = 0; a < 3; ++a)
    view_.faces[a] = faces_[static_cast<std::size_t>(a < shape.dimensions ? a : 0)].view();
  view_.reaction = reaction_.view();
  if (shape.decomposition.ranks() > 1) {
    halo_ = std::make_unique<HaloExchange<Space, Real>>(grid_, communicator,
                                                        std::vector<FieldEnds>{shape.ends}, false);
    corner_halo_ = std::make_unique<HaloExchange<Space, Real>>(
        grid_, communicator, std::vector<FieldEnds>{shape.ends}, true);
  }
}

template <class Space, class Real>
void Level<Space, Real>::sum_coefficients(const Space& space, const Level& fine) {
  const Children children(fine.own(), own());
  if (coefficients_ != Coefficients::constant)
    for (int a = 0; a < shape_.dimensions; ++a)
      sum_children(space, children, a, fine.view_.faces[a], view_.faces[a]);
  if (coefficients_ == Coefficients::faces_and_reaction)
    sum_children(space, children, -1, fine.view_.reaction, view_.reaction);
}

template <class Space, class Real>
void Level<Space, Real>::set_to_zero(const Space& space) {
  Field<Space, Real>::set_to_zero(space, u_.view(), grid_.cells(Region::ghosted));
}

template <class Space, class Real>
void Level<Space, Real>::wrap(const Space& space) {
  Box box = own();
  for (const Axis axis : all_axes) {
    if (!grid_.exists(axis) || (shape_.ends.wraps & axis_bit(axis)) == 0 || grid_.is_cut(axis))
      continue;
    const int a = index(axis), cells = own().size(a);
    const FieldView<Space, Real> u = u_.view();
    const std::int64_t stride = u.stride(axis);
    const Real sign = (shape_.ends.antiperiodic & axis_bit(axis)) != 0 ? Real(-1) : Real(1);
    for_each(
        space, "multigrid: wrap", box.with_range(axis, own().lower[a], own().lower[a] + 1),
        KOKKOS_LAMBDA(int k, int j, int i) {
          Real* const first = &u(k, j, i);
          first[-stride] = sign * first[(cells - 1) * stride];
          first[cells * stride] = sign * first[0];
        });
    box = box.grown(axis, 1, 1);
  }
}

template <class Space, class Real>
void Level<Space, Real>::exchange(const Space& space, bool corners) {
  wrap(space);
  HaloExchange<Space, Real>* const halo = corners ? corner_halo_.get() : halo_.get();
  if (halo == nullptr) return;
  halo->start(space, exchanged_);
  halo->finish(space, exchanged_);
}

template <class Space, class Real>
void Level<Space, Real>::smooth(const Space& space, int sweeps, Real omega) {
  for (int half = 0; half < 2 * sweeps; ++half) {
    exchange(space, false);
    with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
      xp::smooth<dimensions, coefficients>(space, view_, u_.view(), b_.view(), half % 2, omega);
    });
  }
}

template <class Space, class Real>
void Level<Space, Real>::restrict_to(const Space& space, Level& coarse) {
  exchange(space, false);
  with_kind(shape_.dimensions, coefficients_, [&]<int dimensions, Coefficients coefficients>() {
    restrict_residual<dimensions, coefficients>(space, view_, u_.view(), b_.view(), coarse.view_,
                                                coarse.b_.view());
  });
}

template <class Space, class Real>
void Level<Space, Real>::add_from(const Space& space, Level& coarse) {
  coarse.exchange(space, true);
  with_dimensions(shape_.dimensions, [&]<int dimensions>() {
    prolong<dimensions>(space, view_, u_.view(), weights_, coarse.view_, coarse.u_.view());
  });
}

#define XP_LEVEL(Space, Real) template class Level<Space, Real>;
XP_INSTANTIATE(XP_LEVEL)
#undef XP_LEVEL

}  // namespace xp
