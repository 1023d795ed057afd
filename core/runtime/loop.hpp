// Loops over index boxes: the only place where CPU and GPU differ.
//
// On a CPU the outer indices are collapsed into one parallel range and the inner `i` is a plain int
// loop that vectorises; on a GPU one flat range with `i` fastest. Keyed on the execution space's
// type.
#pragma once

#include <cstdint>

#include <xp/runtime/box.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Loops over fewer cells than this run on the calling thread: waking a team costs more.
inline constexpr std::int64_t smallest_parallel_loop = 1024;

namespace detail {

// How a box is cut into work items on a CPU: whole rows, or parts of rows where there are fewer
// rows than threads can share. Cutting never changes results: cells are independent.
struct RowCut {
  int parts = 1;  // per row
  int length = 0;

  RowCut(const Box& box, int threads) {
    const std::int64_t rows = static_cast<std::int64_t>(box.size(1)) * box.size(2);
    const int cells = box.size(0);
    constexpr int shortest = 256;
    if (threads > 1 && rows < 4 * threads)
      parts = static_cast<int>(std::clamp<std::int64_t>(
          4 * threads / std::max<std::int64_t>(rows, 1), 1, std::max(1, cells / shortest)));
    // Parts begin where cache lines do.
    length = parts == 1 ? cells : ((cells + parts - 1) / parts + 15) / 16 * 16;
  }
};

}  // namespace detail

/// Calls `f(k, j, first, last)` for pieces [first, last) of rows that together cover the box: long
/// pieces on a CPU, single cells on a GPU. For kernels that work on a chunk of a row at a time.
template <class Space, class F>
void for_each_row(const Space& space, const char* kernel, const Box& box, const F& f) {
  if (box.count() == 0) return;
  const int ni = box.size(0), nj = box.size(1);
  const int i0 = box.lower[0], j0 = box.lower[1], k0 = box.lower[2];
  if constexpr (is_host_space<Space>) {
    const int end = box.upper[0];
    const std::int64_t rows = static_cast<std::int64_t>(nj) * box.size(2);
    if (box.count() <= smallest_parallel_loop) {
      for (int k = k0; k < box.upper[2]; ++k)
        for (int j = j0; j < box.upper[1]; ++j) f(k, j, i0, end);
      return;
    }
    const int threads = thread_count<Space>();
    if (threads == 1) {
      // Without a team to wake, also where OpenMP has but one thread.
      Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Kokkos::Serial>(0, box.size(2)),
                           [=](const int k) {
                             for (int j = j0; j < j0 + nj; ++j) f(k0 + k, j, i0, end);
                           });
      return;
    }
    const detail::RowCut cut(box, threads);
    const int parts = cut.parts, length = cut.length;
    Kokkos::parallel_for(
        kernel, Kokkos::RangePolicy<Space>(space, 0, rows * parts), [=](const std::int64_t n) {
          const std::int64_t row = parts == 1 ? n : n / parts;
          const int first = i0 + length * static_cast<int>(n - row * parts);
          const int last = first + length < end ? first + length : end;
          if (first < last)
            f(k0 + static_cast<int>(row / nj), j0 + static_cast<int>(row % nj), first, last);
        });
  } else {
    Kokkos::parallel_for(
        kernel, Kokkos::RangePolicy<Space>(space, 0, box.count()),
        KOKKOS_LAMBDA(const std::int64_t n) {
          const std::int64_t row = n / ni;
          const int i = i0 + static_cast<int>(n - row * ni);
          f(k0 + static_cast<int>(row / nj), j0 + static_cast<int>(row % nj), i, i + 1);
        });
  }
}

/// Calls `f(k, j, i)` for every cell of the box, in any order.
/// `kernel` is the name that profilers show ("heat: rate"); up to 15 characters cost no allocation.
template <class Space, class F>
void for_each(const Space& space, const char* kernel, const Box& box, const F& f) {
  for_each_row(
      space, kernel, box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        XP_VECTORISE
        for (int i = first; i < last; ++i) f(k, j, i);
      });
}

}  // namespace xp
