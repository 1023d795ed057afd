// Kernels of sparse matrices, and what stands between them and Kokkos Kernels.
#pragma once

#include <memory>

#include <xp/solvers/linear/crs_matrix.hpp>

namespace xp::detail {

template <class Space, class Real>
struct RowProducts {
  Kokkos::View<int*, Space> offsets, columns;
  Kokkos::View<Real*, Space> values;
  FieldView<Space, Real> x, y;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    for (int r = first; r < last; ++r) {
      Real sum = 0;
      for (int n = offsets(r); n < offsets(r + 1); ++n) sum += values(n) * x(k, j, columns(n));
      y(k, j, r) = sum;
    }
  }
};

template <class Space, class Real>
struct DiagonalProducts {
  Kokkos::View<Real*, Space> diagonal;
  FieldView<Space, Real> x, y;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    XP_VECTORISE
    for (int r = first; r < last; ++r) y(k, j, r) = diagonal(r) * x(k, j, r);
  }
};

/// y_r = (x_r - the rest of the row) / diagonal for the rows order(first) to order(last - 1), none
/// of which is in the row of another.
template <class Space, class Real>
struct ColourSweep {
  Kokkos::View<int*, Space> offsets, columns, order;
  Kokkos::View<Real*, Space> values, inverse;
  FieldView<Space, Real> x, y;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    for (int p = first; p < last; ++p) {
      const int r = order(p);
      Real sum = x(k, j, r);
      for (int n = offsets(r); n < offsets(r + 1); ++n)
        if (columns(n) != r) sum -= values(n) * y(k, j, columns(n));
      y(k, j, r) = sum * inverse(r);
    }
  }
};

#ifdef XP_KOKKOS_KERNELS
inline constexpr bool has_kokkos_kernels = true;
#else
inline constexpr bool has_kokkos_kernels = false;
#endif

/// ILU(k) and its triangular solves: Kokkos Kernels, whose headers are seen by one source file
/// only.
template <class Space, class Real>
class Ilu {
 public:
  virtual ~Ilu() = default;
  virtual void apply(const FieldView<Space, Real>& x, const FieldView<Space, Real>& y) = 0;
};

/// Of a matrix without zeros on its diagonal; nullptr without Kokkos Kernels.
template <class Space, class Real>
std::unique_ptr<Ilu<Space, Real>> make_ilu(const Space& space, const CrsMatrix<Space, Real>& matrix,
                                           int fill);

}  // namespace xp::detail
