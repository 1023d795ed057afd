// Alternating-direction implicit steps of the heat equation.
#pragma once

#include <vector>

#include <xp/solvers/linear/tridiagonal.hpp>

namespace xp {

/// Steps of du/dt = div(D grad u) + source at second order in space and time, stable for any step:
/// Crank and Nicolson's method with its matrix split into one factor for each axis,
///     product over axes of (1 - step/2 A_a) (v - u) = step (sum of A_a u + source),
/// in the order x, y, z (Douglas and Gunn 1964). In two dimensions it is the method of Peaceman and
/// Rachford 1955, in one Crank and Nicolson's. What the factors of x and y leave for later ones has
/// boundary values of its own: those of the change, with the later factors applied along the wall.
/// The same bits on any number of ranks and threads.
template <class Space, class Real>
class HeatAdi {
 public:
  /// D: constant, or at faces; no reaction. The operator's arrays and the communicator must live as
  /// long. Collective. Throws an Error of kind input for robin conditions whose alpha or beta
  /// depend on the time, or on the place where their value depends on the time; and when values
  /// depend on the time and a rank has but one cell along a cut axis.
  HeatAdi(const Grid& grid, const Communicator& communicator, const BoundaryConditions& conditions,
          const EllipticOperator<Space, Real>& diffusion);

  /// Bytes of its arrays.
  std::int64_t memory() const;

  /// Own cells of u from `time` to `time + step`. Ghost cells of u are those of `time`, other
  /// ranks' cells among them; they are not filled afterwards. `source`: its own cells, at
  /// `time + step/2`. Factorises when the step is another one than before. Collective.
  void step(const Space& space, const FieldView<Space, Real>& u,
            const FieldView<Space, Real>& source, double time, double step);

 private:
  // A wall whose value changes with the time.
  struct Wall {
    Axis axis;
    bool upper;
    DeviceProgram<Space> value;
    double factor;  ///< ghost cell = factor * value, where u = 0
    Box ghosts;     ///< of this rank, and around them what differences along the wall read
    Box own;        ///< without that
  };
  void find_walls(const BoundaryConditions& conditions);
  void change_walls(const Space& space, const Wall& wall, double time, double step);

  Grid grid_;
  EllipticOperator<Space, Real> diffusion_;
  std::vector<TridiagonalSolver<Space, Real>> lines_;
  AxisSet wraps_ = 0;
  std::vector<Wall> walls_;
  Field<Space, Real> change_;  ///< of u; its ghost cells are the walls' of the current axis
  Field<Space, Real> values_;  ///< in ghost cells: the change of the walls' values
  double step_ = 0;
};

}  // namespace xp
