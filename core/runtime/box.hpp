// Index boxes: half-open ranges of the three index dimensions, as values.
#pragma once

#include <algorithm>
#include <cstdint>

#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Axes count from the fastest index: x is `i`, y is `j`, z is `k`.
enum class Axis : int { x = 0, y = 1, z = 2 };
inline constexpr Axis all_axes[3] = {Axis::x, Axis::y, Axis::z};
KOKKOS_INLINE_FUNCTION constexpr int index(Axis axis) {
  return static_cast<int>(axis);
}
constexpr char letter(Axis axis) {
  return static_cast<char>('x' + index(axis));
}

/// Axes as bits.
using AxisSet = unsigned;
constexpr AxisSet axis_bit(Axis axis) {
  return 1u << index(axis);
}

/// A half-open box of local indices, [lower, upper) along each axis.
struct Box {
  int lower[3] = {0, 0, 0};
  int upper[3] = {0, 0, 0};

  KOKKOS_INLINE_FUNCTION int size(int axis) const { return upper[axis] - lower[axis]; }
  std::int64_t count() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < 3; ++axis) product *= std::max(0, size(axis));
    return product;
  }
  bool contains(int k, int j, int i) const {
    return i >= lower[0] && i < upper[0] && j >= lower[1] && j < upper[1] && k >= lower[2] &&
           k < upper[2];
  }
  /// The same box with `below` more cells on the lower and `above` more on the upper side of an
  /// axis.
  Box grown(Axis axis, int below, int above) const {
    Box box = *this;
    box.lower[index(axis)] -= below;
    box.upper[index(axis)] += above;
    return box;
  }
  /// The same box with another range along one axis.
  Box with_range(Axis axis, int first, int last) const {
    Box box = *this;
    box.lower[index(axis)] = first;
    box.upper[index(axis)] = last;
    return box;
  }
  friend bool operator==(const Box&, const Box&) = default;
};

}  // namespace xp
