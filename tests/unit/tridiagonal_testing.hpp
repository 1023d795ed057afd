// Systems along the lines of a grid, for tests: coefficients, conditions with values, right side.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <xp/solvers/linear/tridiagonal.hpp>

#include "linear_testing.hpp"

namespace xp_test {

inline xp::Program compiled(const std::string& text, int dimensions) {
  xp::Symbols symbols;
  symbols.dimensions = dimensions;
  const xp::Compiled result = xp::compile(text, symbols);
  if (!result) throw std::logic_error(text + ": " + result.error.message);
  return *result.program;
}

struct LineCase {
  std::vector<std::int64_t> cells;
  xp::Axis axis;
  std::string letters;  // of the axis' ends as conditions_of() has them; v: robin that varies
  bool varies = false;  // beta and alpha by cells
  double shift = 0.7, scale = 1.3;
};

// The problem of a case on one rank's part of the grid. Walls have values that vary along them.
template <class Space, class Real>
struct LineProblem {
  LineCase that;
  xp::Grid grid;
  xp::BoundaryConditions conditions;
  xp::Field<Space, Real> u, f, walls, reaction;
  std::vector<xp::Field<Space, Real>> faces;
  xp::EllipticOperator<Space, Real> op;
  xp::GhostFiller<Space, Real> ghosts;
  xp::TridiagonalSolver<Space, Real> solver;
  static constexpr double time = 0.4;

  static xp::GridSpec spec_of(const LineCase& of) {
    std::string letters(2 * of.cells.size(), 'd');
    letters.replace(2 * static_cast<std::size_t>(xp::index(of.axis)), 2, of.letters);
    return box_of(of.cells, letters, std::vector<double>(of.cells.size(), 0.8));
  }

  LineProblem(const LineCase& of, const xp::Decomposition& cut, const xp::Communicator& among)
      : that(of),
        grid(spec_of(of), cut, among.rank()),
        conditions(conditions_with_values(of)),
        u(array()),
        f(array()),
        walls(array()),
        reaction(array()),
        op(operator_of()),
        ghosts(grid, conditions, xp::Order::second),
        solver(grid, among, of.axis, conditions[static_cast<std::size_t>(xp::index(of.axis))], op) {
    set(f, grid.cells(xp::Region::own), -1,
        [](double, double, double, auto k, auto j, auto i) { return noise(k, j, i); });
    ghosts.fill(Space(), walls.view(), time);
  }

  static xp::BoundaryConditions conditions_with_values(const LineCase& of) {
    const int dimensions = static_cast<int>(of.cells.size());
    const auto axis = static_cast<std::size_t>(xp::index(of.axis));
    std::string letters(2 * of.cells.size(), 'd');
    letters.replace(2 * axis, 2, of.letters);
    for (char& letter : letters)
      if (letter == 'v') letter = 'r';
    xp::BoundaryConditions result = conditions_of(letters);
    const std::string place =
        std::string("3*x") + (dimensions > 1 ? "+2*y" : "") + (dimensions > 2 ? "-z" : "");
    for (std::size_t side = 0; side < 2; ++side) {
      result[axis][side].value = compiled("t+cos(" + place + ")", dimensions);
      if (of.letters[side] == 'v') {
        result[axis][side].alpha = compiled("2+t+sin(" + place + ")", dimensions);
        result[axis][side].beta = compiled("1+(" + place + ")^2", dimensions);
      }
    }
    return result;
  }

  xp::Field<Space, Real> array() const {
    xp::FieldInfo info;
    info.name = "lines";
    return xp::Field<Space, Real>(grid, info);
  }

  // Sets an array to value(x, y, z, k, j, i), global indices; faces lie half a cell lower.
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

  // Beta and alpha that differ from cell to cell by much; of ends that follow each other the betas
  // are the same. Across other axes beta is 0, so that the operator is that of the lines.
  xp::EllipticOperator<Space, Real> operator_of() {
    xp::EllipticOperator<Space, Real> result;
    result.beta = 1.5;
    result.alpha = 0.6;
    if (!that.varies) return result;
    result.coefficients = xp::Coefficients::faces_and_reaction;
    for (const xp::Axis axis : xp::all_axes) {
      if (!grid.exists(axis)) continue;
      faces.push_back(array());
      if (axis == that.axis)
        set(faces.back(), grid.faces(axis), xp::index(axis),
            [&](double, double, double, auto k, auto j, auto i) {
              std::int64_t at[3] = {i, j, k};
              at[xp::index(axis)] %= grid.cells(axis);
              return 0.6 + noise(at[2], at[1], at[0] + 7);
            });
      result.faces[xp::index(axis)] = faces.back().view();
    }
    set(reaction, grid.cells(xp::Region::own), -1,
        [](double, double, double, auto k, auto j, auto i) {
          return 0.7 + noise(k + 3, j + 5, i);
        });
    result.reaction = reaction.view();
    return result;
  }

  void solve() {
    solver.factor(Space(), that.shift, that.scale, time);
    solver.solve(Space(), f.view(), u.view(), walls.view());
    Space().fence();
  }
};

}  // namespace xp_test
