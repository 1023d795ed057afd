#include <xp/expr/generate.hpp>

#include <algorithm>
#include <array>

namespace xp::detail {

int Available::array_of(const Tree& tree, int node) const {
  const Node& found = tree.nodes()[static_cast<std::size_t>(node)];
  const int field = found.slot - Program::slot_fields;
  if (found.op == Op::input && field >= 0 && field < fields) return field;
  const auto array = arrays.find(node);
  return array == arrays.end() ? -1 : array->second;
}

namespace {

bool is_sum_or_product(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::multiply;
}

class Generator {
 public:
  Generator(const Tree& tree, const Available& available, bool fuse)
      : tree_(tree), nodes_(tree.nodes()), available_(available), fuse_(fuse) {
    for (Node& node : nodes_)
      for (int& child : node.children) child = seen_through(child);
  }

  Program program(std::vector<int> roots) {
    for (int& root : roots) root = seen_through(root);
    reach(roots);
    if (fuse_) absorb();
    weigh();
    for (const int root : roots) emit(root);
    for (const int root : roots) program_.outputs.push_back(output(root));
    program_.registers = std::max(1, registers_);
    finish(program_.fields);
    finish(program_.numbers);
    if (registers_ > Program::max_registers) return {};
    return std::move(program_);
  }

 private:
  using Children = std::array<int, 3>;

  // At the cell itself a definition is what its text says, where it is not in an array already.
  int seen_through(int node) const {
    while (node >= 0 && nodes_[place(node)].op == Op::definition &&
           available_.array_of(tree_, node) < 0)
      node = nodes_[place(node)].children[0];
    return node;
  }

  static void finish(std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  bool is_leaf(int node) const {
    const Op op = nodes_[place(node)].op;
    return op == Op::constant || op == Op::input || op == Op::uniform || op == Op::normal ||
           available_.array_of(tree_, node) >= 0 || available_.numbers.count(node) > 0;
  }
  bool is_free(int node) const {  // needs no instruction
    return nodes_[place(node)].op == Op::constant || available_.array_of(tree_, node) >= 0;
  }
  static std::size_t place(int node) { return static_cast<std::size_t>(node); }

  // Values that are taken at the cell: the arrays of a stencil are not among them.
  Children values(int node) const {
    const Node& found = nodes_[place(node)];
    if (is_leaf(node)) return {-1, -1, -1};
    if (found.op == Op::stencil)
      return {Stencil::unpacked(found.slot).first_is_value() ? found.children[0] : -1, -1, -1};
    return {found.children[0], found.children[1], found.children[2]};
  }

  void reach(const std::vector<int>& roots) {
    uses_.assign(nodes_.size(), 0);
    for (const int root : roots) ++uses_[place(root)];
    for (int node = static_cast<int>(nodes_.size()) - 1; node >= 0; --node)
      if (uses_[place(node)] > 0)
        for (const int child : values(node))
          if (child >= 0) ++uses_[place(child)];
  }

  // Which nodes become part of the instruction of the one that uses them. From the leaves upwards,
  // which in a tree leaves the fewest instructions.
  void absorb() {
    absorbed_.assign(nodes_.size(), false);
    std::vector<bool> absorbs(nodes_.size(), false);
    const auto single = [&](int node) { return uses_[place(node)] == 1 && !is_leaf(node); };
    const auto is_laplacian = [&](int node) {
      const Node& found = nodes_[place(node)];
      return found.op == Op::stencil && single(node) &&
             Stencil::unpacked(found.slot).kind == StencilKind::laplacian;
    };
    // k * laplacian, or -1
    const auto scaled_laplacian = [&](int node) {
      const Node& found = nodes_[place(node)];
      if (found.op != Op::multiply || is_leaf(node)) return -1;
      for (const int n : {0, 1})
        if (tree_.is_constant(found.children[1 - n]) && is_laplacian(found.children[n]))
          return found.children[n];
      return -1;
    };
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
      if (uses_[place(node)] == 0 || is_leaf(node)) continue;
      const Node& found = nodes_[place(node)];
      if (!is_sum_or_product(found.op)) continue;
      if (const int laplacian = scaled_laplacian(node); laplacian >= 0) {
        absorbed_[place(laplacian)] = absorbs[place(node)] = true;
        continue;
      }
      bool done = false;
      if (found.op != Op::multiply && found.children[0] != found.children[1])
        for (const int n : {0, 1}) {
          const int child = found.children[n];
          if (done || tree_.is_constant(found.children[1 - n])) continue;
          if (is_laplacian(child)) {
            absorbed_[place(child)] = done = true;
          } else if (single(child) && scaled_laplacian(child) >= 0) {
            absorbed_[place(child)] = done = true;
          }
        }
      for (const int n : {0, 1}) {
        const int child = found.children[n];
        if (!done && single(child) && is_sum_or_product(nodes_[place(child)].op) &&
            !absorbs[place(child)])
          absorbed_[place(child)] = done = true;
      }
      absorbs[place(node)] = done;
    }
  }
  bool is_absorbed(int node) const { return fuse_ && absorbed_[place(node)]; }

