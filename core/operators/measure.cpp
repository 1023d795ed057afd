#include <xp/operators/measure.hpp>
#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {

// The sums of a row in lanes, one for every so many-th value: a processor adds a vector at a time,
// and whether it does makes no difference to the result.
struct LaneSums {
  static constexpr int lanes = 16;
  double min[lanes], max[lanes], sum[lanes], sum_abs[lanes], sum_square[lanes];
  std::int64_t not_finite[lanes];

  KOKKOS_INLINE_FUNCTION LaneSums() {
    for (int l = 0; l < lanes; ++l) {
      min[l] = DBL_MAX;
      max[l] = -DBL_MAX;
      sum[l] = sum_abs[l] = sum_square[l] = 0;
      not_finite[l] = 0;
    }
  }
  // As Sums::add(), one value per lane.
  KOKKOS_INLINE_FUNCTION void add(const double* values) {
    XP_VECTORISE
    for (int l = 0; l < lanes; ++l) add_to(l, values[l]);
  }
  KOKKOS_INLINE_FUNCTION void add_to(int l, double value) {
    const double size = value < 0 ? -value : value;
    const bool finite = size <= DBL_MAX;
    min[l] = value < min[l] ? value : min[l];
    max[l] = value > max[l] ? value : max[l];
    sum[l] += value;
    sum_abs[l] += size;
    sum_square[l] += value * value;
    not_finite[l] += finite ? 0 : 1;
  }
  KOKKOS_INLINE_FUNCTION void join_into(Sums& total) const {
    for (int l = 0; l < lanes; ++l)
      total.join({min[l], max[l], sum[l], sum_abs[l], sum_square[l], not_finite[l]});
  }
};

// Sums of a row of values: `fill(k, j, first, count, values)` makes up to 64 of them at a time, one
// on a GPU.
template <class Space, class Fill>
struct RowSums {
  Fill fill;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last, Sums& sums) const {
    if constexpr (is_host_space<Space>) {
      constexpr int width = chunk_width<Space>, lanes = LaneSums::lanes;
      static_assert(width % lanes == 0);
      double values[width];
      LaneSums row;
      for (int chunk = first; chunk < last; chunk += width) {
        const int count = last - chunk < width ? last - chunk : width;
        fill(k, j, chunk, count, values);
        int n = 0;
        for (; n + lanes <= count; n += lanes) row.add(values + n);
        for (; n < count; ++n) row.add_to(n % lanes, values[n]);
      }
      row.join_into(sums);
    } else {
      double value[1];
      fill(k, j, first, 1, value);
      sums.add(value[0]);
    }
  }
};

template <class Space, class Real>
struct FillCells {
  FieldView<Space, Real> u;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    XP_VECTORISE
    for (int n = 0; n < count; ++n) values[n] = static_cast<double>(u(k, j, first + n));
  }
};

template <class Space, class Real>
struct FillDifference {
  FieldView<Space, Real> a, b;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    XP_VECTORISE
    for (int n = 0; n < count; ++n)
      values[n] = static_cast<double>(a(k, j, first + n)) - static_cast<double>(b(k, j, first + n));
  }
};

template <class Space, class Real>
struct FillScaled {
  FieldView<Space, Real> e, a, b;
  double relative, absolute;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    XP_VECTORISE
    for (int n = 0; n < count; ++n) {
      const int i = first + n;
      const double x = static_cast<double>(a(k, j, i)), y = static_cast<double>(b(k, j, i));
      const double sx = x < 0 ? -x : x, sy = y < 0 ? -y : y;
      values[n] = static_cast<double>(e(k, j, i)) / (absolute + relative * (sx > sy ? sx : sy));
    }
  }
};

template <class Space, class Real>
struct FillProgram {
  DeviceProgram<Space> program;
  CellInputs<Space, Real> inputs;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    program.template run<chunk_width<Space>>(
        typename CellInputs<Space, Real>::Row{inputs, k, j, first}, count, values);
  }
};

template <class Space, class Real>
struct FillError {
  FillProgram<Space, Real> expected;
  FieldView<Space, Real> u;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    expected(k, j, first, count, values);
    XP_VECTORISE
    for (int n = 0; n < count; ++n) values[n] = static_cast<double>(u(k, j, first + n)) - values[n];
  }
};

}  // namespace detail

template <class Space, class Real>
Measure<Space, Real>::Measure(const Box& box) : box_(box), reduction_(box) {}

template <class Space, class Real>
template <class Fill>
Sums Measure<Space, Real>::reduce(const Space& space, const char* kernel, const Fill& fill) {
  reduction_.start_rows(space, kernel, box_, detail::RowSums<Space, Fill>{fill});
  return reduction_.value(space);
}

template <class Space, class Real>
Sums Measure<Space, Real>::sums(const Space& space, const FieldView<Space, Real>& u) {
  return reduce(space, "sums", detail::FillCells<Space, Real>{u});
}

template <class Space, class Real>
Sums Measure<Space, Real>::difference(const Space& space, const FieldView<Space, Real>& a,
                                      const FieldView<Space, Real>& b) {
  return reduce(space, "difference sums", detail::FillDifference<Space, Real>{a, b});
}

template <class Space, class Real>
Sums Measure<Space, Real>::scaled(const Space& space, const FieldView<Space, Real>& e,
                                  const FieldView<Space, Real>& a, const FieldView<Space, Real>& b,
                                  double relative, double absolute) {
  return reduce(space, "scaled error",
                detail::FillScaled<Space, Real>{e, a, b, relative, absolute});
}

template <class Space, class Real>
Sums Measure<Space, Real>::of_program(const Space& space, const DeviceProgram<Space>& program,
                                      const CellInputs<Space, Real>& inputs) {
  return reduce(space, "expression sums", detail::FillProgram<Space, Real>{program, inputs});
}

template <class Space, class Real>
Sums Measure<Space, Real>::minus_program(const Space& space, const FieldView<Space, Real>& u,
                                         const DeviceProgram<Space>& program,
                                         const CellInputs<Space, Real>& inputs) {
  return reduce(space, "error sums", detail::FillError<Space, Real>{{program, inputs}, u});
}

#define XP_MEASURE(Space, Real) template class Measure<Space, Real>;
XP_INSTANTIATE(XP_MEASURE)
#undef XP_MEASURE

}  // namespace xp
