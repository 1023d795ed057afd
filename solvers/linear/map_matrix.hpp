// Matrices of linear maps of fields that are known only by what they do, for preconditioners.
#pragma once

#include <array>
#include <vector>

#include <xp/solvers/linear/crs_matrix.hpp>

namespace xp {

/// Finds the matrix by applying the map to sums of unit vectors whose images do not meet, as many
/// as there are colours (Curtis, Powell and Reid 1974): 2 reach + 1 along an axis, up to twice that
/// where it is periodic, times the number of fields. Kept is what couples cells of this rank; cells
/// that are coupled have entries of all fields, some of them zero. Numbers of a cell are neighbours
/// in vectors.
template <class Space, class Real>
class MapMatrix {
 public:
  using View = SystemView<Space, Real>;

  /// `reach`: how many cells away along each axis values of the map depend on.
  MapMatrix(const Grid& grid, int fields, const std::array<int, 3>& reach);

  /// Applications of the map that one matrix takes.
  int colours() const;
  /// Rows of the matrix.
  int size() const;
  /// The map is applied to vectors of zeros and `unit`. x and y are scratch. Throws
  /// std::invalid_argument where it gives what is not finite.
  CrsMatrix<Space, Real> matrix(const Space& space, const SystemMap<Space, Real>& map, double unit,
                                const View& x, const View& y) const;

  /// Between fields and a vector of size() numbers.
  void to_vector(const Space& space, const View& x, const FieldView<Space, Real>& vector) const;
  void to_fields(const Space& space, const FieldView<Space, Real>& vector, const View& x) const;

 private:
  // Of one axis: each own cell's colour, and for each colour the own cell, counted from the first,
  // that a cell meets there, or -1.
  struct AxisColours {
    int count = 1;
    Kokkos::View<int*, Space> colour;
    std::vector<std::vector<int>> partner;
  };

  Box own_;
  int fields_;
  std::array<AxisColours, 3> axes_;
};

}  // namespace xp
