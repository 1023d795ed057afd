// Expressions over a grid: a compiled program evaluated at cell centres or walls, on the device.
#pragma once

#include <xp/expr/device_program.hpp>
#include <xp/expr/random.hpp>
#include <xp/field/field.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {

/// Most single numbers (reductions, and what follows from the time) that one expression can read.
inline constexpr int max_expression_numbers = Program::max_numbers;

/// What a program reads at the cells of a row: coordinates, time, arrays, single numbers.
template <class Space, class Real>
struct CellInputs {
  Geometry geometry;
  std::int64_t cells[3] = {1, 1, 1};      ///< of the whole grid: random numbers are counted by cell
  bool wraps[3] = {false, false, false};  ///< are ghost cells the other end's, in coordinates too?
  double shift[3] = {0, 0, 0};            ///< of the place from the cell's centre, in spacings
  double time = 0;
  std::uint64_t seed = 0;
  FieldView<Space, Real> arrays[Program::max_arrays];
  int array_count = 0;
  double numbers[max_expression_numbers] = {};

  KOKKOS_INLINE_FUNCTION double coordinate(int axis, int local) const {
    std::int64_t cell = geometry.first[axis] + local;
    if (wraps[axis])
      cell = cell < 0 ? cell + cells[axis] : cell >= cells[axis] ? cell - cells[axis] : cell;
    return geometry.lower[axis] +
           (static_cast<double>(cell) + 0.5 + shift[axis]) * geometry.spacing[axis];
  }

  /// The inputs of one piece of a row, in the form that DeviceProgram::run takes.
  struct Row {
    const CellInputs& inputs;
    int k, j, first;

    KOKKOS_INLINE_FUNCTION double operator()(int slot, int lane) const {
      if (slot == 0) return inputs.coordinate(0, first + lane);
      if (slot == 1) return inputs.coordinate(1, j);
      if (slot == 2) return inputs.coordinate(2, k);
      if (slot == Program::slot_time) return inputs.time;
      const int array = slot - Program::slot_fields;
      if (array < inputs.array_count)
        return static_cast<double>(inputs.arrays[array](k, j, first + lane));
      return inputs.numbers[array - inputs.array_count];
    }
    /// An array's values from `first` on: in place, or copied into `room` where they are no
    /// doubles.
    KOKKOS_INLINE_FUNCTION const double* row(int array, double* room, int lanes) const {
      const Real* const values = &inputs.arrays[array](k, j, first);
      if constexpr (std::is_same_v<Real, double>) {
        return values;
      } else {
        XP_VECTORISE
        for (int lane = 0; lane < lanes; ++lane) room[lane] = static_cast<double>(values[lane]);
        return room;
      }
    }
    KOKKOS_INLINE_FUNCTION double random(Op op, int stream, int lane) const {
      const Geometry& g = inputs.geometry;
      const std::int64_t cell =
          ((g.first[2] + k) * inputs.cells[1] + g.first[1] + j) * inputs.cells[0] + g.first[0] +
          first + lane;
      const auto number = static_cast<std::uint64_t>(cell);
      const auto which = static_cast<std::uint32_t>(stream);
      return op == Op::uniform ? uniform_number(inputs.seed, which, number)
                               : normal_number(inputs.seed, which, number);
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
