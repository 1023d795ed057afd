// Sums and combinations of systems of arrays whose scalars are in the memory of the execution
// space.
#pragma once

#include <array>
#include <vector>

#include <xp/operators/exact_sum.hpp>
#include <xp/runtime/rank_join.hpp>
#include <xp/runtime/reduce.hpp>
#include <xp/solvers/linear/krylov.hpp>
#include <xp/solvers/linear/krylov_numbers.hpp>

namespace xp::detail {

template <int N>
struct DotSums {
  ExactSum sums[N];
  KOKKOS_INLINE_FUNCTION void join(const DotSums& other) {
    for (int n = 0; n < N; ++n) sums[n].join(other.sums[n]);
  }
};

/// Joins the products of pieces of rows, rounded to double, of N arrays with the same other one.
template <class Space, class Real, int N>
struct DotRows {
  FieldView<Space, Real> a[N], b;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last,
                                         DotSums<N>& sums) const {
    if constexpr (is_host_space<Space>) {
      constexpr int block = 256;
      double products[block];
      for (int i = first; i < last; i += block) {
        const int count = last - i < block ? last - i : block;
        for (int n = 0; n < N; ++n) {
          XP_VECTORISE
          for (int l = 0; l < count; ++l)
            products[l] =
                static_cast<double>(a[n](k, j, i + l)) * static_cast<double>(b(k, j, i + l));
          sums.sums[n].add(products, count, [](double value) { return value; });
        }
      }
    } else {
      for (int n = 0; n < N; ++n)
        sums.sums[n].add(
            times(static_cast<double>(a[n](k, j, first)), static_cast<double>(b(k, j, first))));
    }
  }
};

/// Adds up the fields of a system and writes the values.
template <int N>
struct FinishDot {
  const DotSums<N>* field;
  DotSums<N>* all;
  double* to;
  bool first, last;

  KOKKOS_INLINE_FUNCTION void operator()() const {
    DotSums<N> sums = *field;
    if (!first) sums.join(*all);
    *all = sums;
    if (last)
      for (int n = 0; n < N; ++n) to[n] = sums.sums[n].value();
  }
};

/// N sums of products at once over all fields and cells of all ranks.
template <class Space, class Real, int N>
class Dots {
 public:
  using View = SystemView<Space, Real>;

  Dots(const Box& own, const Communicator& communicator)
      : own_(own),
        one_rank_(communicator.size() == 1),
        reduction_(Space()),
        ranks_(communicator),
        all_("krylov: sum") {}

  /// to[n] = a[n] times b, where `to` is memory of the space. Nothing waits on one rank.
  void operator()(const Space& space, const std::array<const View*, N>& a, const View& b,
                  double* to) {
    const std::size_t fields = b.size();
    DotSums<N> on_host;
    for (std::size_t f = 0; f < fields; ++f) {
      DotRows<Space, Real, N> rows;
      for (int n = 0; n < N; ++n) rows.a[n] = (*a[static_cast<std::size_t>(n)])[f];
      rows.b = b[f];
      reduction_.start_rows(space, "krylov: dot", own_, rows);
      if (one_rank_)
        run_once(space, "krylov: sum",
                 FinishDot<N>{reduction_.result(), all_.data(), to, f == 0, f + 1 == fields});
      else
        on_host.join(reduction_.value(space));
    }
    if (one_rank_) return;
    on_host = ranks_(on_host);
    double values[N];
    for (int n = 0; n < N; ++n) values[n] = on_host.sums[n].value();
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(Kokkos::View<double[N], typename Space::memory_space, Unmanaged>(to),
                      Kokkos::View<double[N], Kokkos::HostSpace, Unmanaged>(values));
  }

 private:
  Box own_;
  bool one_rank_;
  Reducer<Space, DotSums<N>> reduction_;
  RankJoin<DotSums<N>> ranks_;
  Kokkos::View<DotSums<N>, typename Space::memory_space> all_;
};

/// A factor that may be in the memory of the space.
struct Coefficient {
  double factor = 1;
  const double* number = nullptr;
  KOKKOS_INLINE_FUNCTION double value() const { return number ? factor * *number : factor; }
};

/// to = ca * a + cb * b
template <class Space, class Real>
struct Combination {
  Coefficient ca, cb;
  FieldView<Space, Real> a, b, to;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    const Real fa = static_cast<Real>(ca.value()), fb = static_cast<Real>(cb.value());
    XP_VECTORISE
    for (int i = first; i < last; ++i) to(k, j, i) = fa * a(k, j, i) + fb * b(k, j, i);
  }
};

/// x += c * p, r -= c * q
template <class Space, class Real>
struct Step {
  Coefficient c;
  FieldView<Space, Real> p, q, x, r;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    const Real f = static_cast<Real>(c.value());
    XP_VECTORISE
    for (int i = first; i < last; ++i) {
      x(k, j, i) += f * p(k, j, i);
      r(k, j, i) -= f * q(k, j, i);
    }
  }
};

/// p = r + beta * (p - omega * v), or p = shadow = r.
template <class Space, class Real>
struct BicgstabNewDirection {
  const double* number;
  FieldView<Space, Real> r, v, p, shadow;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int first, int last) const {
    if (number[renew] != 0) {
      XP_VECTORISE
      for (int i = first; i < last; ++i) p(k, j, i) = shadow(k, j, i) = r(k, j, i);
      return;
    }
    const Real b = static_cast<Real>(number[beta]), w = static_cast<Real>(number[omega]);
    XP_VECTORISE
    for (int i = first; i < last; ++i) p(k, j, i) = r(k, j, i) + b * (p(k, j, i) - w * v(k, j, i));
  }
};

}  // namespace xp::detail
