#include <xp/expr/tree.hpp>

#include <algorithm>
#include <bit>

#include <xp/expr/apply.hpp>

namespace xp::detail {

int Tree::add(const Node& node) {
  if (optimise_) {
    const std::tuple key{
        node.op,          node.slot,        std::bit_cast<std::uint64_t>(node.value),
        node.children[0], node.children[1], node.children[2]};
    const auto [found, is_new] = index_.emplace(key, static_cast<int>(nodes_.size()));
    if (!is_new) return found->second;
  }
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int Tree::constant(double value) {
  Node node;
  node.value = value;
  return add(node);
}

int Tree::input(int slot) {
  Node node;
  node.op = Op::input;
  node.slot = slot;
  return add(node);
}

int Tree::operation(Op op, int a, int b, int c) {
  if (optimise_) {
    double values[3] = {0, 0, 0};
    bool all_constant = true;
    const int children[3] = {a, b, c};
    for (int n = 0; n < 3; ++n) {
      if (children[n] < 0) continue;
      const Node& child = nodes_[children[n]];
      all_constant = all_constant && child.op == Op::constant;
      values[n] = child.value;
    }
    if (all_constant) return constant(apply(op, values[0], values[1], values[2]));
    // apply() defines small powers as these products; as products they need no call per cell.
    if (op == Op::power && is_constant(b, 2)) return operation(Op::multiply, a, a);
    if (op == Op::power && is_constant(b, 3))
      return operation(Op::multiply, operation(Op::multiply, a, a), a);
    if (op == Op::power && is_constant(b, 4)) {
      const int square = operation(Op::multiply, a, a);
      return operation(Op::multiply, square, square);
    }
    if (op == Op::power && is_constant(b, 1)) return a;
  }
  Node node;
  node.op = op;
  node.children[0] = a;
  node.children[1] = b;
  node.children[2] = c;
  return add(node);
}

int Tree::stencil(const Stencil& stencil, int a, int b) {
  Node node;
  node.op = Op::stencil;
  node.slot = stencil.packed();
  node.children[0] = a;
  node.children[1] = b;
  return add(node);
}

int Tree::reduction(int kind, int operand) {
  Node node;
  node.op = Op::reduction;
  node.slot = kind;
  node.children[0] = operand;
  return add(node);
}

int Tree::random(Op op, int stream) {
  Node node;
  node.op = op;
  node.slot = stream;
  return add(node);
}

int Tree::definition(const std::string& name, int operand) {
  const auto found = std::find(definitions_.begin(), definitions_.end(), name);
  Node node;
  node.op = Op::definition;
  node.slot = static_cast<std::int32_t>(found - definitions_.begin());
  node.children[0] = operand;
  if (found == definitions_.end()) definitions_.push_back(name);
  return add(node);
}

void Tree::give_place(std::size_t first, const Place& place) {
  for (std::size_t n = first; n < nodes_.size(); ++n)
    if (nodes_[n].op == Op::stencil) places_.emplace(static_cast<int>(n), place);
}

std::string Tree::name(int node) const {
  const Node& of = nodes_[static_cast<std::size_t>(node)];
  if (of.op == Op::definition) return definitions_[static_cast<std::size_t>(of.slot)];
  const auto found = names_.find(node);
  return found == names_.end() ? std::string() : found->second;
}

}  // namespace xp::detail
