// Runs of alternating-direction implicit steps, for tests.
#pragma once

#include <string>
#include <vector>

#include <xp/solvers/heat/heat_adi.hpp>

#include "tridiagonal_testing.hpp"

namespace xp_test {

template <class Space, class Real>
struct AdiRun {
  xp::Grid grid;
  xp::BoundaryConditions conditions;
  xp::Field<Space, Real> u, source;
  std::vector<xp::Field<Space, Real>> faces;
  xp::EllipticOperator<Space, Real> diffusion;
  xp::GhostFiller<Space, Real> ghosts;
  xp::HaloExchange<Space, Real> halo;
  xp::HeatAdi<Space, Real> adi;

  // Values at walls of `letters`: an expression of place and time. With `varies` D differs by
  // place, smoothly, else it is `d`.
  AdiRun(const std::vector<std::int64_t>& cells, const std::string& letters,
         const std::string& values, double d, bool varies, const xp::Decomposition& cut,
         const xp::Communicator& among)
      : grid(box_of(cells, letters), cut, among.rank()),
        conditions(conditions_of(letters)),
        u(grid, {}),
        source(grid, {}),
        diffusion(diffusion_of(d, varies)),
        ghosts(grid, with_values(conditions, values), xp::Order::second),
        halo(grid, among, {ghosts.ends()}),
        adi(grid, among, conditions, diffusion) {}

  xp::BoundaryConditions& with_values(xp::BoundaryConditions& of, const std::string& values) {
    for (auto& axis : of)
      for (auto& side : axis) side.value = compiled(values, grid.dimensions());
    return of;
  }

  xp::EllipticOperator<Space, Real> diffusion_of(double d, bool varies) {
    xp::EllipticOperator<Space, Real> result;
    result.beta = d;
    if (!varies) return result;
    result.coefficients = xp::Coefficients::faces;
    for (int a = 0; a < grid.dimensions(); ++a) {
      faces.emplace_back(grid, xp::FieldInfo());
      set(faces.back(), grid.faces(static_cast<xp::Axis>(a)), a, [&](double x, double y, double z) {
        return d * (1 + 0.5 * std::sin(6.283185307179586 * (x + y)) * std::cos(z));
      });
      result.faces[a] = faces.back().view();
    }
    return result;
  }

  template <class Value>
  void set(const xp::Field<Space, Real>& field, const xp::Box& box, int face_axis,
           const Value& value) const {
    const auto host = xp::host_mirror(field);
    const xp::Geometry& g = grid.geometry();
    for (int k = box.lower[2]; k < box.upper[2]; ++k)
      for (int j = box.lower[1]; j < box.upper[1]; ++j)
        for (int i = box.lower[0]; i < box.upper[0]; ++i) {
          double x[3] = {g.center(0, i), g.center(1, j), g.center(2, k)};
          if (face_axis >= 0) x[face_axis] -= 0.5 * g.spacing[face_axis];
          host(0, k, j, i) = static_cast<Real>(value(x[0], x[1], x[2]));
        }
    xp::to_device(host, field);
  }
  template <class Value>
  void set(const Value& value) {
    set(u, grid.cells(xp::Region::own), -1, value);
  }

  // `prepare(middle)`: before each step, with the time in its middle.
  template <class Prepare>
  void advance(double end, int steps, const Prepare& prepare) {
    const Space space;
    const double step = end / steps;
    const std::vector<xp::FieldView<Space, Real>> views{u.view()};
    for (int n = 0; n < steps; ++n) {
      ghosts.fill(space, u.view(), n * step);
      halo.start(space, views);
      halo.finish(space, views);
      prepare((n + 0.5) * step);
      adi.step(space, u.view(), source.view(), n * step, step);
    }
    space.fence();
  }
  void advance(double end, int steps) {
    advance(end, steps, [](double) {});
  }
};

}  // namespace xp_test
