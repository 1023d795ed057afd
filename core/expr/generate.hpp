// Turns the graph of an expression into a program of the register machine.
#pragma once

#include <map>
#include <vector>

#include <xp/expr/tree.hpp>

namespace xp::detail {

/// What is there before a program runs, besides coordinates and the time.
struct Available {
  int fields = 0;              // input slots from Program::slot_fields on that are arrays 0, 1, ...
  int array_count = 0;         // in all
  std::map<int, int> arrays;   // nodes whose values are in an array
  std::map<int, int> numbers;  // nodes that are a single number
  std::vector<std::uint32_t> needed_by;  // of each node: Program::needed_by

  /// The array that a node's value is in, or -1.
  int array_of(const Tree& tree, int node) const;
};

/// The program of the nodes under `roots`. Without outputs if it needs more registers than there
/// are. `fuse` lets one instruction do the work of two.
Program generate(const Tree& tree, const std::vector<int>& roots, const Available& available,
                 bool fuse);

}  // namespace xp::detail
