#include <xp/expr/plan.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <xp/expr/generate.hpp>
#include <xp/expr/lexer.hpp>

namespace xp::detail {
namespace {

bool is_costly(Op op) {
  switch (op) {
    case Op::power:
    case Op::exp:
    case Op::log:
    case Op::log10:
    case Op::cbrt:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::atan2:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::erf:
    case Op::hypot:
    case Op::mod:
      return true;
    default:
      return false;
  }
}

class Planner {
 public:
  Planner(const Tree& tree, const Symbols& symbols, const CompileOptions& options)
      : tree_(tree), nodes_(tree.nodes()), symbols_(symbols), options_(options) {
    available_.fields = static_cast<int>(symbols.fields.size());
    result_.fields = available_.fields;
  }

  Computation plan(const std::vector<int>& roots) {
    mark(roots);
    look_around();
    describe();
    choose();
    if (result_.arrays() > Program::max_arrays)
      throw Mistake::of_whole(0, 1,
                              "too many arrays are needed: " + std::to_string(result_.arrays()) +
                                  ", and at most " + std::to_string(Program::max_arrays) +
                                  " are possible",
                              "split the problem, or differentiate fewer expressions");
    if (result_.numbers > Program::max_numbers)
      throw Mistake::of_whole(0, 1,
                              "too many reductions and functions of t alone are needed: " +
                                  std::to_string(result_.numbers) + ", and at most " +
                                  std::to_string(Program::max_numbers) + " are possible");
    available_.array_count = result_.arrays();
    std::set<int> static_levels, levels;
    for (const auto& [node, array] : array_of_)
      (traits_[place(node)].is_static ? static_levels : levels).insert(traits_[place(node)].level);
    for (const int node : numbers_) levels.insert(group_of(node));
    for (const int level : static_levels) take(level, true);
    for (const int level : levels) take(level, false);
    result_.last = program(roots);
    for (const int root : roots) result_.is_number.push_back(!traits_[place(root)].varies);
    return std::move(result_);
  }

 private:
  // What is known of a node.
  struct Traits {
    bool needed = false;
    bool varies = false;       // from cell to cell
    bool is_static = true;     // does not depend on fields, time or numbers
    bool has_stencil = false;  // below it, arrays on the way included
    bool is_timed = false, is_random = false;
    int level = 0;  // steps that have to be taken before
    int cost = 0;   // costly operations to make it from what is in arrays
  };
  static std::size_t place(int node) { return static_cast<std::size_t>(node); }

  bool is_field(int node) const {
    const Node& found = nodes_[place(node)];
    return found.op == Op::input && found.slot >= Program::slot_fields;
  }

  void mark(const std::vector<int>& roots) {
    traits_.assign(nodes_.size(), {});
    std::vector<std::uint32_t>& needed_by = available_.needed_by;
    needed_by.assign(nodes_.size(), 0);
    for (std::size_t n = 0; n < roots.size(); ++n) {
      traits_[place(roots[n])].needed = true;
      if (n < 32) needed_by[place(roots[n])] |= std::uint32_t{1} << n;
    }
    for (int node = static_cast<int>(nodes_.size()) - 1; node >= 0; --node)
      if (traits_[place(node)].needed)
        for (const int child : nodes_[place(node)].children)
          if (child >= 0) {
            traits_[place(child)].needed = true;
            needed_by[place(child)] |= needed_by[place(node)];
          }
  }

  // Operands of a stencil that are read around the cell.
  std::vector<int> read_around(const Node& node) const {
    const Stencil stencil = Stencil::unpacked(node.slot);
    std::vector<int> list;
    for (int n = stencil.first_is_value() ? 1 : 0; n < stencil.operands(); ++n)
      if (!(stencil.kind == StencilKind::flux && n == 0 && tree_.is_constant(node.children[0])))
        list.push_back(node.children[n]);
    return list;
  }

  bool is_definition(int node) const { return nodes_[place(node)].op == Op::definition; }

  // What needs an array with ghost cells: operands of stencils, and definitions with boundary
  // conditions that such an operand is made of cell by cell.
  void look_around() {
    std::vector<bool> in_ghosts(nodes_.size(), false);
    for (int node = static_cast<int>(nodes_.size()) - 1; node >= 0; --node) {
      const Node& found = nodes_[place(node)];
      if (!traits_[place(node)].needed) continue;
      if (found.op == Op::stencil) {
        for (const int child : read_around(found)) {
          in_ghosts[place(child)] = true;
          if (!is_field(child)) around_.insert(child);
          reader_[child] = node;
        }
      } else if (in_ghosts[place(node)] && is_definition(node)) {
        around_.insert(node);
      } else if (in_ghosts[place(node)] && found.op != Op::reduction) {
        for (const int child : found.children)
          if (child >= 0) in_ghosts[place(child)] = true;
      }
    }
  }

