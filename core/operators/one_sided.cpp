#include <xp/operators/one_sided.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

#include <xp/operators/arguments.hpp>
#include <xp/operators/stencil.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {
namespace detail {

template <Axis axis, class Space, class Real>
struct CentralDifference {
  FieldView<Space, Real> u, result;
  Real inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    result(k, j, i) = inverse * first_difference<2, axis>(u, k, j, i);
  }
};

// At an edge, from this cell and the next ones inward: no cell beyond `points` is read.
template <Axis axis, class Space, class Real>
struct EdgeDifference {
  FieldView<Space, Real> u, result;
  Real weights[3];
  int points, inward;  // 1 at the lower edge, -1 at the upper

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    Real sum = weights[0] * u(k, j, i);
    for (int m = 1; m < points; ++m) sum += weights[m] * shifted<axis>(u, k, j, i, m * inward);
    result(k, j, i) = sum;
  }
};

template <Axis axis, class Space, class Real>
void differentiate(const Space& space, const Box& box, double spacing, int edge_order,
                   const FieldView<Space, Real>& u, const FieldView<Space, Real>& result) {
  constexpr int a = index(axis);
  const int n = box.upper[a];
  for_each(space, "gradient inside", box.with_range(axis, 1, n - 1),
           CentralDifference<axis, Space, Real>{u, result, static_cast<Real>(1 / spacing)});

  const double first[3] = {-1, 1, 0}, second[3] = {-1.5, 2, -0.5};
  EdgeDifference<axis, Space, Real> edge{u, result, {}, edge_order + 1, 1};
  for (const bool upper : {false, true}) {
    edge.inward = upper ? -1 : 1;
    for (int m = 0; m < 3; ++m)
      edge.weights[m] =
          static_cast<Real>(edge.inward * (edge_order == 1 ? first : second)[m] / spacing);
    const int at = upper ? n - 1 : 0;
    for_each(space, "gradient edge", box.with_range(axis, at, at + 1), edge);
  }
}

}  // namespace detail

template <class Space, class Real>
void gradient_one_sided(const Space& space, const Grid& grid, const Field<Space, Real>& u,
                        int edge_order, const Field<Space, Real>& result) {
  constexpr std::string_view call = "gradient_one_sided";
  if (edge_order != 1 && edge_order != 2)
    throw std::invalid_argument(std::string(call) + ": edge_order is 1 or 2, not " +
                                std::to_string(edge_order));
  detail::require_shape(call, grid, Region::own, u, 1);
  detail::require_shape(call, grid, Region::own, result, grid.dimensions());
  detail::require_distinct(call, u, result);
  Box box;
  for (const Axis axis : all_axes) {
    const int cells = grid.cells(Region::own).size(index(axis));
    box = box.with_range(axis, 0, cells);
    if (cells != grid.cells(axis))
      throw std::invalid_argument(std::string(call) + ": the grid is shared among ranks");
    if (grid.exists(axis) && cells <= edge_order)
      throw std::invalid_argument(std::string(call) + ": edge_order " + std::to_string(edge_order) +
                                  " needs at least " + std::to_string(edge_order + 1) +
                                  " cells along " + letter(axis));
  }
  const FieldView<Space, Real> view = u.view();
  detail::differentiate<Axis::x, Space, Real>(space, box, grid.spacing(Axis::x), edge_order, view,
                                              result.view(0));
  if (grid.exists(Axis::y))
    detail::differentiate<Axis::y, Space, Real>(space, box, grid.spacing(Axis::y), edge_order, view,
                                                result.view(1));
  if (grid.exists(Axis::z))
    detail::differentiate<Axis::z, Space, Real>(space, box, grid.spacing(Axis::z), edge_order, view,
                                                result.view(2));
}

#define XP_ONE_SIDED(Space, Real)                                                             \
  template void gradient_one_sided(const Space&, const Grid&, const Field<Space, Real>&, int, \
                                   const Field<Space, Real>&);
XP_INSTANTIATE(XP_ONE_SIDED)
#undef XP_ONE_SIDED

}  // namespace xp
