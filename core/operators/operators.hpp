// Differential operators on whole fields: central differences of second or fourth order on the own
// cells.
//
// All fields of a call are ghosted fields of the grid. The ghost cells of the argument have been
// filled (GhostFiller), ghost_width(order) of them; those of the result are left alone. The space
// comes from the arguments: fields in different spaces do not compile. Each call throws
// std::invalid_argument when there are too few ghost cells, when a field has another shape or
// number of components than the call needs, or when argument and result share memory.
#pragma once

#include <xp/field/field.hpp>
#include <xp/mesh/boundary.hpp>

namespace xp {

/// grad(u): the result has one component per dimension.
template <class Space, class Real>
void gradient(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& u,
              const Field<Space, Real>& result);

/// div(vector) of a vector with one component per dimension.
template <class Space, class Real>
void divergence(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& vector,
                const Field<Space, Real>& result);

/// The sum of second derivatives of u, with the compact stencil: at a cell it differs from
/// divergence(gradient(u)) by the order of accuracy.
template <class Space, class Real>
void laplacian(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& u,
               const Field<Space, Real>& result);

/// curl(vector): three components in 3-D; in 2-D the component along z, dv/dx - du/dy, of a vector
/// with two components. There is none in 1-D.
template <class Space, class Real>
void curl(const Space& space, const Grid& grid, Order order, const Field<Space, Real>& vector,
          const Field<Space, Real>& result);

/// d2u/dadb. Of different axes the product of first differences: it reads ghost cells at corners.
/// Of one axis twice the compact second derivative.
template <class Space, class Real>
void mixed_derivative(const Space& space, const Grid& grid, Order order, Axis a, Axis b,
                      const Field<Space, Real>& u, const Field<Space, Real>& result);

}  // namespace xp
