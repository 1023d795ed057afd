// Expressions over a grid: a compiled program evaluated at cell centres or walls, on the device.
#pragma once

#include <xp/expr/device_program.hpp>
#include <xp/field/field.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {

/// Most fields that one expression can read.
inline constexpr int max_expression_fields = 8;
/// Most reductions that one expression can contain.
inline constexpr int max_expression_reductions = 8;

/// What a program reads at the cells of a row: coordinates, time, field values, finished
/// reductions.
template <class Space, class Real>
struct CellInputs {
  Geometry geometry;
  double shift[3] = {0, 0, 0};  ///< of the place from the cell's centre, in spacings
  double time = 0;
  FieldView<Space, Real> fields[max_expression_fields];
  int field_count = 0;
  double reductions[max_expression_reductions] = {};

  /// The inputs of one piece of a row, in the form that DeviceProgram::run takes.
  struct Row {
    const CellInputs& inputs;
    int k, j, first;

    KOKKOS_INLINE_FUNCTION double operator()(int slot, int lane) const {
      const Geometry& g = inputs.geometry;
      if (slot == 0) return g.center(0, first + lane) + inputs.shift[0] * g.spacing[0];
      if (slot == 1) return g.center(1, j) + inputs.shift[1] * g.spacing[1];
      if (slot == 2) return g.center(2, k) + inputs.shift[2] * g.spacing[2];
      if (slot == Program::slot_time) return inputs.time;
      const int field = slot - Program::slot_fields;
      if (field < inputs.field_count)
        return static_cast<double>(inputs.fields[field](k, j, first + lane));
      return inputs.reductions[field - inputs.field_count];
    }
  };

  /// Moves the place to the wall on one side of a cell: exactly the face between it and its ghost.
  void move_to_wall(Axis axis, bool upper_side) { shift[index(axis)] = upper_side ? 0.5 : -0.5; }
};

/// Calls `store(k, j, i, value)` with the program's value for every cell of the box.
template <class Space, class Real, class Store>
void evaluate(const Space& space, const DeviceProgram<Space>& program,
              const CellInputs<Space, Real>& inputs, const Box& box, const Store& store) {
  constexpr int width = chunk_width<Space>;
  for_each_row(
      space, "expression", box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        double values[width];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          program.template run<width>(typename CellInputs<Space, Real>::Row{inputs, k, j, chunk},
                                      lanes, values);
          for (int lane = 0; lane < lanes; ++lane) store(k, j, chunk + lane, values[lane]);
        }
      });
}

/// Writes the program's value into a field's view over the box.
template <class Space, class Real>
void evaluate_into(const Space& space, const DeviceProgram<Space>& program,
                   const CellInputs<Space, Real>& inputs, const Box& box,
                   const FieldView<Space, Real>& target) {
  evaluate(
      space, program, inputs, box, KOKKOS_LAMBDA(int k, int j, int i, double value) {
        target(k, j, i) = static_cast<Real>(value);
      });
}

}  // namespace xp
