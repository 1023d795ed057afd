// The right-hand sides of the heat equation at a cell, as functors for apply_stage().
#pragma once

#include <xp/field/field.hpp>
#include <xp/operators/stencil.hpp>

namespace xp {

/// D laplacian(u) + source with constant D and source.
template <int dimensions, int order, class Space, class Real>
struct ConstantDiffusion {
  FieldView<Space, Real> u;
  Real factor[3];  ///< D / spacing^2
  Real source;

  KOKKOS_INLINE_FUNCTION Real operator()(int k, int j, int i) const {
    Real sum = factor[0] * second_difference<order, Axis::x>(u, k, j, i);
    if constexpr (dimensions > 1) sum += factor[1] * second_difference<order, Axis::y>(u, k, j, i);
    if constexpr (dimensions > 2) sum += factor[2] * second_difference<order, Axis::z>(u, k, j, i);
    return sum + source;
  }
};

/// div(D grad u) + source from D at the faces: face i lies below cell i.
template <int dimensions, class Space, class Real>
struct FaceDiffusion {
  FieldView<Space, Real> u;
  FieldView<Space, Real> faces[3];
  Real factor[3];  ///< 1 / spacing^2
  Real source;

  template <Axis axis>
  KOKKOS_INLINE_FUNCTION Real along(int k, int j, int i) const {
    const auto& d = faces[index(axis)];
    const Real centre = u(k, j, i);
    return factor[index(axis)] *
           (shifted<axis>(d, k, j, i, 1) * (shifted<axis>(u, k, j, i, 1) - centre) -
            d(k, j, i) * (centre - shifted<axis>(u, k, j, i, -1)));
  }
  KOKKOS_INLINE_FUNCTION Real operator()(int k, int j, int i) const {
    Real sum = along<Axis::x>(k, j, i);
    if constexpr (dimensions > 1) sum += along<Axis::y>(k, j, i);
    if constexpr (dimensions > 2) sum += along<Axis::z>(k, j, i);
    return sum + source;
  }
};

/// D laplacian(u) + grad(D).grad(u) + source, fourth order.
template <int dimensions, class Space, class Real>
struct ProductDiffusion {
  FieldView<Space, Real> u;
  FieldView<Space, Real> diffusivity, gradient[3];
  Real factor[3];   ///< 1 / spacing^2
  Real inverse[3];  ///< 1 / spacing
  Real source;

  template <Axis axis>
  KOKKOS_INLINE_FUNCTION Real along(Real d, int k, int j, int i) const {
    return d * (factor[index(axis)] * second_difference<4, axis>(u, k, j, i)) +
           gradient[index(axis)](k, j, i) *
               (inverse[index(axis)] * first_difference<4, axis>(u, k, j, i));
  }
  KOKKOS_INLINE_FUNCTION Real operator()(int k, int j, int i) const {
    const Real d = diffusivity(k, j, i);
    Real sum = along<Axis::x>(d, k, j, i);
    if constexpr (dimensions > 1) sum += along<Axis::y>(d, k, j, i);
    if constexpr (dimensions > 2) sum += along<Axis::z>(d, k, j, i);
    return sum + source;
  }
};

}  // namespace xp
