#include <xp/expr/tree.hpp>

#include <algorithm>
#include <array>

#include <xp/expr/apply.hpp>

namespace xp::detail {

int Tree::add(const Node& node) {
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
    // apply() defines a square as this product; as a product it needs no call per cell.
    if (op == Op::power && nodes_[b].op == Op::constant && nodes_[b].value == 2) {
      op = Op::multiply;
      b = a;
    }
  }
  Node node;
  node.op = op;
  node.children[0] = a;
  node.children[1] = b;
  node.children[2] = c;
  return add(node);
}

namespace {

// Children of a node without repetition, the one that needs most registers first: the order in
// which the fewest registers are busy at once (Sethi and Ullman).
struct Children {
  std::array<int, 3> list{-1, -1, -1};
  int count = 0;

  Children(const Node& node, const std::vector<int>& need) {
    for (const int child : node.children)
      if (child >= 0 &&
          std::find(list.begin(), list.begin() + count, child) == list.begin() + count)
        list[count++] = child;
    std::stable_sort(list.begin(), list.begin() + count,
                     [&](int a, int b) { return need[a] > need[b]; });
  }
};

std::vector<int> registers_needed(const std::vector<Node>& nodes, int root) {
  std::vector<int> need(static_cast<std::size_t>(root) + 1, 1);
  for (int n = 0; n <= root; ++n) {
    const Children children(nodes[n], need);
    for (int i = 0; i < children.count; ++i)
      need[n] = std::max(need[n], need[children.list[i]] + i);
  }
  return need;
}

void note_input(Program& program, int slot, int field_count) {
  if (slot < Program::slot_time) program.uses_coordinates = true;
  if (slot == Program::slot_time) program.uses_time = true;
  const int field = slot - Program::slot_fields;
  if (field >= 0 && field < field_count) program.fields.push_back(field);
}

}  // namespace

Program generate(const Tree& tree, int root, int field_count) {
  const std::vector<Node>& nodes = tree.nodes();
  const std::vector<int> need = registers_needed(nodes, root);
  Program program;
  program.registers = need[root];
  if (program.registers > Program::max_registers) return program;

  // A node's value goes to register `base`; those of its children to `base` and following.
  struct Frame {
    int node, base;
    Children children;
    int done = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](int node, int base) {
    stack.push_back({node, base, Children(nodes[node], need)});
  };
  enter(root, 0);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.done < frame.children.count) {
      const int child = frame.done++;
      enter(frame.children.list[child], frame.base + child);
      continue;
    }
    const Node& node = nodes[frame.node];
    const auto register_of = [&](int child) -> std::uint8_t {
      for (int i = 0; i < frame.children.count; ++i)
        if (frame.children.list[i] == child) return static_cast<std::uint8_t>(frame.base + i);
      return 0;
    };
    Instruction instruction;
    instruction.op = node.op;
    instruction.out = static_cast<std::uint8_t>(frame.base);
    instruction.a = register_of(node.children[0]);
    instruction.b = register_of(node.children[1]);
    instruction.c = register_of(node.children[2]);
    instruction.slot = node.slot;
    instruction.value = node.value;
    if (node.op == Op::input) note_input(program, node.slot, field_count);
    program.code.push_back(instruction);
    stack.pop_back();
  }
  std::sort(program.fields.begin(), program.fields.end());
  program.fields.erase(std::unique(program.fields.begin(), program.fields.end()),
                       program.fields.end());
  return program;
}

}  // namespace xp::detail
