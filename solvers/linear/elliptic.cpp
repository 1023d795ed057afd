#include <xp/solvers/linear/elliptic.hpp>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {

// target = scale * (f - operator(u)), or the operator's value where f is not wanted. In double
// whatever the fields' precision: the residual decides how good a solution is.
template <int dimensions, Coefficients coefficients, bool applies, class Space, class Real,
          class Target>
void residual_of(const Space& space, const Grid& grid, const EllipticOperator<Space, Real>& op,
                 const FieldView<Space, Real>& u, const FieldView<Space, Real>& f, double scale,
                 const FieldView<Space, Target>& target) {
  double inverse[3];
  for (const Axis axis : all_axes)
    inverse[index(axis)] = 1 / (grid.spacing(axis) * grid.spacing(axis));
  for_each(
      space, "elliptic: residual", grid.cells(Region::own), KOKKOS_LAMBDA(int k, int j, int i) {
        // Captured here, as CUDA's compiler wants it: not where the dimensions decide.
        const double x2 = inverse[0], y2 = inverse[1], z2 = inverse[2];
        const EllipticOperator<Space, Real>& of = op;
        [[maybe_unused]] const FieldView<Space, Real>& source = f;
        const double factor = scale;
        const Real* const here = &u(k, j, i);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        const double centre = static_cast<double>(here[0]);
        // beta at the faces on both sides, differences over them.
        const auto flux = [&](int axis, std::int64_t stride, const Real& face) {
          const double up = static_cast<double>(here[stride]) - centre;
          const double down = centre - static_cast<double>(here[-stride]);
          if constexpr (coefficients == Coefficients::constant) {
            return up - down;
          } else {
            const std::int64_t s = of.faces[axis].stride(static_cast<Axis>(axis));
            return static_cast<double>((&face)[s]) * up - static_cast<double>(face) * down;
          }
        };
        const auto face = [&](int axis) -> const Real& {
          if constexpr (coefficients == Coefficients::constant)
            return here[0];
          else
            return of.faces[axis](k, j, i);
        };
        double sum = x2 * flux(0, 1, face(0));
        if constexpr (dimensions > 1) sum += y2 * flux(1, sy, face(1));
        if constexpr (dimensions > 2) sum += z2 * flux(2, sz, face(2));
        double alpha = of.alpha;
        if constexpr (coefficients == Coefficients::constant) sum *= of.beta;
        if constexpr (coefficients == Coefficients::faces_and_reaction)
          alpha = static_cast<double>(of.reaction(k, j, i));
        const double value = alpha * centre - sum;
        target(k, j, i) = static_cast<Target>(
            applies ? factor * value : factor * (static_cast<double>(source(k, j, i)) - value));
      });
}

}  // namespace detail

template <bool applies, class Space, class Real, class Target>
void choose_residual(const Space& space, const Grid& grid, const EllipticOperator<Space, Real>& op,
                     const FieldView<Space, Real>& u, const FieldView<Space, Real>& f, double scale,
                     const FieldView<Space, Target>& target) {
  const auto with = [&]<int dimensions>() {
    using C = Coefficients;
    if (op.coefficients == C::constant)
      detail::residual_of<dimensions, C::constant, applies>(space, grid, op, u, f, scale, target);
    else if (op.coefficients == C::faces)
      detail::residual_of<dimensions, C::faces, applies>(space, grid, op, u, f, scale, target);
    else
      detail::residual_of<dimensions, C::faces_and_reaction, applies>(space, grid, op, u, f, scale,
                                                                      target);
  };
  if (grid.dimensions() == 1) return with.template operator()<1>();
  if (grid.dimensions() == 2) return with.template operator()<2>();
  with.template operator()<3>();
}

template <class Space, class Real>
template <class Target>
void EllipticOperator<Space, Real>::residual(const Space& space, const Grid& grid,
                                             const FieldView<Space, Real>& u,
                                             const FieldView<Space, Real>& f, double scale,
                                             const FieldView<Space, Target>& target) const {
  choose_residual<false>(space, grid, *this, u, f, scale, target);
}

template <class Space, class Real>
void EllipticOperator<Space, Real>::apply(const Space& space, const Grid& grid,
                                          const FieldView<Space, Real>& u,
                                          const FieldView<Space, Real>& target) const {
  choose_residual<true>(space, grid, *this, u, u, 1, target);
}

#define XP_ELLIPTIC(Space, Real)                                                               \
  template struct EllipticOperator<Space, Real>;                                               \
  template void EllipticOperator<Space, Real>::residual(                                       \
      const Space&, const Grid&, const FieldView<Space, Real>&, const FieldView<Space, Real>&, \
      double, const FieldView<Space, float>&) const;                                           \
  template void EllipticOperator<Space, Real>::residual(                                       \
      const Space&, const Grid&, const FieldView<Space, Real>&, const FieldView<Space, Real>&, \
      double, const FieldView<Space, double>&) const;
XP_INSTANTIATE(XP_ELLIPTIC)
#undef XP_ELLIPTIC

}  // namespace xp
