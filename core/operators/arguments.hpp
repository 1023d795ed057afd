// What the operators on whole fields ask of their arguments.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <xp/field/field.hpp>

namespace xp::detail {

/// Throws std::invalid_argument unless the field covers the region of the grid with so many
/// components.
template <class Space, class Real>
void require_shape(std::string_view call, const Grid& grid, Region region,
                   const Field<Space, Real>& field, int components) {
  const Box box = grid.cells(region);
  const FieldShape& shape = field.shape();
  bool same = shape.components == components;
  for (int axis = 0; axis < 3; ++axis) same = same && shape.cells[axis] == box.size(axis);
  if (!same)
    throw std::invalid_argument(
        std::string(call) + ": the field '" + field.info().name + "' does not have " +
        std::to_string(components) + " component(s) over the grid's " +
        (region == Region::ghosted ? "cells with ghosts" : "own cells, without ghosts"));
}

/// Throws std::invalid_argument when two fields share memory: kernels read neighbours of the cells
/// that others write.
template <class Space, class Real>
void require_distinct(std::string_view call, const Field<Space, Real>& a,
                      const Field<Space, Real>& b) {
  const Real *const a0 = a.memory().data(), *const a1 = a0 + a.memory().size();
  const Real *const b0 = b.memory().data(), *const b1 = b0 + b.memory().size();
  // std::less orders pointers into different arrays too.
  const std::less<const Real*> before;
  if (before(a0, b1) && before(b0, a1))
    throw std::invalid_argument(std::string(call) + ": the fields '" + a.info().name + "' and '" +
                                b.info().name + "' share memory");
}

}  // namespace xp::detail
