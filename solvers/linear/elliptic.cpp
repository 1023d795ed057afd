#include <xp/solvers/linear/elliptic.hpp>

#include <xp/runtime/backend.hpp>

namespace xp {

Grid with_one_ghost(const Grid& grid) {
  GridSpec spec;
  spec.dimensions = grid.dimensions();
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    spec.cells[a] = grid.cells(axis);
    spec.lower[a] = grid.lower(axis);
    spec.upper[a] = grid.upper(axis);
    spec.periodic[a] = grid.periodic(axis);
  }
  return Grid(spec, grid.decomposition(), grid.rank());
}

namespace detail {

// target = scale * (f - operator(u)), or the operator's value where f is not wanted. In double
// whatever the fields' precision: the residual decides how good a solution is.
template <int dimensions, Coefficients coefficients, bool applies, class Space, class Real,
          class Target>
void residual_of(const Space& space, const Grid& grid, const Box& box,
                 const EllipticOperator<Space, Real>& op, const FieldView<Space, Real>& u,
                 const FieldView<Space, Real>& f, double scale,
                 const FieldView<Space, Target>& target) {
  double inverse[3];
  for (const Axis axis : all_axes)
    inverse[index(axis)] = 1 / (grid.spacing(axis) * grid.spacing(axis));
  for_each(
      space, "elliptic: residual", box, KOKKOS_LAMBDA(int k, int j, int i) {
        // Captured here, as CUDA's compiler wants it: not where the dimensions decide.
        const double x2 = inverse[0], y2 = inverse[1], z2 = inverse[2];
        const EllipticOperator<Space, Real>& of = op;
        [[maybe_unused]] const FieldView<Space, Real>& source = f;
        const double factor = scale;
        const Real* const here = &u(k, j, i);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        const double centre = static_cast<double>(here[0]);
        // Differences over the faces on both sides, each times its beta.
        const auto flux = [&](int axis, std::int64_t stride) {
          const double up = static_cast<double>(here[stride]) - centre;
          const double down = centre - static_cast<double>(here[-stride]);
          if constexpr (coefficients == Coefficients::constant) {
            return up - down;
          } else {
            const FieldView<Space, Real>& faces = of.faces[axis];
            const Real* const face = &faces(k, j, i);
            return static_cast<double>(face[faces.stride(static_cast<Axis>(axis))]) * up -
                   static_cast<double>(face[0]) * down;
          }
        };
        double sum = x2 * flux(0, 1);
        if constexpr (dimensions > 1) sum += y2 * flux(1, sy);
        if constexpr (dimensions > 2) sum += z2 * flux(2, sz);
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

template <class Space, class Real>
template <class Target>
void EllipticOperator<Space, Real>::residual(const Space& space, const Grid& grid, const Box& box,
                                             const FieldView<Space, Real>& u,
                                             const FieldView<Space, Real>& f, double scale,
                                             const FieldView<Space, Target>& target) const {
  with_kind(grid.dimensions(), coefficients, [&]<int dimensions, Coefficients kind>() {
    detail::residual_of<dimensions, kind, false>(space, grid, box, *this, u, f, scale, target);
  });
}

template <class Space, class Real>
void EllipticOperator<Space, Real>::apply(const Space& space, const Grid& grid,
                                          const FieldView<Space, Real>& u,
                                          const FieldView<Space, Real>& target) const {
  with_kind(grid.dimensions(), coefficients, [&]<int dimensions, Coefficients kind>() {
    detail::residual_of<dimensions, kind, true>(space, grid, grid.cells(Region::own), *this, u, u,
                                                1, target);
  });
}

#define XP_ELLIPTIC(Space, Real)                                                    \
  template struct EllipticOperator<Space, Real>;                                    \
  template void EllipticOperator<Space, Real>::residual(                            \
      const Space&, const Grid&, const Box&, const FieldView<Space, Real>&,         \
      const FieldView<Space, Real>&, double, const FieldView<Space, float>&) const; \
  template void EllipticOperator<Space, Real>::residual(                            \
      const Space&, const Grid&, const Box&, const FieldView<Space, Real>&,         \
      const FieldView<Space, Real>&, double, const FieldView<Space, double>&) const;
XP_INSTANTIATE(XP_ELLIPTIC)
#undef XP_ELLIPTIC

}  // namespace xp