  void describe() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      Traits& traits = traits_[n];
      if (!traits.needed) continue;
      const Node& node = nodes_[n];
      traits.varies = node.op == Op::stencil || node.op == Op::uniform || node.op == Op::normal ||
                      (node.op == Op::input && node.slot != Program::slot_time);
      traits.is_static =
          !(node.op == Op::input && node.slot >= Program::slot_time) && node.op != Op::reduction;
      traits.has_stencil = node.op == Op::stencil;
      traits.is_timed = node.op == Op::input && node.slot == Program::slot_time;
      traits.cost = is_costly(node.op) ? 1 : 0;
      for (const int child : node.children)
        if (child >= 0) traits.is_static = traits.is_static && traits_[place(child)].is_static;
      // It is a field of its own; the values at walls may change with the time.
      const bool is_own = node.op == Op::definition && around_.count(static_cast<int>(n)) > 0;
      traits.is_static = traits.is_static && !is_own;
      for (const int child : node.children) {
        if (child < 0) continue;
        const Traits& of = traits_[place(child)];
        if (node.op == Op::reduction) {
          traits.level = (of.is_static ? 0 : of.level) + 1;
          continue;
        }
        traits.varies = traits.varies || of.varies;
        traits.has_stencil = traits.has_stencil || (of.has_stencil && !is_own);
        traits.is_timed = traits.is_timed || of.is_timed;
        traits.cost = std::min(1000, traits.cost + of.cost);
        const bool stored =
            around_.count(child) > 0 && (node.op == Op::stencil || is_definition(child));
        // What is static is there before everything else.
        if (!of.is_static || traits.is_static)
          traits.level = std::max(traits.level, of.level + (stored ? 1 : 0));
      }
      if (node.op == Op::reduction) add_number(static_cast<int>(n));
    }
  }
  void add_number(int node) {
    available_.numbers[node] = result_.numbers++;
    numbers_.insert(node);
  }
  bool is_reduction(int node) const { return nodes_[place(node)].op == Op::reduction; }
  // The level at which a number is made.
  int group_of(int node) const { return traits_[place(node)].level - (is_reduction(node) ? 1 : 0); }

