#include <xp/solvers/linear/helmholtz_cycle.hpp>

#include <cmath>

#include <xp/runtime/backend.hpp>

namespace xp {

template <class Space, class Real>
HelmholtzCycle<Space, Real>::HelmholtzCycle(const Grid& grid, const Communicator& communicator,
                                            const BoundaryConditions& conditions, double alpha)
    : grid_(with_one_ghost(grid)) {
  for (const Axis axis : all_axes)
    if (grid.exists(axis)) shift_[static_cast<std::size_t>(index(axis))] = grid.ghosts(axis) - 1;
  EllipticOperator<Space, float> op;
  op.alpha = alpha;
  multigrid_ = std::make_unique<Multigrid<Space, float>>(grid_, communicator, conditions, op);
}

template <class Space, class Real>
std::int64_t HelmholtzCycle<Space, Real>::memory(const Grid& grid) {
  const std::int64_t array = Field<Space, float>::bytes(grid, FieldInfo());
  return 2 * (array + array / ((1 << grid.dimensions()) - 1));
}

template <class Space, class Real>
FieldView<Space, Real> HelmholtzCycle<Space, Real>::moved(
    const FieldView<Space, Real>& view) const {
  return view.moved(shift_[2], shift_[1], shift_[0]);
}

template <class Space, class Real>
template <class From, class To>
void HelmholtzCycle<Space, Real>::copy(const Space& space, const FieldView<Space, From>& from,
                                       double factor, const FieldView<Space, To>& to) const {
  for_each(
      space, "multigrid: copy", grid_.cells(Region::own), KOKKOS_LAMBDA(int k, int j, int i) {
        to(k, j, i) = static_cast<To>(factor * static_cast<double>(from(k, j, i)));
      });
}

template <class Space, class Real>
void HelmholtzCycle<Space, Real>::apply(const Space& space, const FieldView<Space, Real>& x,
                                        double size, double factor,
                                        const FieldView<Space, Real>& y) {
  // A power of two brings values to where floats are exact.
  const double unit = size > 0 && std::isfinite(size) ? std::exp2(-std::ilogb(size)) : 1;
  copy(space, moved(x), unit * multigrid_->scale() * grid_.cell_volume(), multigrid_->right_side());
  multigrid_->cycle(space);
  copy(space, multigrid_->correction(), factor / unit, moved(y));
}

#define XP_HELMHOLTZ_CYCLE(Space, Real) template class HelmholtzCycle<Space, Real>;
XP_INSTANTIATE(XP_HELMHOLTZ_CYCLE)
#undef XP_HELMHOLTZ_CYCLE

}  // namespace xp
