// Derivatives at a cell, as device functions: central differences divided by the spacing. The
// whole-field calls of operators.hpp are made of them, and a model's own kernels can be.
//
// `u` is anything that is indexed (k, j, i); a vector is an array of such, one per component.
#pragma once

#include <xp/mesh/grid.hpp>
#include <xp/operators/stencil.hpp>

namespace xp {

/// What derivatives multiply by, so that kernels do not divide.
template <class Real>
struct InverseSpacing {
  Real first[3] = {};   ///< 1 / spacing
  Real second[3] = {};  ///< 1 / spacing^2

  InverseSpacing() = default;
  explicit InverseSpacing(const Geometry& geometry) {
    for (int a = 0; a < 3; ++a) {
      first[a] = static_cast<Real>(1 / geometry.spacing[a]);
      second[a] = static_cast<Real>(1 / (geometry.spacing[a] * geometry.spacing[a]));
    }
  }
};

/// du/dx along an axis: a component of the gradient.
template <int order, Axis axis, class View, class Real>
KOKKOS_INLINE_FUNCTION Real derivative_at(const View& u, const InverseSpacing<Real>& inverse, int k,
                                          int j, int i) {
  constexpr int a = static_cast<int>(axis);
  return inverse.first[a] * first_difference<order, axis>(u, k, j, i);
}

/// d2u/dx2 along an axis.
template <int order, Axis axis, class View, class Real>
KOKKOS_INLINE_FUNCTION Real second_derivative_at(const View& u, const InverseSpacing<Real>& inverse,
                                                 int k, int j, int i) {
  constexpr int a = static_cast<int>(axis);
  return inverse.second[a] * second_difference<order, axis>(u, k, j, i);
}

/// d2u/dadb along two different axes.
template <int order, Axis first, Axis second, class View, class Real>
KOKKOS_INLINE_FUNCTION Real mixed_derivative_at(const View& u, const InverseSpacing<Real>& inverse,
                                                int k, int j, int i) {
  constexpr int a = static_cast<int>(first), b = static_cast<int>(second);
  return inverse.first[a] * inverse.first[b] * mixed_difference<order, first, second>(u, k, j, i);
}

/// The sum of second derivatives along the axes that exist.
template <int dimensions, int order, class View, class Real>
KOKKOS_INLINE_FUNCTION Real laplacian_at(const View& u, const InverseSpacing<Real>& inverse, int k,
                                         int j, int i) {
  Real sum = second_derivative_at<order, Axis::x>(u, inverse, k, j, i);
  if constexpr (dimensions > 1) sum += second_derivative_at<order, Axis::y>(u, inverse, k, j, i);
  if constexpr (dimensions > 2) sum += second_derivative_at<order, Axis::z>(u, inverse, k, j, i);
  return sum;
}

/// du/dx + dv/dy + dw/dz of a vector with as many components as dimensions.
template <int dimensions, int order, class View, class Real>
KOKKOS_INLINE_FUNCTION Real divergence_at(const View (&vector)[3],
                                          const InverseSpacing<Real>& inverse, int k, int j,
                                          int i) {
  Real sum = derivative_at<order, Axis::x>(vector[0], inverse, k, j, i);
  if constexpr (dimensions > 1) sum += derivative_at<order, Axis::y>(vector[1], inverse, k, j, i);
  if constexpr (dimensions > 2) sum += derivative_at<order, Axis::z>(vector[2], inverse, k, j, i);
  return sum;
}

/// The component of the curl along an axis: dv/dx - du/dy along z, and cyclically. Along z it does
/// not read the third component.
template <int order, Axis axis, class View, class Real>
KOKKOS_INLINE_FUNCTION Real curl_at(const View (&vector)[3], const InverseSpacing<Real>& inverse,
                                    int k, int j, int i) {
  constexpr int a = (static_cast<int>(axis) + 1) % 3, b = (static_cast<int>(axis) + 2) % 3;
  return derivative_at<order, static_cast<Axis>(a)>(vector[b], inverse, k, j, i) -
         derivative_at<order, static_cast<Axis>(b)>(vector[a], inverse, k, j, i);
}

}  // namespace xp
