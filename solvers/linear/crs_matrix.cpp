#include <xp/solvers/linear/crs_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/transfer.hpp>
#include <xp/solvers/linear/matrix_kernels.hpp>

namespace xp {
namespace {

template <class T>
using OnHost = Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Space, class T>
Kokkos::View<T*, Space> copied(const char* name, const std::vector<T>& values) {
  const Kokkos::View<T*, Space> result(std::string(name), values.size());
  Kokkos::deep_copy(result, OnHost<const T*>(values.data(), values.size()));
  count_to_device(static_cast<std::int64_t>(values.size() * sizeof(T)));
  return result;
}

template <class Space, class T>
std::vector<T> fetched(const Kokkos::View<T*, Space>& values) {
  std::vector<T> result(values.size());
  Kokkos::deep_copy(OnHost<T*>(result.data(), result.size()), values);
  count_to_host(static_cast<std::int64_t>(result.size() * sizeof(T)));
  return result;
}

void check(const std::vector<int>& offsets, std::size_t columns, std::size_t values) {
  const auto fail = [](const std::string& message) {
    throw std::invalid_argument("CrsMatrix: " + message);
  };
  if (offsets.empty() || offsets.front() != 0) fail("offsets must begin with 0");
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    if (offsets[r + 1] < offsets[r]) fail(fmt::format("offsets fall after row {}", r));
  if (columns != values || static_cast<std::size_t>(offsets.back()) != columns)
    fail(fmt::format("offsets end with {}, and there are {} columns and {} values", offsets.back(),
                     columns, values));
}

// The rows by colours: rows of one colour are not in each other's rows. Each has the first colour
// that none of its neighbours before it has.
std::vector<int> by_colours(const std::vector<int>& offsets, const std::vector<int>& columns,
                            std::vector<int>& begins) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<std::vector<int>> before(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (auto n = static_cast<std::size_t>(offsets[r]);
         n < static_cast<std::size_t>(offsets[r + 1]); ++n) {
      const auto c = static_cast<std::size_t>(columns[n]);
      if (c != r) before[std::max(r, c)].push_back(static_cast<int>(std::min(r, c)));
    }
  std::vector<int> colour(rows), taken;  // taken: by a neighbour of which row last
  std::vector<std::vector<int>> members;
  for (std::size_t r = 0; r < rows; ++r) {
    for (const int n : before[r])
      taken[static_cast<std::size_t>(colour[static_cast<std::size_t>(n)])] = static_cast<int>(r);
    std::size_t free = 0;
    while (free < taken.size() && taken[free] == static_cast<int>(r)) ++free;
    if (free == taken.size()) {
      taken.push_back(-1);
      members.emplace_back();
    }
    colour[r] = static_cast<int>(free);
    members[free].push_back(static_cast<int>(r));
  }
  std::vector<int> order;
  begins = {0};
  for (const std::vector<int>& of : members) {
    order.insert(order.end(), of.begin(), of.end());
    begins.push_back(static_cast<int>(order.size()));
  }
  return order;
}

}  // namespace

template <class Space, class Real>
CrsMatrix<Space, Real>::CrsMatrix(const std::vector<int>& offsets, const std::vector<int>& columns,
                                  const std::vector<Real>& values) {
  check(offsets, columns.size(), values.size());
  const int rows = static_cast<int>(offsets.size()) - 1;
  std::vector<int> begins = {0}, sorted;
  std::vector<Real> numbers;
  std::vector<std::pair<int, Real>> row;
  for (int r = 0; r < rows; ++r) {
    row.clear();
    for (auto n = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]);
         n < static_cast<std::size_t>(offsets[static_cast<std::size_t>(r) + 1]); ++n) {
      if (columns[n] < 0 || columns[n] >= rows)
        throw std::invalid_argument(
            fmt::format("CrsMatrix: row {} has column {} of {}", r, columns[n], rows));
      if (!std::isfinite(values[n]))
        throw std::invalid_argument(
            fmt::format("CrsMatrix: row {}, column {} is not a finite number", r, columns[n]));
      row.emplace_back(columns[n], values[n]);
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t begin = sorted.size();
    for (const auto& [column, value] : row) {
      if (sorted.size() > begin && sorted.back() == column) {
        numbers.back() += value;
      } else {
        sorted.push_back(column);
        numbers.push_back(value);
      }
    }
    begins.push_back(static_cast<int>(sorted.size()));
  }
  offsets_ = copied<Space>("matrix: offsets", begins);
  columns_ = copied<Space>("matrix: columns", sorted);
  values_ = copied<Space>("matrix: values", numbers);
}

template <class Space, class Real>
void CrsMatrix<Space, Real>::apply(const Space& space, const FieldView<Space, Real>& x,
                                   const FieldView<Space, Real>& y) const {
  for_each_row(space, "matrix: product", Box{{0, 0, 0}, {rows(), 1, 1}},
               detail::RowProducts<Space, Real>{offsets_, columns_, values_, x, y});
}

