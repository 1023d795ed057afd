#include <xp/operators/measure.hpp>

#include <cmath>
#include <type_traits>

#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {
namespace {

// In lanes, since compilers keep to the order of floating-point comparisons.
void add_extrema(const double* values, int number, double& min, double& max) {
  double least[sum_lanes], most[sum_lanes];
  for (int l = 0; l < sum_lanes; ++l) {
    least[l] = DBL_MAX;
    most[l] = -DBL_MAX;
  }
  const auto add = [&](int l, double value) {
    least[l] = value < least[l] ? value : least[l];
    most[l] = value > most[l] ? value : most[l];
  };
  int n = 0;
  for (; n + sum_lanes <= number; n += sum_lanes) {
    prefetch_lanes(values + n);
    XP_VECTORISE
    for (int l = 0; l < sum_lanes; ++l) add(l, values[n + l]);
  }
  for (; n < number; ++n) add(0, values[n]);
  for (int l = 0; l < sum_lanes; ++l) {
    min = least[l] < min ? least[l] : min;
    max = most[l] > max ? most[l] : max;
  }
}

std::int64_t largest_of(const double* values, int number) {
  std::int64_t largest = 0;
  XP_VECTORISE
  for (int n = 0; n < number; ++n) {
    const std::int64_t size = size_bits(values[n]);
    largest = size > largest ? size : largest;
  }
  return largest;
}

}  // namespace

void PartialSums::add(const double* values, int number, Want want) {
  const bool only_extrema =
      (want | Want::extrema | Want::largest) == (Want::extrema | Want::largest);
  bool all_finite = true;
  if (wants(want, Want::extrema)) add_extrema(values, number, min, max);
  if (wants(want, Want::largest) || only_extrema) {
    const std::int64_t size = largest_of(values, number);
    largest = size > largest ? size : largest;
    all_finite = finite(size);
  }
  // Not finite are infinite squares, too: values are counted where one is.
  if (wants(want, Want::sum))
    all_finite &= sum.add(values, number, [](double value) { return value; });
  if (wants(want, Want::sum_abs))
    all_finite &= sum_abs.add(values, number, [](double value) { return std::fabs(value); });
  if (wants(want, Want::sum_square))
    all_finite &= sum_square.add(values, number, [](double value) { return value * value; });
  count += number;
  if (!all_finite)
    for (int n = 0; n < number; ++n) not_finite += finite(size_bits(values[n])) ? 0 : 1;
}

Sums PartialSums::finished() const {
  Sums sums;
  // Whether the zero that came first had a sign depends on the order; so do the bits of a NaN.
  sums.min = min + 0.0;
  sums.max = max + 0.0;
  sums.largest = largest > size_bits(INFINITY) ? NAN : __builtin_bit_cast(double, largest);
  sums.sum = sum.value();
  sums.sum_abs = sum_abs.value();
  sums.sum_square = sum_square.value();
  sums.count = count;
  sums.not_finite = not_finite;
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

  void operator()(int k, int j, int first, int last, PartialSums& sums) const {
    // A block is large enough to pay for what is done once for each, and stays in the first-level
    // cache.
    constexpr int width = chunk_width<Space>, fills = 32;
    for (int block = first; block < last; block += fills * width) {
      const int number = last - block < fills * width ? last - block : fills * width;
      if constexpr (requires { fill.in_place(k, j, block); }) {
        sums.add(fill.in_place(k, j, block), number, want);
      } else {
        double values[fills][width];
        for (int n = 0; n < number; n += width)
          fill(k, j, block + n, number - n < width ? number - n : width, values[n / width]);
        sums.add(values[0], number, want);
      }
    }
  }
};

template <class Space, class Real>
struct FillCells {
  FieldView<Space, Real> u;

  // Values that are there already need not be copied.
  const double* in_place(int k, int j, int first) const requires std::is_same_v<Real, double> {
    return &u(k, j, first);
  }

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
  StencilInputs<Space, Real> inputs;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int count,
                                         double (&values)[chunk_width<Space>]) const {
    program.template run<chunk_width<Space>>(
        typename StencilInputs<Space, Real>::Row{inputs, k, j, first}, count, values);
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
detail::PartialSums Measure<Space, Real>::of_this_rank(const Space& space, const char* kernel,
                                                       const Box& box, Want want,
                                                       const Fill& fill) {
  if constexpr (is_host_space<Space>)
    reduction_.start_rows(space, kernel, box, detail::RowSums<Space, Fill>{fill, want});
  else
    reduction_.start_rows(space, kernel, box, detail::CellSums<Space, Fill>{fill, want});
  return reduction_.value(space);
}

template <class Space, class Real>
template <class Fill>
Sums Measure<Space, Real>::reduce(const Space& space, const char* kernel, Want want,
                                  const Fill& fill) {
  return of_all_ranks(of_this_rank(space, kernel, box_, want, fill));
}

template <class Space, class Real>
Sums Measure<Space, Real>::of_all_ranks(const detail::PartialSums& sums) const {
  return (ranks_ ? (*ranks_)(sums) : sums).finished();
}

template <class Space, class Real>
void Measure<Space, Real>::add(const Space& space, const FieldView<Space, Real>& u, const Box& box,
                               Want want) {
  pieces_.join(of_this_rank(space, "sums", box, want, detail::FillCells<Space, Real>{u}));
}

template <class Space, class Real>
Sums Measure<Space, Real>::finish() {
  const Sums sums = of_all_ranks(pieces_);
  pieces_ = {};
  return sums;
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
                                      const StencilInputs<Space, Real>& inputs, Want want) {
  return reduce(space, "expression sums", want, detail::FillProgram<Space, Real>{program, inputs});
}

template <class Space, class Real>
Sums Measure<Space, Real>::minus_program(const Space& space, const FieldView<Space, Real>& u,
                                         const DeviceProgram<Space>& program,
                                         const StencilInputs<Space, Real>& inputs, Want want) {
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
