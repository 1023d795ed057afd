#include <xp/operators/measure.hpp>
#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {

// Adds a program's values, times `sign`, and, where there is one, an array.
template <class Space, class Real>
struct ProgramSums {
  DeviceProgram<Space> program;
  CellInputs<Space, Real> inputs;
  FieldView<Space, Real> u;
  bool has_array;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last, Sums& sums) const {
    constexpr int width = chunk_width<Space>;
    double values[width];
    for (int chunk = first; chunk < last; chunk += width) {
      const int lanes = last - chunk < width ? last - chunk : width;
      program.template run<width>(typename CellInputs<Space, Real>::Row{inputs, k, j, chunk}, lanes,
                                  values);
      for (int lane = 0; lane < lanes; ++lane)
        sums.add(has_array ? static_cast<double>(u(k, j, chunk + lane)) - values[lane]
                           : values[lane]);
    }
  }
};

}  // namespace detail

template <class Space, class Real>
Measure<Space, Real>::Measure(const Box& box) : box_(box), reduction_(box) {}

template <class Space, class Real>
Sums Measure<Space, Real>::sums(const Space& space, const FieldView<Space, Real>& u) {
  reduction_.start(
      space, "sums", box_, KOKKOS_LAMBDA(int k, int j, int i, Sums& sums) {
        sums.add(static_cast<double>(u(k, j, i)));
      });
  return reduction_.value(space);
}

template <class Space, class Real>
Sums Measure<Space, Real>::difference(const Space& space, const FieldView<Space, Real>& a,
                                      const FieldView<Space, Real>& b) {
  reduction_.start(
      space, "difference sums", box_, KOKKOS_LAMBDA(int k, int j, int i, Sums& sums) {
        sums.add(static_cast<double>(a(k, j, i)) - static_cast<double>(b(k, j, i)));
      });
  return reduction_.value(space);
}

template <class Space, class Real>
Sums Measure<Space, Real>::scaled(const Space& space, const FieldView<Space, Real>& e,
                                  const FieldView<Space, Real>& a, const FieldView<Space, Real>& b,
                                  double relative, double absolute) {
  reduction_.start(
      space, "scaled error", box_, KOKKOS_LAMBDA(int k, int j, int i, Sums& sums) {
        const double x = static_cast<double>(a(k, j, i)), y = static_cast<double>(b(k, j, i));
        const double sx = x < 0 ? -x : x, sy = y < 0 ? -y : y;
        sums.add(static_cast<double>(e(k, j, i)) / (absolute + relative * (sx > sy ? sx : sy)));
      });
  return reduction_.value(space);
}

template <class Space, class Real>
Sums Measure<Space, Real>::of_program(const Space& space, const DeviceProgram<Space>& program,
                                      const CellInputs<Space, Real>& inputs) {
  reduction_.start_rows(space, "expression sums", box_,
                        detail::ProgramSums<Space, Real>{program, inputs, {}, false});
  return reduction_.value(space);
}

template <class Space, class Real>
Sums Measure<Space, Real>::minus_program(const Space& space, const FieldView<Space, Real>& u,
                                         const DeviceProgram<Space>& program,
                                         const CellInputs<Space, Real>& inputs) {
  reduction_.start_rows(space, "error sums", box_,
                        detail::ProgramSums<Space, Real>{program, inputs, u, true});
  return reduction_.value(space);
}

#define XP_MEASURE(Space, Real) template class Measure<Space, Real>;
XP_INSTANTIATE(XP_MEASURE)
#undef XP_MEASURE

}  // namespace xp
