// Central differences at a point, as device functions: the bodies of kernels are made of them.
//
// All are undivided: the caller divides by the spacing once (or folds it into a coefficient). `u`
// is anything that is indexed (k, j, i).
#pragma once

#include <xp/runtime/box.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp {

/// The value `offset` cells from (k, j, i) along an axis.
template <Axis axis, class View>
KOKKOS_INLINE_FUNCTION auto shifted(const View& u, int k, int j, int i, int offset) {
  if constexpr (axis == Axis::x)
    return u(k, j, i + offset);
  else if constexpr (axis == Axis::y)
    return u(k, j + offset, i);
  else
    return u(k + offset, j, i);
}

/// spacing * du/dx: (u[1]-u[-1])/2, or (8(u[1]-u[-1])-(u[2]-u[-2]))/12. Fornberg 1988, table 1.
template <int order, Axis axis, class View>
KOKKOS_INLINE_FUNCTION auto first_difference(const View& u, int k, int j, int i) {
  using Real = decltype(shifted<axis>(u, k, j, i, 0));
  static_assert(order == 2 || order == 4, "central differences are of order 2 or 4");
  const Real near = shifted<axis>(u, k, j, i, 1) - shifted<axis>(u, k, j, i, -1);
  if constexpr (order == 2) {
    return Real(0.5) * near;
  } else {
    const Real far = shifted<axis>(u, k, j, i, 2) - shifted<axis>(u, k, j, i, -2);
    return Real(2. / 3) * near - Real(1. / 12) * far;
  }
}

/// spacing^2 * d2u/dx2: u[-1]-2u[0]+u[1], or (-u[-2]+16u[-1]-30u[0]+16u[1]-u[2])/12. Fornberg 1988.
template <int order, Axis axis, class View>
KOKKOS_INLINE_FUNCTION auto second_difference(const View& u, int k, int j, int i) {
  using Real = decltype(shifted<axis>(u, k, j, i, 0));
  static_assert(order == 2 || order == 4, "central differences are of order 2 or 4");
  const Real centre = u(k, j, i);
  const Real near = shifted<axis>(u, k, j, i, 1) + shifted<axis>(u, k, j, i, -1);
  if constexpr (order == 2) {
    return near - Real(2) * centre;
  } else {
    const Real far = shifted<axis>(u, k, j, i, 2) + shifted<axis>(u, k, j, i, -2);
    return Real(4. / 3) * near - Real(2.5) * centre - Real(1. / 12) * far;
  }
}

namespace detail {

// The first difference of a view, itself indexed (k, j, i).
template <int order, Axis axis, class View>
struct FirstDifference {
  const View& u;

  KOKKOS_INLINE_FUNCTION auto operator()(int k, int j, int i) const {
    return first_difference<order, axis>(u, k, j, i);
  }
};

}  // namespace detail

/// spacing_a * spacing_b * d2u/dadb, the product of first differences: for second order the cross
/// of four corners (u[1,1]-u[1,-1]-u[-1,1]+u[-1,-1])/4, for fourth order sixteen points.
/// Abramowitz and Stegun 1964, 25.3.26. Reads ghost cells at corners.
template <int order, Axis a, Axis b, class View>
KOKKOS_INLINE_FUNCTION auto mixed_difference(const View& u, int k, int j, int i) {
  static_assert(a != b, "second_difference() is the one along a single axis");
  return first_difference<order, a>(detail::FirstDifference<order, b, View>{u}, k, j, i);
}

}  // namespace xp
