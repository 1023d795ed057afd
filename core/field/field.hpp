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
  KOKKOS_INLINE_FUNCTION FieldView(Real* data, std::int64_t nk, std::int64_t nj, std::int64_t ni)
      : data_(data), stride_k_(nj * ni), stride_j_(ni), extent_k_(nk) {}

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
  /// Cells along k, j, i, ghosts included.
  KOKKOS_INLINE_FUNCTION std::int64_t extent(int rank) const {
    return rank == 0 ? extent_k_ : rank == 1 ? stride_k_ / stride_j_ : stride_j_;
  }

 private:
  Real* data_ = nullptr;
  std::int64_t stride_k_ = 0, stride_j_ = 1, extent_k_ = 0;
};

/// A named array (component, k, j, i), LayoutRight on every backend: files need no transpose and
/// GPU threads run along i. A handle: copies share the data.
template <class Space, class Real>
class Field {
 public:
  using execution_space = Space;
  using value_type = Real;
  using View = Kokkos::View<Real****, Kokkos::LayoutRight, typename Space::memory_space>;

  Field() = default;
  /// Allocates and sets every cell, ghosts included, to zero, in the space's own parallel loop.
  Field(const Grid& grid, FieldInfo info) : info_(std::move(info)) {
    const Box box = info_.ghosted
                        ? grid.cells(Region::ghosted)
                        : Box{{0, 0, 0},
                              {grid.cells(Region::own).size(0), grid.cells(Region::own).size(1),
                               grid.cells(Region::own).size(2)}};
    data_ = View(Kokkos::view_alloc(info_.name, Kokkos::WithoutInitializing), info_.components,
                 box.size(2), box.size(1), box.size(0));
    if constexpr (is_host_space<Space>)
      advise_huge_pages(data_.data(), data_.size() * sizeof(Real));
    for (int c = 0; c < info_.components; ++c) set_to_zero(view(c), box);
  }

  /// First touched by the threads that will work on it: public because CUDA asks it of kernels.
  static void set_to_zero(const FieldView<Space, Real>& view, const Box& box) {
    for_each(
        Space(), "field: zero", box,
        KOKKOS_LAMBDA(int k, int j, int i) { view(k, j, i) = Real(0); });
  }

  const FieldInfo& info() const { return info_; }
  const View& data() const { return data_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(data_.size() * sizeof(Real)); }

  /// A component for use in kernels; valid as long as the field lives.
  FieldView<Space, Real> view(int component = 0) const {
    const auto nk = static_cast<std::int64_t>(data_.extent(1)),
               nj = static_cast<std::int64_t>(data_.extent(2)),
               ni = static_cast<std::int64_t>(data_.extent(3));
    return FieldView<Space, Real>(data_.data() + component * nk * nj * ni, nk, nj, ni);
  }

 private:
  FieldInfo info_;
  View data_;
};

/// Copies a field to the host (a counted transfer): a view with the same indices. On a backend
/// whose memory is the host's it is the field's own memory, counted all the same.
template <class Space, class Real>
auto host_mirror(const Field<Space, Real>& field) {
  count_to_host(field.bytes());
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.data());
}

/// Copies host data of the same shape into a field (a counted transfer).
template <class Space, class Real, class HostView>
void to_device(const HostView& host, const Field<Space, Real>& field) {
  count_to_device(field.bytes());
  Kokkos::deep_copy(field.data(), host);
}

}  // namespace xp