template <class Space, class Real>
SystemMap<Space, Real> CrsMatrix<Space, Real>::map(const Space& space) const {
  return
      [matrix = *this, space](const SystemView<Space, Real>& x, const SystemView<Space, Real>& y) {
        matrix.apply(space, x[0], y[0]);
      };
}

bool has_matrix_method(MatrixMethod method) {
  return method != MatrixMethod::ilu || detail::has_kokkos_kernels;
}

template <class Space, class Real>
struct MatrixPreconditioner<Space, Real>::Implementation {
  Space space;
  MatrixMethod method;
  Kokkos::View<Real*, Space> inverse;  // of the diagonal
  std::unique_ptr<detail::Ilu<Space, Real>> ilu;
  // Of gauss_seidel: the rows by colours, and where each colour begins.
  CrsMatrix<Space, Real> matrix = {};
  typename CrsMatrix<Space, Real>::Numbers order = {};
  std::vector<int> begins = {};

  Box box() const { return Box{{0, 0, 0}, {static_cast<int>(inverse.size()), 1, 1}}; }
  void sweep(std::size_t colour, const FieldView<Space, Real>& x,
             const FieldView<Space, Real>& y) const {
    for_each_row(space, "matrix: sweep", Box{{begins[colour], 0, 0}, {begins[colour + 1], 1, 1}},
                 detail::ColourSweep<Space, Real>{matrix.offsets(), matrix.columns(), order,
                                                  matrix.values(), inverse, x, y});
  }
};

template <class Space, class Real>
MatrixPreconditioner<Space, Real>::MatrixPreconditioner(const Space& space,
                                                        const CrsMatrix<Space, Real>& matrix,
                                                        MatrixMethod method, int fill)
    : implementation_(new Implementation{space, method, {}, {}}) {
  Implementation& of = *implementation_;
  if (!has_matrix_method(method))
    throw std::invalid_argument(
        "MatrixPreconditioner: this build is without Kokkos Kernels; there are jacobi and "
        "gauss_seidel");
  if (fill < 0 || fill > 8)
    throw std::invalid_argument(fmt::format("MatrixPreconditioner: fill is 0 to 8, not {}", fill));
  const std::vector<int> offsets = fetched(matrix.offsets()), columns = fetched(matrix.columns());
  const std::vector<Real> values = fetched(matrix.values());
  std::vector<Real> inverse;
  for (int r = 0; r < matrix.rows(); ++r) {
    const auto begin = columns.begin() + offsets[static_cast<std::size_t>(r)];
    const auto end = columns.begin() + offsets[static_cast<std::size_t>(r) + 1];
    const auto found = std::lower_bound(begin, end, r);
    const Real value = found != end && *found == r
                           ? values[static_cast<std::size_t>(found - columns.begin())]
                           : Real(0);
    if (value == 0)
      throw std::invalid_argument(
          fmt::format("MatrixPreconditioner: the diagonal of row {} is zero: the matrix has no {} "
                      "preconditioner",
                      r,
                      method == MatrixMethod::jacobi         ? "Jacobi"
                      : method == MatrixMethod::gauss_seidel ? "Gauss-Seidel"
                                                             : "ILU"));
    inverse.push_back(1 / value);
  }
  if (method == MatrixMethod::ilu) {
    of.ilu = detail::make_ilu<Space, Real>(space, matrix, fill);
    return;
  }
  of.inverse = copied<Space>("matrix: diagonal", inverse);
  if (method == MatrixMethod::jacobi) return;
  of.matrix = matrix;
  of.order = copied<Space>("matrix: order", by_colours(offsets, columns, of.begins));
}

template <class Space, class Real>
MatrixPreconditioner<Space, Real>::~MatrixPreconditioner() = default;

template <class Space, class Real>
void MatrixPreconditioner<Space, Real>::apply(const FieldView<Space, Real>& x,
                                              const FieldView<Space, Real>& y) {
  const Implementation& of = *implementation_;
  switch (of.method) {
    case MatrixMethod::ilu:
      of.ilu->apply(x, y);
      break;
    case MatrixMethod::jacobi:
      for_each_row(of.space, "matrix: jacobi", of.box(),
                   detail::DiagonalProducts<Space, Real>{of.inverse, x, y});
      break;
    case MatrixMethod::gauss_seidel:
      // The first sweep meets rows of colours that are still to come.
      Field<Space, Real>::set_to_zero(of.space, y, of.box());
      for (std::size_t c = 0; c + 1 < of.begins.size(); ++c) of.sweep(c, x, y);
      for (std::size_t c = of.begins.size() - 1; c-- > 0;) of.sweep(c, x, y);
      break;
  }
}

template <class Space, class Real>
SystemMap<Space, Real> MatrixPreconditioner<Space, Real>::map() {
  return [this](const SystemView<Space, Real>& x, const SystemView<Space, Real>& y) {
    apply(x[0], y[0]);
  };
}

#define XP_CRS_MATRIX(Space, Real)       \
  template class CrsMatrix<Space, Real>; \
  template class MatrixPreconditioner<Space, Real>;
XP_INSTANTIATE(XP_CRS_MATRIX)
#undef XP_CRS_MATRIX

}  // namespace xp
