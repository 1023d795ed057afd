// Fields: arrays over the grid that know their name, units and what is done with them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <xp/mesh/grid.hpp>
#include <xp/runtime/kokkos.hpp>
#include <xp/runtime/loop.hpp>
#include <xp/runtime/memory.hpp>
#include <xp/runtime/transfer.hpp>

namespace xp {

enum class Centring { cell, face_x, face_y, face_z, node };

/// What a field is and what is done with it. The flags drive halo, output and restart: a model that
/// adds a field writes no other code.
struct FieldInfo {
  std::string name;
  std::string description;
  std::string units;  ///< "" for none
  int components = 1;
  Centring centring = Centring::cell;
  bool ghosted = true;
  bool in_output = true;
  bool in_checkpoint = true;
};

/// One component of a field as kernels see it: indices (k, j, i), ghost cells counted. Not a
/// Kokkos::View: that keeps extents beyond the third as 32-bit unsigned numbers, whose wrapping
/// keeps loops along i from being vectorised (they gather) and planes from having 2^32 cells.
template <class Space, class Real>
class FieldView {
 public:
  FieldView() = default;
  /// `data` is cell (0, 0, 0); strides are numbers between neighbours along k and j.
  KOKKOS_INLINE_FUNCTION FieldView(Real* data, std::int64_t stride_k, std::int64_t stride_j)
      : data_(data), stride_k_(stride_k), stride_j_(stride_j) {}

  KOKKOS_INLINE_FUNCTION Real& operator()(int k, int j, int i) const {
    return data_[k * stride_k_ + j * stride_j_ + i];
  }
  KOKKOS_INLINE_FUNCTION Real* data() const { return data_; }
  /// The same cells under other indices: (k, j, i) is what (k + dk, j + dj, i + di) is here.
  FieldView moved(int dk, int dj, int di) const {
    FieldView result = *this;
    result.data_ += dk * stride_k_ + dj * stride_j_ + di;
    return result;
  }
  /// Numbers between neighbours along an axis.
  KOKKOS_INLINE_FUNCTION std::int64_t stride(Axis axis) const {
    return axis == Axis::x ? 1 : axis == Axis::y ? stride_j_ : stride_k_;
  }

 private:
  Real* data_ = nullptr;
  std::int64_t stride_k_ = 0, stride_j_ = 1;
};

/// Where the cells of a field lie in memory. On a CPU the own cells of every row begin with a cache
/// line, so that no vector of them lies in two: rows are padded, where that costs less than an
/// eighth.
struct FieldShape {
  int components = 1;
  int cells[3] = {1, 1, 1};  ///< along x, y, z, ghost cells included
  std::int64_t first = 0;    ///< of the numbers in memory, where cell (0, 0, 0, 0) is
  std::int64_t row = 1;      ///< numbers from row to row

  FieldShape() = default;
  FieldShape(const Grid& grid, const FieldInfo& info, bool aligned, int value_bytes);

  std::int64_t plane() const { return row * cells[1]; }
  std::int64_t component() const { return plane() * cells[2]; }
  std::int64_t size() const { return first + component() * components; }
};

namespace detail {

/// Bytes to be left free before a field's memory, another number for each: a processor takes
/// addresses that differ by a multiple of 4 KiB for the same until it knows better, and large
/// fields begin with pages.
std::int64_t stagger(std::int64_t bytes);

}  // namespace detail

/// A copy of a field on the host, or the field's own memory where that is the host's.
template <class Real>
class HostMirror {
 public:
  using Memory = Kokkos::View<Real*, Kokkos::HostSpace>;
  HostMirror(Memory memory, const FieldShape& shape) : memory_(std::move(memory)), shape_(shape) {}
  Real& operator()(std::int64_t c, std::int64_t k, std::int64_t j, std::int64_t i) const {
    return memory_
        .data()[shape_.first + c * shape_.component() + k * shape_.plane() + j * shape_.row + i];
  }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  FieldShape shape_;
};

/// A named array (component, k, j, i), i fastest on every backend: files need no transpose and GPU
/// threads run along i. A handle: copies share the data.
template <class Space, class Real>
class Field {
 public:
  using execution_space = Space;
  using value_type = Real;
  using Memory = Kokkos::View<Real*, typename Space::memory_space>;

  Field() = default;
  /// Allocates and sets every cell, ghosts included, to zero, in the space's own parallel loop.
  Field(const Grid& grid, FieldInfo info)
      : info_(std::move(info)), shape_(grid, info_, is_host_space<Space>, sizeof(Real)) {
    const auto size = static_cast<std::size_t>(shape_.size());
    std::size_t before = 0;
    if constexpr (is_host_space<Space>)
      before = static_cast<std::size_t>(detail::stagger(bytes(grid, info_))) / sizeof(Real);
    const Memory memory(Kokkos::view_alloc(info_.name, Kokkos::WithoutInitializing), before + size);
    if constexpr (is_host_space<Space>)
      advise_huge_pages(memory.data(), memory.size() * sizeof(Real));
    memory_ = Kokkos::subview(memory, std::pair(before, before + size));
    const Box box{{0, 0, 0}, {shape_.cells[0], shape_.cells[1], shape_.cells[2]}};
    for (int c = 0; c < info_.components; ++c) set_to_zero(Space(), view(c), box);
  }

  /// What a field will take.
  static std::int64_t bytes(const Grid& grid, const FieldInfo& info) {
    return FieldShape(grid, info, is_host_space<Space>, sizeof(Real)).size() *
           static_cast<std::int64_t>(sizeof(Real));
  }

  /// First touched by the threads that will work on it: public because CUDA asks it of kernels.
  static void set_to_zero(const Space& space, const FieldView<Space, Real>& view, const Box& box) {
    for_each(
        space, "field: zero", box, KOKKOS_LAMBDA(int k, int j, int i) { view(k, j, i) = Real(0); });
  }

  const FieldInfo& info() const { return info_; }
  const FieldShape& shape() const { return shape_; }
  /// All of its numbers, those between rows included.
  const Memory& memory() const { return memory_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_.size() * sizeof(Real)); }

  /// A component for use in kernels; valid as long as the field lives.
  FieldView<Space, Real> view(int component = 0) const {
    return FieldView<Space, Real>(memory_.data() + shape_.first + component * shape_.component(),
                                  shape_.plane(), shape_.row);
  }

 private:
  FieldInfo info_;
  FieldShape shape_;
  Memory memory_;
};

/// Copies a field to the host (a counted transfer). On a backend whose memory is the host's it is
/// the field's own memory, counted all the same.
template <class Space, class Real>
HostMirror<Real> host_mirror(const Field<Space, Real>& field) {
  count_to_host(field.bytes());
  return {Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.memory()), field.shape()};
}

/// Copies a mirror of the field, or of one of the same shape, back to it (a counted transfer).
template <class Space, class Real>
void to_device(const HostMirror<Real>& host, const Field<Space, Real>& field) {
  count_to_device(field.bytes());
  Kokkos::deep_copy(field.memory(), host.memory());
}

}  // namespace xp