  void choose() {
    for (const int node : around_) add_array(node, true);
    if (!options_.optimise) return;
    // What is costly and the same in every step is kept, as large parts as possible.
    for (int node = static_cast<int>(nodes_.size()) - 1; node >= 0; --node) {
      const Traits& traits = traits_[place(node)];
      if (!options_.repeated || !traits.needed || array_of_.count(node) > 0) continue;
      bool parent_is_dynamic = false;
      for (const int parent : parents(node))
        parent_is_dynamic = parent_is_dynamic || !traits_[place(parent)].is_static;
      if (traits.is_static && traits.varies && traits.cost > 0 && parent_is_dynamic)
        add_array(node, false);
    }
    // Numbers that change with the time alone are found once, not once per cell.
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const int node = static_cast<int>(n);
      const Traits& traits = traits_[n];
      if (!traits.needed || traits.varies || traits.is_static || nodes_[n].op == Op::input ||
          nodes_[n].op == Op::reduction)
        continue;
      bool wanted = false;
      for (const int parent : parents(node)) wanted = wanted || traits_[place(parent)].varies;
      if (!wanted) continue;
      add_number(node);
    }
  }

  const std::vector<int>& parents(int node) {
    if (parents_.empty()) {
      parents_.resize(nodes_.size());
      for (std::size_t n = 0; n < nodes_.size(); ++n)
        if (traits_[n].needed)
          for (const int child : nodes_[n].children)
            if (child >= 0) parents_[place(child)].push_back(static_cast<int>(n));
    }
    return parents_[place(node)];
  }

  // A first derivative twice along an axis of what can be read around is a second one.
  std::string without_conditions(int node) const {
    const Node& inner = nodes_[place(node)];
    const Node& outer = nodes_[place(reader_.at(node))];
    if (inner.op != Op::stencil || inner.slot != outer.slot ||
        Stencil::unpacked(inner.slot).kind != StencilKind::first ||
        traits_[place(inner.children[0])].has_stencil)
      return {};
    const std::string axis(1, "xyz"[Stencil::unpacked(inner.slot).axis]);
    return "write d" + axis + axis + "(" + text_of(tree_, inner.children[0], symbols_.fields) +
           "), which needs none, or ";
  }

  void add_array(int node, bool is_read_around) {
    const Traits& traits = traits_[place(node)];
    Temporary temporary;
    temporary.text = tree_.name(node);
    if (temporary.text.empty()) temporary.text = text_of(tree_, node, symbols_.fields);
    temporary.is_static = traits.is_static;
    temporary.is_read_around = is_read_around;
    temporary.needed_by = available_.needed_by[place(node)];
    temporary.is_pointwise = !traits.has_stencil && !is_definition(node);
    if (is_read_around && is_definition(node)) temporary.conditions = tree_.name(node);
    if (is_read_around && traits.has_stencil && options_.walls) {
      const std::string name = tree_.name(node);
      const Tree::Place at = tree_.place(reader_.at(node));
      throw Mistake::of_whole(
          at.offset, at.length,
          name.empty() ? in_quotes(temporary.text) +
                             " is differentiated, and has no boundary "
                             "conditions of its own"
                       : "the definition " + in_quotes(name) +
                             " is differentiated, and has no boundary conditions",
          !name.empty() ? "give boundary_conditions." + name + ", as for a field"
                        : without_conditions(node) +
                              "give it a name in `definitions`, and that name boundary_conditions");
    }
    const int array = result_.arrays();
    result_.temporaries.push_back(std::move(temporary));
    array_of_[node] = array;
  }

  Program program(const std::vector<int>& roots) {
    Program program = generate(tree_, roots, available_, options_.optimise);
    if (program.empty())
      throw Mistake::of_whole(0, 1, "the expression is too complicated",
                              "split it or its definitions");
    return program;
  }

  // Everything of one level: numbers that the arrays may need, arrays, then reductions.
  void take(int level, bool is_static) {
    if (!is_static) take_numbers(level, false);
    std::vector<int> roots;
    Step step;
    for (const auto& [node, array] : array_of_) {
      const Traits& traits = traits_[place(node)];
      if (traits.level != level || traits.is_static != is_static) continue;
      roots.push_back(node);
      step.targets.push_back(array);
    }
    // Arrays whose ghost cells are computed, and those whose ghost cells are filled, apart: they
    // are made over different boxes. No more at once than a program has outputs.
    for (const bool pointwise : {true, false}) {
      Step part;
      std::vector<int> nodes;
      const auto finish = [&] {
        if (nodes.empty()) return;
        part.is_static = is_static;
        part.program = program(nodes);
        result_.steps.push_back(std::move(part));
        part = {};
        nodes.clear();
      };
      for (std::size_t n = 0; n < roots.size(); ++n) {
        const int array = step.targets[n];
        const Temporary& temporary =
            result_.temporaries[static_cast<std::size_t>(array - result_.fields)];
        if (temporary.is_pointwise != pointwise) continue;
        nodes.push_back(roots[n]);
        part.targets.push_back(array);
        part.text += (part.text.empty() ? "" : ", ") + temporary.text;
        if (nodes.size() == Program::max_outputs) finish();
      }
      finish();
    }
    for (std::size_t n = 0; n < roots.size(); ++n) available_.arrays[roots[n]] = step.targets[n];
    if (!is_static) take_numbers(level, true);
  }

  void take_numbers(int level, bool reductions) {
    for (const int node : numbers_)
      if (group_of(node) == level && is_reduction(node) == reductions) take_number(node);
  }

  void take_number(int node) {
    Step step;
    step.number = available_.numbers.at(node);
    step.text = text_of(tree_, node, symbols_.fields);
    step.needed_by = available_.needed_by[place(node)];
    // Its own program is made as if it were not there yet.
    available_.numbers.erase(node);
    if (is_reduction(node)) {
      step.kind = Step::Kind::reduction;
      step.reduction = static_cast<Reduction::Kind>(nodes_[place(node)].slot);
      step.program = program({nodes_[place(node)].children[0]});
    } else {
      step.kind = Step::Kind::number;
      step.program = program({node});
    }
    available_.numbers[node] = step.number;
    result_.steps.push_back(std::move(step));
  }

  const Tree& tree_;
  const std::vector<Node>& nodes_;
  const Symbols& symbols_;
  CompileOptions options_;
  std::vector<Traits> traits_;
  std::vector<std::vector<int>> parents_;
  std::set<int> around_;
  std::map<int, int> reader_;  // the first stencil that reads a node around the cell
  std::map<int, int> array_of_;
  std::set<int> numbers_;
  Available available_;
  Computation result_;
};

}  // namespace

Computation plan(const Tree& tree, const std::vector<int>& roots, const Symbols& symbols,
                 const CompileOptions& options) {
  return Planner(tree, symbols, options).plan(roots);
}

}  // namespace xp::detail
