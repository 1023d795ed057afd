// Norms, integrals and statistics over own cells, reduced on the device. Sums are made in double
// whatever the field's precision, and are the same bits for any number of threads and ranks, any
// decomposition and every backend (exact_sum.hpp).
#pragma once

#include <cfloat>
#include <cstdint>
#include <memory>

#include <xp/field/field.hpp>
#include <xp/operators/exact_sum.hpp>
#include <xp/operators/stencil_inputs.hpp>
#include <xp/runtime/rank_join.hpp>
#include <xp/runtime/reduce.hpp>

namespace xp {

/// What a measurement makes beside the count of cells and of values that are not finite.
enum class Want : unsigned {
  nothing = 0,
  extrema = 1,
  largest = 2,
  sum = 4,
  sum_abs = 8,
  sum_square = 16,
  all = 31
};
KOKKOS_INLINE_FUNCTION constexpr Want operator|(Want a, Want b) {
  return static_cast<Want>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
KOKKOS_INLINE_FUNCTION constexpr bool wants(Want all, Want one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

/// Everything that one pass over the values of an array gives; as here what was not asked for.
struct Sums {
  double min = DBL_MAX, max = -DBL_MAX;  ///< a NaN does not count
  double largest = 0;  ///< of the |value|: a NaN or an infinity where there is one
  double sum = 0, sum_abs = 0, sum_square = 0;
  std::int64_t count = 0;       ///< cells
  std::int64_t not_finite = 0;  ///< NaN and infinities
};

namespace detail {

// Sums on their way: of one thread, of one rank, of all.
struct PartialSums {
  ExactSum sum, sum_abs, sum_square;
  double min = DBL_MAX, max = -DBL_MAX;
  std::int64_t largest = 0;  // size_bits()
  std::int64_t count = 0, not_finite = 0;

  KOKKOS_INLINE_FUNCTION void add(double value, Want want) {
    const double size = value < 0 ? -value : value;
    if (wants(want, Want::extrema)) {
      min = value < min ? value : min;  // a NaN compares false with everything
      max = value > max ? value : max;
    }
    if (wants(want, Want::largest))
      largest = size_bits(value) > largest ? size_bits(value) : largest;
    if (wants(want, Want::sum)) sum.add(value);
    if (wants(want, Want::sum_abs)) sum_abs.add(size);
    if (wants(want, Want::sum_square)) sum_square.add(times(value, value));
    ++count;
    not_finite += finite(size_bits(value)) ? 0 : 1;
  }
  // Many values, at most 4095, on the host.
  void add(const double* values, int number, Want want);

  KOKKOS_INLINE_FUNCTION void join(const PartialSums& other) {
    sum.join(other.sum);
    sum_abs.join(other.sum_abs);
    sum_square.join(other.sum_square);
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    largest = other.largest > largest ? other.largest : largest;
    count += other.count;
    not_finite += other.not_finite;
  }

  Sums finished() const;
};

}  // namespace detail

/// Measures arrays over one box. Memory is allocated by the constructors only. Each function
/// returns to the host one struct: a scalar's transfer.
template <class Space, class Real>
class Measure {
 public:
  Measure() = default;
  /// Of this rank's cells alone.
  explicit Measure(const Box& box);
  /// Of the cells of all ranks, each of which gives its own box: all functions are collective and
  /// return the same on every rank. The communicator must outlive the measure.
  Measure(const Box& box, const Communicator& communicator);

  /// The cells that are measured on this rank.
  const Box& box() const { return box_; }

  Sums sums(const Space& space, const FieldView<Space, Real>& u, Want want = Want::all);
  /// The same piece by piece, of any boxes: finish() joins what was added since the one before.
  void add(const Space& space, const FieldView<Space, Real>& u, const Box& box, Want want);
  Sums finish();
  /// Of a - b.
  Sums difference(const Space& space, const FieldView<Space, Real>& a,
                  const FieldView<Space, Real>& b, Want want = Want::all);
  /// Of e / (absolute + relative*max(|a|, |b|)).
  Sums scaled(const Space& space, const FieldView<Space, Real>& e, const FieldView<Space, Real>& a,
              const FieldView<Space, Real>& b, double relative, double absolute,
              Want want = Want::all);
  /// Of a program's value per cell.
  Sums of_program(const Space& space, const DeviceProgram<Space>& program,
                  const StencilInputs<Space, Real>& inputs, Want want = Want::all);
  /// Of u minus a program's value.
  Sums minus_program(const Space& space, const FieldView<Space, Real>& u,
                     const DeviceProgram<Space>& program, const StencilInputs<Space, Real>& inputs,
                     Want want = Want::all);

  /// The sum of a times b, whose products are rounded to double.
  double dot(const Space& space, const FieldView<Space, Real>& a, const FieldView<Space, Real>& b);

 private:
  template <class Fill>
  detail::PartialSums of_this_rank(const Space& space, const char* kernel, const Box& box,
                                   Want want, const Fill& fill);
  template <class Fill>
  Sums reduce(const Space& space, const char* kernel, Want want, const Fill& fill);
  Sums of_all_ranks(const detail::PartialSums& sums) const;

  Box box_;
  detail::PartialSums pieces_;
  Reducer<Space, detail::PartialSums> reduction_;
  std::shared_ptr<const RankJoin<detail::PartialSums>> ranks_;  // none: this rank alone
};

}  // namespace xp