  // Children, those of absorbed ones in their place.
  std::vector<int> operands(int node) const {
    std::vector<int> list;
    for (const int child : values(node)) {
      if (child < 0) continue;
      if (!is_absorbed(child)) {
        list.push_back(child);
        continue;
      }
      for (const int grandchild : operands(child)) list.push_back(grandchild);
    }
    return list;
  }

  // Registers that a node would need by itself: those that need most are made first (Sethi and
  // Ullman 1970).
  void weigh() {
    need_.assign(nodes_.size(), 0);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const int node = static_cast<int>(n);
      if (uses_[n] == 0 || is_free(node) || is_absorbed(node)) continue;
      std::vector<int> needs;
      for (const int child : operands(node)) needs.push_back(need_[place(child)]);
      std::sort(needs.rbegin(), needs.rend());
      need_[n] = 1;
      for (std::size_t i = 0; i < needs.size(); ++i)
        if (needs[i] > 0) need_[n] = std::max(need_[n], needs[i] + static_cast<int>(i));
    }
  }

  void emit(int root) {
    struct Frame {
      int node;
      std::vector<int> children;
      std::size_t done = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](int node) {
      if (is_free(node) || register_.count(node) > 0) return;
      std::vector<int> children = operands(node);
      std::stable_sort(children.begin(), children.end(),
                       [&](int a, int b) { return need_[place(a)] > need_[place(b)]; });
      stack.push_back({node, std::move(children)});
    };
    enter(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.done < frame.children.size()) {
        enter(frame.children[frame.done++]);
        continue;
      }
      const int node = frame.node;
      stack.pop_back();
      if (register_.count(node) == 0) write(node);
    }
  }

  Operand operand(Instruction& instruction, int node) {
    const Node& found = nodes_[place(node)];
    if (found.op == Op::constant) {
      const std::uint8_t n = numbers_used_++;
      instruction.number[n] = found.value;
      return {Operand::Kind::number, n};
    }
    const int array = available_.array_of(tree_, node);
    if (array >= 0) {
      program_.fields.push_back(array);
      return {Operand::Kind::array, static_cast<std::uint8_t>(array)};
    }
    return {Operand::Kind::register_, static_cast<std::uint8_t>(register_.at(node))};
  }

  void release(int node) {
    if (--uses_[place(node)] > 0 || is_free(node)) return;
    free_.push_back(register_.at(node));
  }

  int take_register() {
    if (free_.empty()) return registers_++;
    const auto lowest = std::min_element(free_.begin(), free_.end());
    const int result = *lowest;
    free_.erase(lowest);
    return result;
  }

  void write(int node) {
    const Node& found = nodes_[place(node)];
    Instruction instruction;
    instruction.op = found.op;
    instruction.slot = found.slot;
    numbers_used_ = 0;
    if (const auto number = available_.numbers.find(node); number != available_.numbers.end()) {
      instruction.op = Op::input;
      instruction.slot = Program::slot_fields + available_.array_count + number->second;
      program_.numbers.push_back(number->second);
    } else if (found.op == Op::input) {
      if (found.slot < Program::slot_time) program_.uses_coordinates = true;
      if (found.slot == Program::slot_time) program_.uses_time = true;
    } else if (found.op == Op::uniform || found.op == Op::normal) {
      program_.uses_random = true;
    } else {
      write_operands(instruction, node);
    }
    for (const int child : operands(node)) release(child);
    const int out = take_register();
    instruction.out = static_cast<std::uint8_t>(std::min(out, 255));
    register_[node] = out;
    program_.code.push_back(instruction);
    if (!available_.needed_by.empty())
      program_.needed_by.push_back(available_.needed_by[place(node)]);
  }

