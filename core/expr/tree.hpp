// A checked expression as a tree, and its translation into a program.
#pragma once

#include <cstdint>
#include <vector>

#include <xp/expr/expr.hpp>

namespace xp::detail {

struct Node {
  Op op = Op::constant;
  std::int32_t slot = 0;           // of Op::input
  double value = 0;                // of Op::constant
  int children[3] = {-1, -1, -1};  // indices of nodes, filled from the front
};

/// Nodes refer to each other by index and children come before their parents, so that a long chain
/// of operations is walked by loops and cannot exhaust the stack.
class Tree {
 public:
  /// Most nodes of one expression, definitions expanded.
  static constexpr std::size_t max_nodes = 100000;

  explicit Tree(bool optimise) : optimise_(optimise) {}

  // All return the index of the node.
  int constant(double value);
  int input(int slot);
  /// Folds an operation whose operands are all constants.
  int operation(Op op, int a, int b = -1, int c = -1);

  bool full() const { return nodes_.size() >= max_nodes; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  int add(const Node& node);

  std::vector<Node> nodes_;
  bool optimise_;
};

/// The program of the tree under `root`; `field_count` is the size of Symbols::fields. Empty code
/// if it needs more registers than there are.
Program generate(const Tree& tree, int root, int field_count);

}  // namespace xp::detail
