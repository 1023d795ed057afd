#include <xp/operators/measure.hpp>
#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {
namespace {

// The extrema of many values, in lanes, one for every so many-th value: compilers keep to the order
// of floating-point comparisons unless told otherwise.
struct LaneExtrema {
  static constexpr int lanes = 16;
  double min[lanes], max[lanes];
  std::int64_t not_finite[lanes];

  LaneExtrema() {
    for (int l = 0; l < lanes; ++l) {
      min[l] = DBL_MAX;
      max[l] = -DBL_MAX;
      not_finite[l] = 0;
    }
  }
  void add(const double* values, int number) {
    int n = 0;
    for (; n + lanes <= number; n += lanes) {
      XP_VECTORISE
      for (int l = 0; l < lanes; ++l) add_to(l, values[n + l]);
    }
    for (; n < number; ++n) add_to(n % lanes, values[n]);
  }
  void add_to(int l, double value) {
    const double size = value < 0 ? -value : value;
    min[l] = value < min[l] ? value : min[l];
    max[l] = value > max[l] ? value : max[l];
    not_finite[l] += size <= DBL_MAX ? 0 : 1;
  }
};

}  // namespace

void PartialSums::add(const double* values, int number, Want want) {
  LaneExtrema lanes;
  lanes.add(values, number);
  double least = DBL_MAX, most = -DBL_MAX;
  std::int64_t strange = 0;
  for (int l = 0; l < LaneExtrema::lanes; ++l) {
    least = lanes.min[l] < least ? lanes.min[l] : least;
    most = lanes.max[l] > most ? lanes.max[l] : most;
    strange += lanes.not_finite[l];
  }
  if (strange > 0) {
    for (int n = 0; n < number; ++n) add(values[n], want);
    return;
  }
  min = least < min ? least : min;
  max = most > max ? most : max;
  count += number;
  const double largest = most < -least ? -least : most;
  if (wants(want, Want::sum)) sum.add(values, number, largest, [](double value) { return value; });
  if (wants(want, Want::sum_abs))
    sum_abs.add(values, number, largest, [](double value) { return value < 0 ? -value : value; });
  if (wants(want, Want::sum_square))
    sum_square.add(values, number, largest * largest, [](double value) { return value * value; });
}

Sums PartialSums::finished() const {
  Sums sums;
  // Whether the zero found first had a sign depends on the order.
  sums.min = min + 0.0;
  sums.max = max + 0.0;
  sums.sum = sum.value();
  sums.sum_abs = sum_abs.value();
  sums.sum_square = sum_square.value();
  sums.count = count;
  sums.not_finite = not_finite;
  sums.not_numbers = not_numbers;
  return sums;
}

// `fill(k, j, first, count, values)` makes up to 64 values of a row at a time, one on a GPU.
template <class Space, class Fill>
struct CellSums {
  Fill fill;
  Want want;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int, PartialSums& sums) const {
    double value[1];
    fill(k, j, first, 1, value);
    sums.add(value[0], want);
  }
};

template <class Space, class Fill>
struct RowSums {
  Fill fill;
  Want want;

  // Several fills to a block of sums: enough to pay for what is done once per block, few enough for
  // the first-level cache.
  void operator()(int k, int j, int first, int last, PartialSums& sums) const {
    constexpr int width = chunk_width<Space>, fills = 8;
    double values[fills][width];
    for (int block = first; block < last; block += fills * width) {
      const int number = last - block < fills * width ? last - block : fills * width;
      for (int n = 0; n < number; n += width)
        fill(k, j, block + n, number - n < width ? number - n : width, values[n / width]);
      sums.add(values[0], number, want);
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
struct FillProduct {
  FieldView<Space, Real> a, b;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    XP_VECTORISE
    for (int n = 0; n < count; ++n)
      values[n] =
          times(static_cast<double>(a(k, j, first + n)), static_cast<double>(b(k, j, first + n)));
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
      values[n] =
          static_cast<double>(e(k, j, i)) / plus(absolute, times(relative, sx > sy ? sx : sy));
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
Measure<Space, Real>::Measure(const Box& box) : box_(box), reduction_(Space()) {}

template <class Space, class Real>
Measure<Space, Real>::Measure(const Box& box, const Communicator& communicator)
    : box_(box),
      reduction_(Space()),
      ranks_(std::make_shared<const RankJoin<detail::PartialSums>>(communicator)) {}

template <class Space, class Real>
template <class Fill>
Sums Measure<Space, Real>::reduce(const Space& space, const char* kernel, Want want,
                                  const Fill& fill) {
  if constexpr (is_host_space<Space>)
    reduction_.start_rows(space, kernel, box_, detail::RowSums<Space, Fill>{fill, want});
  else
    reduction_.start_rows(space, kernel, box_, detail::CellSums<Space, Fill>{fill, want});
  const detail::PartialSums sums = reduction_.value(space);
  return (ranks_ ? (*ranks_)(sums) : sums).finished();
}

template <class Space, class Real>
Sums Measure<Space, Real>::sums(const Space& space, const FieldView<Space, Real>& u, Want want) {
  return reduce(space, "sums", want, detail::FillCells<Space, Real>{u});
}

template <class Space, class Real>
Sums Measure<Space, Real>::difference(const Space& space, const FieldView<Space, Real>& a,
                                      const FieldView<Space, Real>& b, Want want) {
  return reduce(space, "difference sums", want, detail::FillDifference<Space, Real>{a, b});
}

template <class Space, class Real>
Sums Measure<Space, Real>::scaled(const Space& space, const FieldView<Space, Real>& e,
                                  const FieldView<Space, Real>& a, const FieldView<Space, Real>& b,
                                  double relative, double absolute, Want want) {
  return reduce(space, "scaled error", want,
                detail::FillScaled<Space, Real>{e, a, b, relative, absolute});
}

template <class Space, class Real>
Sums Measure<Space, Real>::of_program(const Space& space, const DeviceProgram<Space>& program,
                                      const CellInputs<Space, Real>& inputs, Want want) {
  return reduce(space, "expression sums", want, detail::FillProgram<Space, Real>{program, inputs});
}

template <class Space, class Real>
Sums Measure<Space, Real>::minus_program(const Space& space, const FieldView<Space, Real>& u,
                                         const DeviceProgram<Space>& program,
                                         const CellInputs<Space, Real>& inputs, Want want) {
  return reduce(space, "error sums", want, detail::FillError<Space, Real>{{program, inputs}, u});
}

template <class Space, class Real>
double Measure<Space, Real>::dot(const Space& space, const FieldView<Space, Real>& a,
                                 const FieldView<Space, Real>& b) {
  return reduce(space, "dot", Want::sum, detail::FillProduct<Space, Real>{a, b}).sum;
}

#define XP_MEASURE(Space, Real) template class Measure<Space, Real>;
XP_INSTANTIATE(XP_MEASURE)
#undef XP_MEASURE

}  // namespace xp
