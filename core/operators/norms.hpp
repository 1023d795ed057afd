// Norms, integrals and extrema of a field's component: one number each from the sums of a Measure.
//
// The measure names the cells (`Measure<Space, Real>(grid.cells(Region::own))` for a ghosted
// field), of one rank or of all, and has allocated what a call needs: calls allocate nothing. Who
// wants several numbers of the same values calls Measure::sums once. A NaN among the values makes
// every result NaN; an infinity makes the norms infinite.
#pragma once

#include <xp/field/field.hpp>
#include <xp/operators/measure.hpp>

namespace xp {

/// Sum of u times the cells' length, area or volume.
template <class Space, class Real>
double integral(const Space& space, Measure<Space, Real>& measure, const Grid& grid,
                const Field<Space, Real>& u, int component = 0);

/// Mean over the measured cells.
template <class Space, class Real>
double mean(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
            int component = 0);

/// Volume-weighted norms, independent of the size of the domain: the mean of |u|, the root of the
/// mean of u^2, the largest |u|.
template <class Space, class Real>
double norm_l1(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component = 0);
template <class Space, class Real>
double norm_l2(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component = 0);
template <class Space, class Real>
double norm_linf(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
                 int component = 0);

/// Smallest and largest value; NaN when a value is not finite.
template <class Space, class Real>
double minimum(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component = 0);
template <class Space, class Real>
double maximum(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component = 0);

/// Sum over the measured cells of a times b, without the cells' volume.
template <class Space, class Real>
double dot(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& a,
           const Field<Space, Real>& b, int component = 0);

}  // namespace xp
