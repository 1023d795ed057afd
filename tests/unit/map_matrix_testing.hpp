// A linear map of two fields on a grid, for tests of the matrices that are made of such.
#pragma once

#include <xp/field/ghosts.hpp>

#include "krylov_testing.hpp"
#include "linear_testing.hpp"

namespace xp_test {

/// first' = 5 first - its neighbours along x and y, 2 second two cells above along x;
/// second' = 3 second + first of the neighbour below along y.
template <class Space>
struct TwoFields {
  xp::FieldView<Space, double> first, second, to_first, to_second;

  KOKKOS_INLINE_FUNCTION void operator()(int k, int j, int i) const {
    to_first(k, j, i) = 5 * first(k, j, i) - first(k, j, i - 1) - first(k, j, i + 1) -
                        first(k, j - 1, i) - first(k, j + 1, i) + 2 * second(k, j, i + 2);
    to_second(k, j, i) = 3 * second(k, j, i) + first(k, j - 1, i);
  }
};

}  // namespace xp_test
