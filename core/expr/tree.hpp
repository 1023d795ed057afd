// Checked expressions as a graph whose nodes are shared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <xp/expr/expr.hpp>

namespace xp::detail {

struct Node {
  Op op = Op::constant;
  std::int32_t slot = 0;           // of Op::input, random numbers, stencils, reductions
  double value = 0;                // of Op::constant
  int children[3] = {-1, -1, -1};  // indices of nodes, filled from the front
};

/// Nodes refer to each other by index and children come before their parents, so that a long chain
/// of operations is walked by loops and cannot exhaust the stack. With `optimise` a node that is
/// there already is not made again, and operations on constants are carried out.
class Tree {
 public:
  /// Most nodes of one expression, definitions expanded.
  static constexpr std::size_t max_nodes = 100000;

  explicit Tree(bool optimise) : optimise_(optimise) {}

  // All return the index of the node.
  int constant(double value);
  int input(int slot);
  int operation(Op op, int a, int b = -1, int c = -1);
  int stencil(const Stencil& stencil, int a, int b = -1);
  int reduction(int kind, int operand);
  int random(Op op, int stream);
  /// A definition with boundary conditions of its own: at a cell its operand's value, around it
  /// what the conditions say. Two of them are two, however alike their texts are.
  int definition(const std::string& name, int operand);

  bool full() const { return nodes_.size() >= max_nodes; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool is_constant(int node) const { return nodes_[node].op == Op::constant; }
  bool is_constant(int node, double value) const {
    return is_constant(node) && nodes_[node].value == value;
  }

  /// The definition that a node is the value of, or "".
  std::string name(int node) const;
  /// Where in the text asked for a stencil was written; 0, 1 where that is not known.
  struct Place {
    std::size_t offset = 0, length = 1;
  };
  Place place(int node) const {
    const auto found = places_.find(node);
    return found == places_.end() ? Place{} : found->second;
  }
  /// For all stencils made from node `first` on that have no place yet.
  void give_place(std::size_t first, const Place& place);

  /// Of several names of one value the first counts.
  void give_name(int node, const std::string& name) { names_.emplace(node, name); }

 private:
  int add(const Node& node);

  std::vector<Node> nodes_;
  std::map<std::tuple<Op, std::int32_t, std::uint64_t, int, int, int>, int> index_;
  std::map<int, std::string> names_;
  std::map<int, Place> places_;
  std::vector<std::string> definitions_;  // those with boundary conditions
  bool optimise_;
};

/// The graph under a node as text, to be read by people; `names` are those of the slots from
/// Program::slot_fields on.
std::string text_of(const Tree& tree, int node, const std::vector<std::string>& names);

}  // namespace xp::detail
