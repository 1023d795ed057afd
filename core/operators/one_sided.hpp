// The gradient of a field without ghost cells: central differences inside, one-sided ones at the
// edges, exactly as numpy.gradient(u, spacing, edge_order=...) makes them.
#pragma once

#include <xp/field/field.hpp>

namespace xp {

/// Writes one component per dimension. With h the spacing along an axis and n its cells:
///   inside          (u[i+1] - u[i-1]) / (2h)
///   edge_order 1    (u[1] - u[0]) / h                       (u[n-1] - u[n-2]) / h
///   edge_order 2    (-3u[0] + 4u[1] - u[2]) / (2h)          (3u[n-1] - 4u[n-2] + u[n-3]) / (2h)
/// Both fields have the grid's own cells and no ghost cells. Throws std::invalid_argument when they
/// have another shape, when they share memory, when edge_order is not 1 or 2, when an axis has
/// fewer than edge_order + 1 cells, or when this rank does not own the whole grid, whose edges are
/// meant.
template <class Space, class Real>
void gradient_one_sided(const Space& space, const Grid& grid, const Field<Space, Real>& u,
                        int edge_order, const Field<Space, Real>& result);

}  // namespace xp
