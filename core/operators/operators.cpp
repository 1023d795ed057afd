#include <xp/operators/operators.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <xp/operators/arguments.hpp>
#include <xp/operators/derivative.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {
namespace detail {

template <int dimensions, int order, class Space, class Real>
struct Gradient {
  FieldView<Space, Real> u, result[3];
  InverseSpacing<Real> inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    result[0](k, j, i) = derivative_at<order, Axis::x>(u, inverse, k, j, i);
    if constexpr (dimensions > 1)
      result[1](k, j, i) = derivative_at<order, Axis::y>(u, inverse, k, j, i);
    if constexpr (dimensions > 2)
      result[2](k, j, i) = derivative_at<order, Axis::z>(u, inverse, k, j, i);
  }
};

template <int dimensions, int order, class Space, class Real>
struct Divergence {
  FieldView<Space, Real> vector[3], result;
  InverseSpacing<Real> inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    result(k, j, i) = divergence_at<dimensions, order>(vector, inverse, k, j, i);
  }
};

template <int dimensions, int order, class Space, class Real>
struct Laplacian {
  FieldView<Space, Real> u, result;
  InverseSpacing<Real> inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    result(k, j, i) = laplacian_at<dimensions, order>(u, inverse, k, j, i);
  }
};

template <int dimensions, int order, class Space, class Real>
struct Curl {
  FieldView<Space, Real> vector[3], result[3];
  InverseSpacing<Real> inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    if constexpr (dimensions == 2) {
      result[0](k, j, i) = curl_at<order, Axis::z>(vector, inverse, k, j, i);
    } else {
      result[0](k, j, i) = curl_at<order, Axis::x>(vector, inverse, k, j, i);
      result[1](k, j, i) = curl_at<order, Axis::y>(vector, inverse, k, j, i);
      result[2](k, j, i) = curl_at<order, Axis::z>(vector, inverse, k, j, i);
    }
  }
};

// A cell's neighbourhood along two axes that are known at run time only, indexed as its x and y:
// one kernel instead of one for each pair of axes.
template <class Real>
struct Plane {
  const Real* centre;
  std::ptrdiff_t stride_a, stride_b;

  KOKKOS_INLINE_FUNCTION Real operator()(int, int j, int i) const {
    return centre[i * stride_a + j * stride_b];
  }
};

template <bool same_axis, int order, class Space, class Real>
struct MixedDerivative {
  FieldView<Space, Real> u, result;
  std::ptrdiff_t stride_a = 0, stride_b = 0;
  Real factor = 0;  // one over both spacings

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    const Plane<Real> plane{&u(k, j, i), stride_a, stride_b};
    if constexpr (same_axis)
      result(k, j, i) = factor * second_difference<order, Axis::x>(plane, 0, 0, 0);
    else
      result(k, j, i) = factor * mixed_difference<order, Axis::x, Axis::y>(plane, 0, 0, 0);
  }
};

}  // namespace detail

namespace {

template <int number>
using Constant = std::integral_constant<int, number>;

// Calls `f` with the order as a compile-time constant.
template <class F>
void with_order(Order order, const F& f) {
  if (order == Order::fourth)
    f(Constant<4>());
  else
    f(Constant<2>());
}

// Calls `f` with dimensions and order as compile-time constants.
template <class F>
void with_stencil(const Grid& grid, Order order, const F& f) {
  with_order(order, [&](auto known) {
    switch (grid.dimensions()) {
      case 1:
        return f(Constant<1>(), known);
      case 2:
        return f(Constant<2>(), known);
      default:
        return f(Constant<3>(), known);
    }
  });
}

template <class Space, class Real>
void require_fields(std::string_view call, const Grid& grid, Order order,
                    const Field<Space, Real>& argument, int components,
                    const Field<Space, Real>& result, int result_components) {
  if (grid.ghosts(Axis::x) < ghost_width(order))
    throw std::invalid_argument(
        std::string(call) + ": order " + std::to_string(static_cast<int>(order)) + " reads " +
        std::to_string(ghost_width(order)) + " ghost cells on each side, the grid has " +
        std::to_string(grid.ghosts(Axis::x)));
  detail::require_shape(call, grid, Region::ghosted, argument, components);
  detail::require_shape(call, grid, Region::ghosted, result, result_components);
  detail::require_distinct(call, argument, result);
}

// Views of the components that there are.
template <class Space, class Real>
void take_components(const Field<Space, Real>& field, FieldView<Space, Real> (&views)[3]) {
  for (int c = 0; c < field.shape().components; ++c) views[c] = field.view(c);
}

}  // namespace

