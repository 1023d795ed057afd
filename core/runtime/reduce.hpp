// Reductions over index boxes. The result stays in the memory of the execution space until it is
// asked for. Boxes are cut among threads without regard to rows: joining must not depend on order.
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
/// `KOKKOS_INLINE_FUNCTION void join(const Value&)`. Its memory is allocated by the constructor:
/// calling it allocates nothing.
template <class Space, class Value>
class Reducer {
 public:
  Reducer() = default;
  explicit Reducer(const Space&)
      : result_("reduction: result"),
        partial_("reduction: parts",
                 is_host_space<Space> ? static_cast<std::size_t>(thread_count<Space>()) : 0) {}

  /// Starts the reduction: `f(k, j, first, last, value)` joins the part of a piece of a row into
  /// `value`: long pieces on a CPU, single cells on a GPU.
  template <class F>
  void start_rows(const Space& space, const char* kernel, const Box& box, const F& f) {
    const int nj = box.size(1), ni = box.size(0);
    const int i0 = box.lower[0], j0 = box.lower[1], k0 = box.lower[2];
    if constexpr (is_host_space<Space>) {
      const std::int64_t cells = box.count();
      const std::int64_t parts =
          cells <= smallest_parallel_loop ? 1 : static_cast<std::int64_t>(partial_.extent(0));
      const auto partial = partial_;
      const auto part = [=](const std::int64_t p) {
        Value value;
        const std::int64_t end = cells * (p + 1) / parts;
        for (std::int64_t n = cells * p / parts; n < end;) {
          const std::int64_t row = n / ni, i = n - row * ni;
          const std::int64_t length = ni - i < end - n ? ni - i : end - n;
          const int first = i0 + static_cast<int>(i);
          f(k0 + static_cast<int>(row / nj), j0 + static_cast<int>(row % nj), first,
            first + static_cast<int>(length), value);
          n += length;
        }
        partial(static_cast<std::size_t>(p)) = value;
      };
      if (parts == 1)
        part(0);
      else
        Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Space>(space, 0, parts), part);
      space.fence();
      Value total;
      for (std::int64_t p = 0; p < parts; ++p) total.join(partial(static_cast<std::size_t>(p)));
      result_() = total;
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

  /// Where the result is once the reduction has run: for kernels that go on with it.
  const Value* result() const { return result_.data(); }

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
  Kokkos::View<Value, typename Space::memory_space> result_;
  Kokkos::View<Value*, typename Space::memory_space> partial_;
};

}  // namespace xp
