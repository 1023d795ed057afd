// Orders the graph of expressions into steps.
#pragma once

#include <string>
#include <vector>

#include <xp/expr/computation.hpp>
#include <xp/expr/tree.hpp>

namespace xp::detail {

/// The steps that lead to the values of `roots`. Throws a Mistake (of the whole) when something
/// that is differentiated has no boundary conditions though there are walls, or when there are too
/// many arrays.
Computation plan(const Tree& tree, const std::vector<int>& roots, const Symbols& symbols,
                 const CompileOptions& options);

}  // namespace xp::detail
