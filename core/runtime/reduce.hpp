// Reductions over index boxes. The result stays in the memory of the execution space until it is
// asked for; on a CPU it does not depend on the number of threads: each row is summed by itself,
// rows in their order in groups that depend on the box alone, and the groups in theirs.
#pragma once

#include <xp/runtime/box.hpp>
#include <xp/runtime/loop.hpp>
#include <xp/runtime/transfer.hpp>

namespace xp {

namespace detail {

// A Kokkos reducer for a value type with a default-constructed identity and `join(const Value&)`.
template <class Value, class Space>
struct JoinReducer {
  using reducer = JoinReducer;
  using value_type = Value;
  using result_view_type = Kokkos::View<Value, typename Space::memory_space>;

  result_view_type result;

  KOKKOS_INLINE_FUNCTION void join(Value& into, const Value& other) const { into.join(other); }
  KOKKOS_INLINE_FUNCTION void init(Value& value) const { value = Value(); }
  KOKKOS_INLINE_FUNCTION Value& reference() const { return *result.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return false; }
};

}  // namespace detail

/// A reduction to a `Value`: a small struct whose default value is the identity and which has
/// `KOKKOS_INLINE_FUNCTION void join(const Value&)`. Its memory is allocated once, for boxes of at
/// most the size given; calling it allocates nothing.
template <class Space, class Value>
class Reducer {
 public:
  Reducer() = default;
  explicit Reducer(const Box& largest)
      : result_("reduction: result"),
        partial_(
            "reduction: parts",
            is_host_space<Space>
                ? static_cast<std::size_t>(std::min(
                      static_cast<std::int64_t>(largest.size(1)) * largest.size(2), most_groups))
                : 0) {}

  /// Starts the reduction: `f(k, j, first, last, value)` joins the part of a piece of a row into
  /// `value`: whole rows on a CPU, single cells on a GPU.
  template <class F>
  void start_rows(const Space& space, const char* kernel, const Box& box, const F& f) {
    const int nj = box.size(1), ni = box.size(0);
    const int i0 = box.lower[0], j0 = box.lower[1], k0 = box.lower[2];
    if constexpr (is_host_space<Space>) {
      const std::int64_t rows = static_cast<std::int64_t>(nj) * box.size(2);
      const std::int64_t groups = std::min(rows, most_groups);
      const auto partial = partial_;
      const auto result = result_;
      const int i1 = box.upper[0];
      const auto group = [=](const std::int64_t g) {
        Value sum;
        for (std::int64_t n = rows * g / groups; n < rows * (g + 1) / groups; ++n) {
          Value value;
          f(k0 + static_cast<int>(n / nj), j0 + static_cast<int>(n % nj), i0, i1, value);
          sum.join(value);
        }
        partial(static_cast<std::size_t>(g)) = sum;
      };
      if (box.count() <= smallest_parallel_loop)
        for (std::int64_t g = 0; g < groups; ++g) group(g);
      else
        Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Space>(space, 0, groups), group);
      space.fence();
      Value total;
      for (std::int64_t g = 0; g < groups; ++g) total.join(partial(static_cast<std::size_t>(g)));
      result() = total;
    } else {
      Kokkos::parallel_reduce(
          kernel, Kokkos::RangePolicy<Space>(space, 0, box.count()),
          KOKKOS_LAMBDA(const std::int64_t n, Value& value) {
            const std::int64_t row = n / ni;
            const int i = i0 + static_cast<int>(n - row * ni);
            f(k0 + static_cast<int>(row / nj), j0 + static_cast<int>(row % nj), i, i + 1, value);
          },
          detail::JoinReducer<Value, Space>{result_});
    }
  }

  /// Waits for the reduction and copies its value to the host: counted as a scalar's transfer.
  Value value(const Space& space) const {
    space.fence();
    Value result;
    Kokkos::View<Value, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&result);
    Kokkos::deep_copy(host, result_);
    count_scalar_to_host(sizeof(Value));
    return result;
  }

 private:
  // Bounds the memory, far above the number of threads.
  static constexpr std::int64_t most_groups = 4096;

  Kokkos::View<Value, typename Space::memory_space> result_;
  Kokkos::View<Value*, typename Space::memory_space> partial_;
};

}  // namespace xp
