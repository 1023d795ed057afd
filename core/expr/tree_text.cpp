// Graphs as text.
#include <utility>

#include <fmt/format.h>

#include <xp/expr/names.hpp>
#include <xp/expr/tree.hpp>

namespace xp::detail {
namespace {

constexpr std::size_t longest_text = 200;
constexpr int deepest_text = 200;

// How tightly an operation binds.
enum Level { weakest, disjunction, conjunction, comparison, sum, product, sign, power, primary };

struct Infix {
  Op op;
  const char* text;
  Level level;
};
constexpr Infix infixes[] = {{Op::add, " + ", sum},
                             {Op::subtract, " - ", sum},
                             {Op::multiply, "*", product},
                             {Op::divide, "/", product},
                             {Op::power, "^", power},
                             {Op::less, " < ", comparison},
                             {Op::less_equal, " <= ", comparison},
                             {Op::greater, " > ", comparison},
                             {Op::greater_equal, " >= ", comparison},
                             {Op::equal, " == ", comparison},
                             {Op::not_equal, " != ", comparison},
                             {Op::logical_and, " and ", conjunction},
                             {Op::logical_or, " or ", disjunction}};

class Writer {
 public:
  Writer(const Tree& tree, const std::vector<std::string>& names) : tree_(tree), names_(names) {}

  std::string text(int node, Level around, bool whole = false) {
    // A long sum is deep, and its first terms are the deepest.
    if (length_ > longest_text || depth_ > deepest_text) return "...";
    const Node& found = tree_.nodes()[static_cast<std::size_t>(node)];
    if (!whole && !tree_.name(node).empty() && found.op != Op::constant) return tree_.name(node);
    if (found.op == Op::definition) return text(found.children[0], around, true);
    ++depth_;
    std::string result;
    Level level = primary;
    if (const auto [base, exponent] = power_of(node); exponent > 1) {
      level = power;
      result = text(base, primary) + "^" + std::to_string(exponent);
    }
    for (const Infix& infix : infixes)
      if (result.empty() && infix.op == found.op) {
        level = infix.level;
        result = text(found.children[0], level) + infix.text +
                 text(found.children[1], static_cast<Level>(level + 1));
      }
    if (found.op == Op::negate || found.op == Op::logical_not) {
      level = sign;
      result = (found.op == Op::negate ? "-" : "not ") + text(found.children[0], sign);
    } else if (result.empty()) {
      result = call(found);
    }
    --depth_;
    length_ += 2;
    return level < around ? "(" + result + ")" : result;
  }

 private:
  // Small powers have been made products (Tree::operation): the base, and the exponent or 1.
  std::pair<int, int> power_of(int node) const {
    const auto square_of = [&](int of) {
      const Node& found = tree_.nodes()[static_cast<std::size_t>(of)];
      return found.op == Op::multiply && found.children[0] == found.children[1] ? found.children[0]
                                                                                : -1;
    };
    const Node& found = tree_.nodes()[static_cast<std::size_t>(node)];
    if (found.op != Op::multiply) return {node, 1};
    const int a = found.children[0], b = found.children[1];
    if (square_of(a) == b) return {b, 3};
    if (a != b) return {node, 1};
    const int base = tree_.name(a).empty() ? square_of(a) : -1;
    return base >= 0 ? std::pair{base, 4} : std::pair{a, 2};
  }

  std::string call(const Node& node) {
    if (node.op == Op::constant) return fmt::format("{}", node.value);
    if (node.op == Op::input) {
      if (node.slot < Program::slot_time) return std::string(1, "xyz"[node.slot]);
      if (node.slot == Program::slot_time) return "t";
      return names_[static_cast<std::size_t>(node.slot - Program::slot_fields)];
    }
    if (node.op == Op::uniform) return "uniform(0, 1)";
    if (node.op == Op::normal) return "normal(0, 1)";
    if (node.op == Op::stencil) return stencil(node);
    if (node.op == Op::reduction) {
      constexpr const char* kinds[] = {"integral", "mean", "min", "max", "norm"};
      return std::string(kinds[node.slot]) + "(" + text(node.children[0], weakest) + ")";
    }
    std::string result;
    for (const Function& function : functions())
      if (function.op == node.op) result = function.name;
    const char* before = "(";
    for (const int child : node.children) {
      if (child < 0) continue;
      result += before + text(child, weakest);
      before = ", ";
    }
    return result + ")";
  }

  std::string stencil(const Node& node) {
    const Stencil stencil = Stencil::unpacked(node.slot);
    const char axis = "xyz"[stencil.axis], other = "xyz"[stencil.other];
    const std::string a = text(node.children[0], weakest);
    switch (stencil.kind) {
      case StencilKind::first:
        return fmt::format("d{}({})", axis, a);
      case StencilKind::second:
        return fmt::format("d{0}{0}({1})", axis, a);
      case StencilKind::mixed:
        return fmt::format("d{}{}({})", axis, other, a);
      case StencilKind::laplacian:
        return "laplacian(" + a + ")";
      case StencilKind::diffusion:
        return fmt::format("d{0}({1}*d{0}({2}))", axis, text(node.children[0], product),
                           text(node.children[1], weakest));
      case StencilKind::flux:
        return fmt::format("d{}({}*{})", axis, text(node.children[0], product),
                           text(node.children[1], power));
      case StencilKind::upwind:
        return fmt::format("{}*d{}({})", text(node.children[0], product), axis,
                           text(node.children[1], weakest));
    }
    return {};
  }

  const Tree& tree_;
  const std::vector<std::string>& names_;
  std::size_t length_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string text_of(const Tree& tree, int node, const std::vector<std::string>& names) {
  return Writer(tree, names).text(node, weakest, true);
}

}  // namespace xp::detail
