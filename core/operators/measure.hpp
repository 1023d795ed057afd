// Norms, integrals and statistics over own cells, reduced on the device. Sums are made in double
// whatever the field's precision, and on a CPU do not depend on the number of threads.
#pragma once

#include <cfloat>
#include <cstdint>

#include <xp/field/evaluate.hpp>
#include <xp/field/field.hpp>
#include <xp/runtime/communicator.hpp>
#include <xp/runtime/reduce.hpp>

namespace xp {

/// Everything that one pass over the values of an array gives.
struct Sums {
  double min = DBL_MAX, max = -DBL_MAX;  ///< a NaN does not count
  double sum = 0, sum_abs = 0, sum_square = 0;
  std::int64_t not_finite = 0;

  /// The largest |value|: a NaN or an infinity where there is one.
  double largest() const { return not_finite > 0 ? sum_abs : max < -min ? -min : max; }

  KOKKOS_INLINE_FUNCTION void add(double value) {
    const double size = value < 0 ? -value : value;
    // A NaN compares false with everything, an infinity is beyond every finite number.
    const bool finite = size <= DBL_MAX;
    min = value < min ? value : min;
    max = value > max ? value : max;
    sum += value;
    sum_abs += size;
    sum_square += value * value;
    not_finite += finite ? 0 : 1;
  }
  KOKKOS_INLINE_FUNCTION void join(const Sums& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    sum += other.sum;
    sum_abs += other.sum_abs;
    sum_square += other.sum_square;
    not_finite += other.not_finite;
  }
};

/// Measures arrays over one box. Memory is allocated by the constructor only. Each function returns
/// to the host one struct: a scalar's transfer.
template <class Space, class Real>
class Measure {
 public:
  Measure() = default;
  explicit Measure(const Box& box);
  Measure(const Box& box, const Communicator&) : Measure(box) {}

  /// The cells that are measured.
  const Box& box() const { return box_; }

  Sums sums(const Space& space, const FieldView<Space, Real>& u);
  /// Of a - b.
  Sums difference(const Space& space, const FieldView<Space, Real>& a,
                  const FieldView<Space, Real>& b);
  /// Of e / (absolute + relative*max(|a|, |b|)).
  Sums scaled(const Space& space, const FieldView<Space, Real>& e, const FieldView<Space, Real>& a,
              const FieldView<Space, Real>& b, double relative, double absolute);
  /// Of a program's value per cell.
  Sums of_program(const Space& space, const DeviceProgram<Space>& program,
                  const CellInputs<Space, Real>& inputs);
  /// Of u minus a program's value.
  Sums minus_program(const Space& space, const FieldView<Space, Real>& u,
                     const DeviceProgram<Space>& program, const CellInputs<Space, Real>& inputs);

 private:
  template <class Fill>
  Sums reduce(const Space& space, const char* kernel, const Fill& fill);

  Box box_;
  Reducer<Space, Sums> reduction_;
};

}  // namespace xp
