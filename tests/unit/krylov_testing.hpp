// Plain vectors and operators on them, for tests of Krylov methods.
#pragma once

#include <vector>

#include <xp/solvers/linear/krylov.hpp>

namespace xp_test {

template <class Space>
using Vector = Kokkos::View<double*, Space>;

/// y_i = lower x_(i-1) + diagonal x_i + upper x_(i+1): 0 beyond the ends, or around them.
template <class Space>
struct ThreeDiagonals {
  double lower, diagonal, upper;
  bool around;
  xp::FieldView<Space, double> x, y;
  int n;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    const int before = i > 0 ? i - 1 : around ? n - 1 : -1;
    const int after = i + 1 < n ? i + 1 : around ? 0 : -1;
    double value = diagonal * x(k, j, i);
    if (before >= 0) value += lower * x(k, j, before);
    if (after >= 0) value += upper * x(k, j, after);
    y(k, j, i) = value;
  }
};

/// y_i = x_i times the value number i modulo `count`, or divided by it.
template <class Space>
struct FewEigenvalues {
  xp::FieldView<Space, double> x, y;
  int count;
  double first, ratio;
  bool inverse;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    double value = first;
    for (int n = i % count; n > 0; --n) value *= ratio;
    y(k, j, i) = inverse ? x(k, j, i) / value : x(k, j, i) * value;
  }
};

template <class Space>
xp::SystemMap<Space, double> three_diagonals(int n, double lower, double diagonal, double upper,
                                             bool around = false) {
  return [=](const xp::SystemView<Space, double>& x, const xp::SystemView<Space, double>& y) {
    xp::for_each(Space(), "test: matrix", xp::Box{{0, 0, 0}, {n, 1, 1}},
                 ThreeDiagonals<Space>{lower, diagonal, upper, around, x[0], y[0], n});
  };
}

template <class Space>
xp::SystemMap<Space, double> few_eigenvalues(int n, int count, double first, double ratio,
                                             bool inverse = false) {
  return [=](const xp::SystemView<Space, double>& x, const xp::SystemView<Space, double>& y) {
    xp::for_each(Space(), "test: diagonal", xp::Box{{0, 0, 0}, {n, 1, 1}},
                 FewEigenvalues<Space>{x[0], y[0], count, first, ratio, inverse});
  };
}

template <class Space>
Vector<Space> vector_of(const std::vector<double>& values) {
  const Vector<Space> result("test: vector", values.size());
  const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      host(values.data(), values.size());
  Kokkos::deep_copy(result, host);
  return result;
}

template <class Space>
std::vector<double> values_of(const Vector<Space>& vector) {
  std::vector<double> result(vector.size());
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      result.data(), result.size());
  Kokkos::deep_copy(host, vector);
  return result;
}

}  // namespace xp_test
