#include <xp/solvers/linear/face_coefficients.hpp>

#include <xp/field/evaluate.hpp>
#include <xp/runtime/backend.hpp>

namespace xp {

template <class Space, class Real>
void tabulate_faces(const Space& space, const Grid& grid, const DeviceProgram<Space>& coefficient,
                    const StencilInputs<Space, Real>& inputs,
                    const std::vector<Field<Space, Real>>& arrays) {
  const Box own = grid.cells(Region::own);
  for (const Axis axis : all_axes) {
    if (!grid.exists(axis)) continue;
    const int a = index(axis);
    const auto faces = arrays[static_cast<std::size_t>(a)].view();
    // D at the centre below each face is stored first, then replaced by the harmonic mean with the
    // one above; at the walls D itself, unless the other end follows.
    StencilInputs<Space, Real> below = inputs, above = inputs;
    below.shift[a] = -1;
    Field<Space, Real> scratch(grid, arrays[static_cast<std::size_t>(a)].info());
    const auto upper_value = scratch.view();
    const Box all = grid.faces(axis);
    evaluate_into(space, coefficient, below, all, faces);
    evaluate_into(space, coefficient, above, all, upper_value);
    for_each(
        space, "face coefficients", all, KOKKOS_LAMBDA(int k, int j, int i) {
          const Real d0 = faces(k, j, i), d1 = upper_value(k, j, i);
          faces(k, j, i) = d0 + d1 > Real(0) ? Real(2) * d0 * d1 / (d0 + d1) : Real(0);
        });
    for (const bool upper : {false, true}) {
      if (!grid.at_end(axis, upper)) continue;
      const int face = upper ? own.upper[a] : own.lower[a];
      StencilInputs<Space, Real> wall = inputs;
      wall.shift[a] = -0.5;
      const Box layer = own.with_range(axis, face, face + 1);
      if (!grid.periodic(axis)) {
        evaluate_into(space, coefficient, wall, layer, faces);
        continue;
      }
      // The cells on both sides of a periodic wall are the first and the last one.
      StencilInputs<Space, Real> first = inputs, last = inputs;
      const auto here = static_cast<double>(grid.geometry().first[a] + face);
      first.shift[a] = -here;
      last.shift[a] = static_cast<double>(grid.cells(axis)) - 1 - here;
      evaluate_into(space, coefficient, first, layer, faces);
      evaluate_into(space, coefficient, last, layer, upper_value);
      for_each(
          space, "face coefficients", layer, KOKKOS_LAMBDA(int k, int j, int i) {
            const Real d0 = faces(k, j, i), d1 = upper_value(k, j, i);
            faces(k, j, i) = d0 + d1 > Real(0) ? Real(2) * d0 * d1 / (d0 + d1) : Real(0);
          });
    }
  }
  space.fence();
}

#define XP_TABULATE_FACES(Space, Real)                                                 \
  template void tabulate_faces(const Space&, const Grid&, const DeviceProgram<Space>&, \
                               const StencilInputs<Space, Real>&,                      \
                               const std::vector<Field<Space, Real>>&);
XP_INSTANTIATE(XP_TABULATE_FACES)
#undef XP_TABULATE_FACES

}  // namespace xp
