// Coefficients of a multigrid level made from those of the level below it, where they vary, and the
// interpolation that goes with them.
//
// A grid is a network of conductances between centres of cells. One axis after the other is
// coarsened. Along it resistances are in series between the centres of coarse cells, half of that
// inside a cell to either side, and the weight of a neighbour is its share of the resistance: the
// flux is continuous (Alcouffe, Brandt, Dendy and Painter 1981). Conductances across the axis go to
// the coarse cells with the weights of the interpolation, which bounds the energy of what is
// interpolated; where weights of two rows differ the fluxes between these rows are added along the
// axis. A coarse operator thus is the product of interpolation, operator and transpose but for a
// bound from above, with a stencil of neighbours only (Ashby and Falgout 1996 do this with one axis
// at a time): a correction does not overshoot, whatever the coefficients.
#pragma once

#include <xp/runtime/communicator.hpp>
#include <xp/solvers/linear/level_kernels.hpp>
#include <xp/solvers/linear/level_shape.hpp>

namespace xp {

/// Arrays on one grid.
template <class Space, class Real>
struct LevelCoefficients {
  FieldView<Space, Real> faces[3];  ///< scaled beta * area * link, of the face below a cell
  FieldView<Space, Real> reaction;  ///< scaled alpha * volume; none: no data
};

/// The largest ratio of coefficients at opposite faces of a cell. `scratch` is an array on the
/// grid. Allocates; collective.
template <class Space, class From, class Real>
double largest_jump(const Space& space, const Communicator& communicator, const Grid& grid,
                    const FieldView<Space, From> (&faces)[3],
                    const FieldView<Space, Real>& scratch);

/// to = factor * from along one axis' faces, times their links.
template <class Space, class From, class Real>
void set_conductances(const Space& space, const LevelView<Space, Real>& level, const Grid& grid,
                      Axis axis, const FieldView<Space, From>& from, double factor);

/// to = factor * from over own cells, of other precision.
template <class Space, class From, class Real>
void copy_scaled(const Space& space, const Box& box, const FieldView<Space, From>& from,
                 double factor, const FieldView<Space, Real>& to);

/// Sets the coefficients of the grid coarsened along these axes, and `far`, the weights of the
/// interpolation (FarWeights). Fills ghost cells of `fine` and of `far`. Allocates; collective.
template <class Space, class Real>
void coarsen_coefficients(const Space& space, const Communicator& communicator,
                          const LevelShape& shape, AxisSet axes,
                          const LevelCoefficients<Space, Real>& fine,
                          const LevelCoefficients<Space, Real>& coarse,
                          const FarWeights<Space, Real>& far);

}  // namespace xp
