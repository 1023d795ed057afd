// Sparse matrices by compressed rows, and preconditioners made of them: for what has no multigrid.
#pragma once

#include <memory>
#include <vector>

#include <xp/solvers/linear/krylov.hpp>

namespace xp {

/// A square matrix of this rank's numbers in the memory of a space. Rows are summed in the order of
/// their columns: products have the same bits on any number of threads.
template <class Space, class Real>
class CrsMatrix {
 public:
  using Numbers = Kokkos::View<int*, Space>;
  using Values = Kokkos::View<Real*, Space>;

  CrsMatrix() = default;
  /// Row r has the entries offsets[r] to offsets[r + 1] of `columns` and `values`, in any order;
  /// entries of the same column are added up. Throws std::invalid_argument where offsets do not
  /// begin with 0, fall or do not end with the number of entries, where a column is none of the
  /// matrix or a value is not finite.
  CrsMatrix(const std::vector<int>& offsets, const std::vector<int>& columns,
            const std::vector<Real>& values);

  int rows() const { return static_cast<int>(offsets_.size()) - 1; }
  int entries() const { return static_cast<int>(columns_.size()); }
  const Numbers& offsets() const { return offsets_; }
  const Numbers& columns() const { return columns_; }  ///< ascending in every row
  const Values& values() const { return values_; }

  /// y = A x. The views are of rows() numbers, as system_of() makes them.
  void apply(const Space& space, const FieldView<Space, Real>& x,
             const FieldView<Space, Real>& y) const;
  /// The same for a Krylov method; the map shares the matrix's memory.
  SystemMap<Space, Real> map(const Space& space) const;

 private:
  Numbers offsets_, columns_;
  Values values_;
};

enum class MatrixMethod {
  jacobi,        ///< division by the diagonal
  gauss_seidel,  ///< one symmetric sweep by colours (Saad, Iterative Methods, 12.4)
  ilu            ///< ILU(k) by levels of fill (Saad, 10.3), of Kokkos Kernels
};

/// False of ilu in a build without Kokkos Kernels.
bool has_matrix_method(MatrixMethod method);

/// An approximate inverse of a matrix, made once. jacobi and gauss_seidel have the same bits on any
/// number of threads.
template <class Space, class Real>
class MatrixPreconditioner {
 public:
  /// `fill` is the k of ilu, 0 to 8. Throws std::invalid_argument, naming the row, where a diagonal
  /// entry is missing or zero, and where the build lacks the method.
  MatrixPreconditioner(const Space& space, const CrsMatrix<Space, Real>& matrix,
                       MatrixMethod method, int fill = 0);
  ~MatrixPreconditioner();
  MatrixPreconditioner(const MatrixPreconditioner&) = delete;
  MatrixPreconditioner& operator=(const MatrixPreconditioner&) = delete;

  /// y = about A^-1 x; x and y must not be the same.
  void apply(const FieldView<Space, Real>& x, const FieldView<Space, Real>& y);
  /// For a Krylov method; valid as long as the object.
  SystemMap<Space, Real> map();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace xp
