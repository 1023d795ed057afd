// A linear problem for tests of solvers: grid, operator, right side.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <xp/solvers/linear/elliptic_solver.hpp>

namespace xp_test {

// Conditions by letters, two for each axis: d(irichlet), n(eumann), r(obin, 2 u + du/dn),
// p(eriodic), a(ntiperiodic), all of value 0.
inline xp::BoundaryConditions conditions_of(const std::string& letters) {
  xp::BoundaryConditions result;
  for (std::size_t n = 0; n < letters.size(); ++n) {
    xp::BoundaryCondition& side = result[n / 2][n % 2];
    using Kind = xp::BoundaryKind;
    const char letter = letters[n];
    side.kind = letter == 'd'   ? Kind::dirichlet
                : letter == 'n' ? Kind::neumann
                : letter == 'r' ? Kind::robin
                : letter == 'a' ? Kind::antiperiodic
                                : Kind::periodic;
    side.value = xp::Program::of(0);
    side.alpha = xp::Program::of(2);
    side.beta = xp::Program::of(1);
  }
  return result;
}

inline xp::GridSpec box_of(const std::vector<std::int64_t>& cells, const std::string& letters,
                           const std::vector<double>& size = {}) {
  xp::GridSpec spec;
  spec.dimensions = static_cast<int>(cells.size());
  for (std::size_t a = 0; a < cells.size(); ++a) {
    spec.cells[a] = cells[a];
    spec.upper[a] = size.empty() ? 1 : size[a];
    spec.periodic[a] = letters[2 * a] == 'p' || letters[2 * a] == 'a';
  }
  return spec;
}

// A number between -1/2 and 1/2 that looks random and depends on the global indices alone.
inline double noise(std::int64_t k, std::int64_t j, std::int64_t i) {
  const double value = std::sin(12.9898 * static_cast<double>(i) + 78.233 * static_cast<double>(j) +
                                37.719 * static_cast<double>(k)) *
                       43758.5453;
  return value - std::floor(value) - 0.5;
}

template <class Space, class Real>
struct LinearProblem {
  xp::Grid grid;
  const xp::Communicator& communicator;
  xp::BoundaryConditions conditions;
  xp::Field<Space, Real> u, f;
  std::vector<xp::Field<Space, Real>> faces;
  xp::Field<Space, Real> reaction;
  xp::EllipticOperator<Space, Real> op;
  xp::GhostFiller<Space, Real> ghosts;
  xp::HaloExchange<Space, Real> halo;

  LinearProblem(const xp::GridSpec& spec, const std::string& letters, const xp::Communicator& among)
      : grid(spec, xp::decompose(spec, among.size()), among.rank()),
        communicator(among),
        conditions(conditions_of(letters)),
        u(grid, info()),
        f(grid, info()),
        ghosts(grid, conditions, xp::Order::second),
        halo(grid, among, {ghosts.ends()}) {}

  static xp::FieldInfo info() {
    xp::FieldInfo result;
    result.name = "linear problem";
    return result;
  }

  // Sets an array to value(x, y, z, k, j, i), global indices, over a box; faces along an axis lie
  // half a cell lower.
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
          host(0, k, j, i) = static_cast<Real>(
              value(x[0], x[1], x[2], g.first[2] + k, g.first[1] + j, g.first[0] + i));
        }
    xp::to_device(host, field);
  }
  template <class Value>
  void set_source(const Value& value) {
    set(f, grid.cells(xp::Region::own), -1, value);
  }
  void set_noise() {
    set_source([](double, double, double, std::int64_t k, std::int64_t j, std::int64_t i) {
      return noise(k, j, i);
    });
  }
  template <class Value>
  void set_beta(const Value& value) {
    op.coefficients = xp::Coefficients::faces;
    for (int a = 0; a < grid.dimensions(); ++a) {
      faces.emplace_back(grid, info());
      set(faces.back(), grid.faces(static_cast<xp::Axis>(a)), a,
          [&](double x, double y, double z, auto...) { return value(x, y, z); });
      op.faces[a] = faces.back().view();
    }
  }
  template <class Value>
  void set_reaction(const Value& value) {
    op.coefficients = xp::Coefficients::faces_and_reaction;
    reaction = xp::Field<Space, Real>(grid, info());
    set(reaction, grid.cells(xp::Region::own), -1,
        [&](double x, double y, double z, auto...) { return value(x, y, z); });
    op.reaction = reaction.view();
  }
  void subtract_mean() {
    const Space space;
    xp::Measure<Space, Real> measure(grid.cells(xp::Region::own), communicator);
    const xp::Sums sums = measure.sums(space, f.view());
    const auto host = xp::host_mirror(f);
    const xp::Box own = grid.cells(xp::Region::own);
    for (int k = own.lower[2]; k < own.upper[2]; ++k)
      for (int j = own.lower[1]; j < own.upper[1]; ++j)
        for (int i = own.lower[0]; i < own.upper[0]; ++i)
          host(0, k, j, i) -= static_cast<Real>(sums.sum / static_cast<double>(sums.count));
    xp::to_device(host, f);
  }

  xp::LinearResult solve(const xp::LinearOptions& options) {
    const Space space;
    xp::EllipticSolver<Space, Real> solver(grid, communicator, conditions, op, options);
    return solver.solve(space, u.view(), f.view(), [&] {
      ghosts.fill(space, u.view(), 0);
      const std::vector<xp::FieldView<Space, Real>> views{u.view()};
      halo.start(space, views);
      halo.finish(space, views);
    });
  }

  // Sums over u, and over u - value(x, y, z).
  xp::Sums sums() {
    return xp::Measure<Space, Real>(grid.cells(xp::Region::own), communicator)
        .sums(Space(), u.view());
  }
  template <class Value>
  xp::Sums error(const Value& value) {
    xp::Field<Space, Real> exact(grid, info());
    set(exact, grid.cells(xp::Region::own), -1,
        [&](double x, double y, double z, auto...) { return value(x, y, z); });
    return xp::Measure<Space, Real>(grid.cells(xp::Region::own), communicator)
        .difference(Space(), u.view(), exact.view());
  }
};

}  // namespace xp_test