template <class Space, class Real>
void gradient(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& u,
              const Field<Space, Real>& result) {
  require_fields("gradient", grid, order, u, 1, result, grid.dimensions());
  with_stencil(grid, order, [&](auto dimensions, auto known) {
    detail::Gradient<decltype(dimensions)::value, decltype(known)::value, Space, Real> body;
    body.u = u.view();
    take_components(result, body.result);
    body.inverse = InverseSpacing<Real>(grid.geometry());
    for_each(space, "gradient", grid.cells(Region::own), body);
  });
}

template <class Space, class Real>
void divergence(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& vector,
                const Field<Space, Real>& result) {
  require_fields("divergence", grid, order, vector, grid.dimensions(), result, 1);
  with_stencil(grid, order, [&](auto dimensions, auto known) {
    detail::Divergence<decltype(dimensions)::value, decltype(known)::value, Space, Real> body;
    take_components(vector, body.vector);
    body.result = result.view();
    body.inverse = InverseSpacing<Real>(grid.geometry());
    for_each(space, "divergence", grid.cells(Region::own), body);
  });
}

template <class Space, class Real>
void laplacian(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& u,
               const Field<Space, Real>& result) {
  require_fields("laplacian", grid, order, u, 1, result, 1);
  with_stencil(grid, order, [&](auto dimensions, auto known) {
    detail::Laplacian<decltype(dimensions)::value, decltype(known)::value, Space, Real> body;
    body.u = u.view();
    body.result = result.view();
    body.inverse = InverseSpacing<Real>(grid.geometry());
    for_each(space, "laplacian", grid.cells(Region::own), body);
  });
}

template <class Space, class Real>
void curl(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& vector,
          const Field<Space, Real>& result) {
  if (grid.dimensions() == 1)
    throw std::invalid_argument("curl: a grid with one dimension has none");
  require_fields("curl", grid, order, vector, grid.dimensions(), result,
                 grid.dimensions() == 2 ? 1 : 3);
  const auto run = [&](auto body) {
    take_components(vector, body.vector);
    take_components(result, body.result);
    body.inverse = InverseSpacing<Real>(grid.geometry());
    for_each(space, "curl", grid.cells(Region::own), body);
  };
  with_order(order, [&](auto known) {
    if (grid.dimensions() == 2)
      run(detail::Curl<2, decltype(known)::value, Space, Real>());
    else
      run(detail::Curl<3, decltype(known)::value, Space, Real>());
  });
}

template <class Space, class Real>
void mixed_derivative(const Space& space, const Grid& grid, Order order, Axis a, Axis b,
                      const Field<Space, Real>& u, const Field<Space, Real>& result) {
  if (!grid.exists(a) || !grid.exists(b))
    throw std::invalid_argument(std::string("mixed_derivative: the grid has no axis ") +
                                letter(grid.exists(a) ? b : a));
  require_fields("mixed_derivative", grid, order, u, 1, result, 1);
  const auto run = [&](auto body) {
    body.u = u.view();
    body.result = result.view();
    body.stride_a = body.u.stride(a);
    body.stride_b = body.u.stride(b);
    body.factor = static_cast<Real>(1 / (grid.spacing(a) * grid.spacing(b)));
    for_each(space, "mixed deriv.", grid.cells(Region::own), body);
  };
  with_order(order, [&](auto known) {
    if (a == b)
      run(detail::MixedDerivative<true, decltype(known)::value, Space, Real>());
    else
      run(detail::MixedDerivative<false, decltype(known)::value, Space, Real>());
  });
}

#define XP_OPERATORS(Space, Real)                                                       \
  template void gradient(const Space&, const Grid&, Order, const Field<Space, Real>&,   \
                         const Field<Space, Real>&);                                    \
  template void divergence(const Space&, const Grid&, Order, const Field<Space, Real>&, \
                           const Field<Space, Real>&);                                  \
  template void laplacian(const Space&, const Grid&, Order, const Field<Space, Real>&,  \
                          const Field<Space, Real>&);                                   \
  template void curl(const Space&, const Grid&, Order, const Field<Space, Real>&,       \
                     const Field<Space, Real>&);                                        \
  template void mixed_derivative(const Space&, const Grid&, Order, Axis, Axis,          \
                                 const Field<Space, Real>&, const Field<Space, Real>&);
XP_INSTANTIATE(XP_OPERATORS)
#undef XP_OPERATORS

}  // namespace xp
