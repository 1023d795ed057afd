#include <xp/solvers/linear/map_matrix.hpp>

#include <algorithm>
#include <cmath>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/transfer.hpp>

namespace xp {
namespace {

template <class T>
using OnHost = Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Cells of one colour are so far apart that no value depends on two of them, also around a periodic
// axis: there the cells that are left over by whole periods have colours of their own.
int colour_of(std::int64_t cell, std::int64_t cells, int period, bool periodic) {
  const std::int64_t whole = periodic ? cells - cells % period : cells;
  return static_cast<int>(cell < whole ? cell % period : period + cell - whole);
}

template <class Space, class Real>
struct UnitVectors {
  FieldView<Space, Real> x;
  Kokkos::View<int*, Space> i_colour, j_colour, k_colour;
  int i0, j0, k0, i_is, j_is, k_is;
  Real unit;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    const bool is =
        i_colour(i - i0) == i_is && j_colour(j - j0) == j_is && k_colour(k - k0) == k_is;
    x(k, j, i) = is ? unit : Real(0);
  }
};

// Field f of several and its numbers in a vector.
template <class Space, class Real>
struct Interleaved {
  FieldView<Space, Real> x, vector;
  int i0, j0, k0, ni, nj, fields, f;
  bool to_vector;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    const int n = (((k - k0) * nj + j - j0) * ni + i - i0) * fields + f;
    if (to_vector)
      vector(0, 0, n) = x(k, j, i);
    else
      x(k, j, i) = vector(0, 0, n);
  }
};

template <class Space, class Real>
void interleave(const Space& space, const Box& own, const SystemView<Space, Real>& x,
                const FieldView<Space, Real>& vector, bool to_vector) {
  const int fields = static_cast<int>(x.size());
  for (int f = 0; f < fields; ++f)
    for_each(
        space, to_vector ? "matrix: pack" : "matrix: unpack", own,
        Interleaved<Space, Real>{x[static_cast<std::size_t>(f)], vector, own.lower[0], own.lower[1],
                                 own.lower[2], own.size(0), own.size(1), fields, f, to_vector});
}

}  // namespace

template <class Space, class Real>
MapMatrix<Space, Real>::MapMatrix(const Grid& grid, int fields, const std::array<int, 3>& reach)
    : own_(grid.cells(Region::own)), fields_(fields) {
  for (const Axis axis : all_axes) {
    const auto a = static_cast<std::size_t>(index(axis));
    AxisColours& of = axes_[a];
    const std::int64_t cells = grid.exists(axis) ? grid.cells(axis) : 1;
    const int width = grid.exists(axis) ? reach[a] : 0, own = own_.size(index(axis));
    const int period = static_cast<int>(std::min<std::int64_t>(2 * width + 1, cells));
    const bool periodic = grid.periodic(axis);
    const std::int64_t first = grid.blocks().front().first[a];
    of.count = period + (periodic ? static_cast<int>(cells % period) : 0);
    std::vector<int> colours;
    for (int n = 0; n < own; ++n) colours.push_back(colour_of(first + n, cells, period, periodic));
    of.partner.assign(static_cast<std::size_t>(of.count), std::vector<int>());
    for (auto& partners : of.partner) partners.assign(static_cast<std::size_t>(own), -1);
    for (int n = 0; n < own; ++n)
      for (int m = n - width; m <= n + width; ++m) {
        int cell = m;
        if (periodic && own == cells) cell = static_cast<int>((m + cells) % cells);
        if (cell >= 0 && cell < own)
          of.partner[static_cast<std::size_t>(colours[static_cast<std::size_t>(cell)])]
                    [static_cast<std::size_t>(n)] = cell;
      }
    of.colour = Kokkos::View<int*, Space>("matrix: colours", static_cast<std::size_t>(own));
    Kokkos::deep_copy(of.colour, OnHost<const int*>(colours.data(), colours.size()));
  }
}

template <class Space, class Real>
int MapMatrix<Space, Real>::colours() const {
  return fields_ * axes_[0].count * axes_[1].count * axes_[2].count;
}

template <class Space, class Real>
int MapMatrix<Space, Real>::size() const {
  return static_cast<int>(own_.count()) * fields_;
}

template <class Space, class Real>
void MapMatrix<Space, Real>::to_vector(const Space& space, const View& x,
                                       const FieldView<Space, Real>& vector) const {
  interleave(space, own_, x, vector, true);
}

