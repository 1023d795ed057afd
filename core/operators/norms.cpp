#include <xp/operators/norms.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace {

template <class Space, class Real>
FieldView<Space, Real> measured_view(const Measure<Space, Real>& measure,
                                     const Field<Space, Real>& u, int component) {
  const Box& box = measure.box();
  const FieldShape& shape = u.shape();
  bool inside = component >= 0 && component < shape.components;
  for (int axis = 0; axis < 3; ++axis)
    inside = inside && box.lower[axis] >= 0 && box.upper[axis] <= shape.cells[axis];
  if (!inside)
    throw std::invalid_argument("the field '" + u.info().name +
                                "' has no such component or not all of the measured cells");
  return u.view(component);
}

template <class Space, class Real>
Sums sums_of(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
             int component, Want want) {
  return measure.sums(space, measured_view(measure, u, component), want);
}

double finite(const Sums& sums, double value) {
  return sums.not_finite > 0 ? std::numeric_limits<double>::quiet_NaN() : value;
}

}  // namespace

template <class Space, class Real>
double integral(const Space& space, Measure<Space, Real>& measure, const Grid& grid,
                const Field<Space, Real>& u, int component) {
  return sums_of(space, measure, u, component, Want::sum).sum * grid.cell_volume();
}

template <class Space, class Real>
double mean(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
            int component) {
  const Sums sums = sums_of(space, measure, u, component, Want::sum);
  return sums.sum / static_cast<double>(sums.count);
}

template <class Space, class Real>
double norm_l1(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component) {
  const Sums sums = sums_of(space, measure, u, component, Want::sum_abs);
  return sums.sum_abs / static_cast<double>(sums.count);
}

template <class Space, class Real>
double norm_l2(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component) {
  const Sums sums = sums_of(space, measure, u, component, Want::sum_square);
  return std::sqrt(sums.sum_square / static_cast<double>(sums.count));
}

template <class Space, class Real>
double norm_linf(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
                 int component) {
  return sums_of(space, measure, u, component, Want::largest).largest;
}

template <class Space, class Real>
double minimum(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component) {
  const Sums sums = sums_of(space, measure, u, component, Want::extrema);
  return finite(sums, sums.min);
}

template <class Space, class Real>
double maximum(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& u,
               int component) {
  const Sums sums = sums_of(space, measure, u, component, Want::extrema);
  return finite(sums, sums.max);
}

template <class Space, class Real>
double dot(const Space& space, Measure<Space, Real>& measure, const Field<Space, Real>& a,
           const Field<Space, Real>& b, int component) {
  return measure.dot(space, measured_view(measure, a, component),
                     measured_view(measure, b, component));
}

#define XP_NORM(name, Space, Real) \
  template double name(const Space&, Measure<Space, Real>&, const Field<Space, Real>&, int);
#define XP_NORMS(Space, Real)                                                         \
  template double integral(const Space&, Measure<Space, Real>&, const Grid&,          \
                           const Field<Space, Real>&, int);                           \
  template double dot(const Space&, Measure<Space, Real>&, const Field<Space, Real>&, \
                      const Field<Space, Real>&, int);                                \
  XP_NORM(mean, Space, Real)                                                          \
  XP_NORM(norm_l1, Space, Real)                                                       \
  XP_NORM(norm_l2, Space, Real)                                                       \
  XP_NORM(norm_linf, Space, Real) XP_NORM(minimum, Space, Real) XP_NORM(maximum, Space, Real)
XP_INSTANTIATE(XP_NORMS)
#undef XP_NORMS
#undef XP_NORM

}  // namespace xp