  // Both operands of a sum or product: a number in second place where the order does not matter.
  void write_pair(Instruction& instruction, int node) {
    const Node& found = nodes_[place(node)];
    instruction.op = found.op;
    int a = found.children[0], b = found.children[1];
    if (found.op != Op::subtract && tree_.is_constant(a)) std::swap(a, b);
    instruction.a = operand(instruction, a);
    instruction.b = operand(instruction, b);
  }

  void write_stencil(Instruction& instruction, int node) {
    const Node& found = nodes_[place(node)];
    const Stencil stencil = Stencil::unpacked(found.slot);
    instruction.op = Op::stencil;
    instruction.slot = found.slot;
    const auto array = [&](int child) {
      return Operand{Operand::Kind::array,
                     static_cast<std::uint8_t>(available_.array_of(tree_, child))};
    };
    // A velocity that is the same everywhere is a number.
    const bool is_value = stencil.first_is_value() || (stencil.kind == StencilKind::flux &&
                                                       tree_.is_constant(found.children[0]));
    instruction.a = is_value ? operand(instruction, found.children[0]) : array(found.children[0]);
    if (stencil.operands() == 2) instruction.b = array(found.children[1]);
    const auto same = [&](const Stencil& other) { return other.packed() == found.slot; };
    auto& all = program_.stencils;
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(stencil);
  }

  void write_operands(Instruction& instruction, int node) {
    const Node& found = nodes_[place(node)];
    if (found.op == Op::stencil) return write_stencil(instruction, node);
    if (is_sum_or_product(found.op)) {
      for (const int n : {0, 1}) {
        const int child = found.children[n];
        if (!is_absorbed(child)) continue;
        const int other = found.children[1 - n];
        const Node& inner = nodes_[place(child)];
        if (inner.op == Op::stencil) {
          write_stencil(instruction, child);
          if (found.op == Op::multiply) {
            instruction.b = operand(instruction, other);
            return;
          }
        } else if (is_absorbed(inner.children[0]) || is_absorbed(inner.children[1])) {
          const int m = is_absorbed(inner.children[0]) ? 0 : 1;
          write_stencil(instruction, inner.children[m]);
          instruction.b = operand(instruction, inner.children[1 - m]);
        } else {
          write_pair(instruction, child);
        }
        instruction.then = found.op;
        instruction.swapped = n == 1 && found.op == Op::subtract;
        instruction.c = operand(instruction, other);
        return;
      }
      return write_pair(instruction, node);
    }
    Operand* const places[] = {&instruction.a, &instruction.b, &instruction.c};
    for (int n = 0; n < 3; ++n)
      if (found.children[n] >= 0) *places[n] = operand(instruction, found.children[n]);
  }

  Operand output(int root) {
    const Node& found = nodes_[place(root)];
    if (found.op == Op::constant) {
      program_.constants.push_back(found.value);
      return {Operand::Kind::number, static_cast<std::uint8_t>(program_.constants.size() - 1)};
    }
    const int array = available_.array_of(tree_, root);
    if (array >= 0) {
      program_.fields.push_back(array);
      return {Operand::Kind::array, static_cast<std::uint8_t>(array)};
    }
    return {Operand::Kind::register_, static_cast<std::uint8_t>(register_.at(root))};
  }

  const Tree& tree_;
  std::vector<Node> nodes_;  // of the tree, definitions seen through
  const Available& available_;
  bool fuse_;
  Program program_;
  std::vector<int> uses_, need_;
  std::vector<bool> absorbed_;
  std::map<int, int> register_;
  std::vector<int> free_;
  int registers_ = 0;
  std::uint8_t numbers_used_ = 0;
};

}  // namespace

Program generate(const Tree& tree, const std::vector<int>& roots, const Available& available,
                 bool fuse) {
  return Generator(tree, available, fuse).program(roots);
}

}  // namespace xp::detail