template <class Space, class Real>
void MapMatrix<Space, Real>::to_fields(const Space& space, const FieldView<Space, Real>& vector,
                                       const View& x) const {
  interleave(space, own_, x, vector, false);
}

template <class Space, class Real>
CrsMatrix<Space, Real> MapMatrix<Space, Real>::matrix(const Space& space,
                                                      const SystemMap<Space, Real>& map,
                                                      double unit, const View& x,
                                                      const View& y) const {
  const int ni = own_.size(0), nj = own_.size(1), nk = own_.size(2);
  const auto rows = static_cast<std::size_t>(size());
  const Kokkos::View<Real*, Space> image("matrix: image", rows);
  std::vector<Real> values(rows);
  struct Entry {
    int column;
    Real value;
  };
  std::vector<std::vector<Entry>> found(rows);
  const auto look = [&](int f, const std::vector<int>& pi, const std::vector<int>& pj,
                        const std::vector<int>& pk) {
    std::size_t row = 0;
    for (int k = 0; k < nk; ++k)
      for (int j = 0; j < nj; ++j)
        for (int i = 0; i < ni; ++i) {
          const int ci = pi[static_cast<std::size_t>(i)], cj = pj[static_cast<std::size_t>(j)],
                    ck = pk[static_cast<std::size_t>(k)];
          const bool own = ci >= 0 && cj >= 0 && ck >= 0;
          for (int g = 0; g < fields_; ++g, ++row)
            if (own && values[row] != 0)
              found[row].push_back({((ck * nj + cj) * ni + ci) * fields_ + f,
                                    values[row] / static_cast<Real>(unit)});
        }
  };
  for (int f = 0; f < fields_; ++f)
    for (int ck = 0; ck < axes_[2].count; ++ck)
      for (int cj = 0; cj < axes_[1].count; ++cj)
        for (int ci = 0; ci < axes_[0].count; ++ci) {
          for (int g = 0; g < fields_; ++g)
            for_each(space, "matrix: unit vectors", own_,
                     UnitVectors<Space, Real>{x[static_cast<std::size_t>(g)], axes_[0].colour,
                                              axes_[1].colour, axes_[2].colour, own_.lower[0],
                                              own_.lower[1], own_.lower[2], ci, cj, ck,
                                              g == f ? static_cast<Real>(unit) : Real(0)});
          map(x, y);
          to_vector(space, y, system_of(image)[0]);
          space.fence();
          Kokkos::deep_copy(OnHost<Real*>(values.data(), rows), image);
          count_to_host(static_cast<std::int64_t>(rows * sizeof(Real)));
          look(f, axes_[0].partner[static_cast<std::size_t>(ci)],
               axes_[1].partner[static_cast<std::size_t>(cj)],
               axes_[2].partner[static_cast<std::size_t>(ck)]);
        }
  // What differences leave of values that do not depend on a cell is no entry.
  constexpr double rounding = 1e-7;
  for (std::vector<Entry>& row : found) {
    double largest = 0;
    for (const Entry& entry : row)
      largest = std::max(largest, std::abs(static_cast<double>(entry.value)));
    std::erase_if(row, [&](const Entry& entry) {
      return std::abs(static_cast<double>(entry.value)) < rounding * largest;
    });
  }
  // All fields of two cells are in the pattern where some are, so that incomplete factors keep what
  // couples them.
  std::vector<int> offsets = {0}, columns, cells;
  std::vector<Real> entries;
  for (std::size_t first = 0; first < rows; first += static_cast<std::size_t>(fields_)) {
    cells.clear();
    for (int g = 0; g < fields_; ++g)
      for (const Entry& entry : found[first + static_cast<std::size_t>(g)])
        cells.push_back(entry.column / fields_);
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    for (int g = 0; g < fields_; ++g) {
      for (const Entry& entry : found[first + static_cast<std::size_t>(g)]) {
        columns.push_back(entry.column);
        entries.push_back(entry.value);
      }
      // The matrix adds up what is of the same column.
      for (const int cell : cells)
        for (int f = 0; f < fields_; ++f) {
          columns.push_back(cell * fields_ + f);
          entries.push_back(0);
        }
      offsets.push_back(static_cast<int>(columns.size()));
    }
  }
  return CrsMatrix<Space, Real>(offsets, columns, entries);
}

#define XP_MAP_MATRIX(Space, Real) template class MapMatrix<Space, Real>;
XP_INSTANTIATE(XP_MAP_MATRIX)
#undef XP_MAP_MATRIX

}  // namespace xp
