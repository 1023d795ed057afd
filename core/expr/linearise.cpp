#include <xp/expr/linearise.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <xp/expr/apply.hpp>
#include <xp/expr/listing.hpp>
#include <xp/expr/parser.hpp>

namespace xp {
namespace {

using detail::Node;
using detail::Tree;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Beyond these the analysis would take minutes, or all memory.
constexpr std::size_t most_nodes = 50000;
constexpr std::size_t most_coefficients = 200000;
constexpr std::size_t most_stencils = 10000;

// A field, and the stencils that are applied to its change.
using Key = std::pair<int, std::vector<std::int32_t>>;
using Change = std::map<Key, int>;  // to the node of the coefficient

class Differentiator {
 public:
  Differentiator(Tree& tree, int fields) : tree_(tree), fields_(fields) {}

  const Change& change(int root) {
    // Children come before their parents; what is made on the way comes after all of them.
    for (int node = static_cast<int>(changes_.size()); node <= root; ++node) {
      const Node copy = tree_.nodes()[static_cast<std::size_t>(node)];
      changes_.push_back(change_of(node, copy));
    }
    return changes_[static_cast<std::size_t>(root)];
  }
  bool is_complete() const { return complete_; }

 private:
  int op(Op op, int a, int b = -1, int c = -1) { return tree_.operation(op, a, b, c); }
  int number(double value) { return tree_.constant(value); }

  void add(Change& sum, const Key& key, int coefficient) {
    if (tree_.is_constant(coefficient, 0)) return;
    if (tree_.nodes().size() > most_nodes || coefficients_ > most_coefficients) {
      complete_ = false;
      return;
    }
    const auto [found, is_new] = sum.emplace(key, coefficient);
    if (is_new)
      coefficients_ += 1 + key.second.size();
    else
      found->second = op(Op::add, found->second, coefficient);
  }
  int times(int a, int b) {
    if (tree_.is_constant(a, 1)) return b;
    if (tree_.is_constant(b, 1)) return a;
    if (tree_.is_constant(a, 0) || tree_.is_constant(b, 0)) return number(0);
    return op(Op::multiply, a, b);
  }
  // sum += factor * stencil(change of child)
  void add_child(Change& sum, int child, int factor, const Stencil* stencil = nullptr) {
    if (child < 0) return;
    if (!complete_) return;
    for (const auto& [key, coefficient] : changes_[static_cast<std::size_t>(child)]) {
      Key all = key;
      if (stencil != nullptr) all.second.insert(all.second.begin(), stencil->packed());
      add(sum, all, times(factor, coefficient));
    }
  }

  Change change_of(int node, const Node& n) {
    Change sum;
    const int a = n.children[0], b = n.children[1], c = n.children[2];
    const auto one = [&](int factor) { add_child(sum, a, factor); };
    switch (n.op) {
      case Op::input:
        if (n.slot >= Program::slot_fields && n.slot < Program::slot_fields + fields_)
          sum[{n.slot - Program::slot_fields, {}}] = number(1);
        break;
      case Op::add:
        one(number(1));
        add_child(sum, b, number(1));
        break;
      case Op::subtract:
        one(number(1));
        add_child(sum, b, number(-1));
        break;
      case Op::definition:
        one(number(1));
        break;
      case Op::negate:
        one(number(-1));
        break;
      case Op::multiply:
        one(b);
        add_child(sum, b, a);
        break;
      case Op::divide:
        one(op(Op::divide, number(1), b));
        add_child(sum, b, op(Op::negate, op(Op::divide, node, b)));
        break;
      case Op::power:
        one(times(b, op(Op::power, a, op(Op::subtract, b, number(1)))));
        if (!tree_.is_constant(b)) add_child(sum, b, times(node, op(Op::log, a)));
        break;
      case Op::exp:
        one(node);
        break;
      case Op::log:
        one(op(Op::divide, number(1), a));
        break;
      case Op::log10:
        one(op(Op::divide, number(0.43429448190325182765), a));
        break;
      case Op::sqrt:
        one(op(Op::divide, number(0.5), node));
        break;
      case Op::cbrt:
        one(op(Op::divide, number(1. / 3), op(Op::multiply, node, node)));
        break;
      case Op::sin:
        one(op(Op::cos, a));
        break;
      case Op::cos:
        one(op(Op::negate, op(Op::sin, a)));
        break;
      case Op::tan:
        one(op(Op::add, number(1), op(Op::multiply, node, node)));
        break;
      case Op::asin:
      case Op::acos:
        one(op(Op::divide, number(n.op == Op::asin ? 1 : -1),
               op(Op::sqrt, op(Op::subtract, number(1), op(Op::multiply, a, a)))));
        break;
      case Op::atan:
        one(op(Op::divide, number(1), op(Op::add, number(1), op(Op::multiply, a, a))));
        break;
      case Op::sinh:
        one(op(Op::cosh, a));
        break;
      case Op::cosh:
        one(op(Op::sinh, a));
        break;
      case Op::tanh:
        one(op(Op::subtract, number(1), op(Op::multiply, node, node)));
        break;
      case Op::erf:
        one(op(Op::multiply, number(1.1283791670955126),
               op(Op::exp, op(Op::negate, op(Op::multiply, a, a)))));
        break;
      case Op::abs:
        one(op(Op::sign, a));
        break;
      case Op::mod:
        one(number(1));
        break;
      case Op::min:
      case Op::max: {
        const int first = n.op == Op::min ? op(Op::less_equal, a, b) : op(Op::greater_equal, a, b);
        one(first);
        add_child(sum, b, op(Op::subtract, number(1), first));
        break;
      }
      case Op::hypot:
        one(op(Op::divide, a, node));
        add_child(sum, b, op(Op::divide, b, node));
        break;
      case Op::atan2: {
        const int square = op(Op::add, op(Op::multiply, a, a), op(Op::multiply, b, b));
        one(op(Op::divide, b, square));
        add_child(sum, b, op(Op::negate, op(Op::divide, a, square)));
        break;
      }
      case Op::select:
        add_child(sum, b, op(Op::select, a, number(1), number(0)));
        add_child(sum, c, op(Op::select, a, number(0), number(1)));
        break;
      case Op::clamp:
        one(op(Op::logical_and, op(Op::greater_equal, a, b), op(Op::less_equal, a, c)));
        break;
      case Op::stencil: {
        const Stencil stencil = Stencil::unpacked(n.slot);
        const Stencil first{StencilKind::first, stencil.axis, 0};
        const Stencil second{StencilKind::second, stencil.axis, 0};
        const Stencil flux{StencilKind::flux, stencil.axis, 0};
        if (stencil.kind == StencilKind::diffusion) {
          add_child(sum, b, a, &second);
          add_child(sum, a, tree_.stencil(first, b), &first);
        } else if (stencil.kind == StencilKind::flux) {
          add_child(sum, b, a, &flux);
          add_child(sum, a, b, &first);
        } else if (stencil.kind == StencilKind::upwind) {
          add_child(sum, b, a, &flux);
          add_child(sum, a, tree_.stencil(first, b));
        } else {
          add_child(sum, a, number(1), &stencil);
        }
        break;
      }
      default:  // constants, comparisons, steps and reductions
        break;
    }
    return sum;
  }

  Tree& tree_;
  int fields_;
  std::vector<Change> changes_;
  std::size_t coefficients_ = 0;  // in all changes, with their stencils
  bool complete_ = true;
};

// Is every node of the tree a sum of fields with factors that know none?
bool is_linear_in(const Tree& tree, int fields) {
  std::vector<bool> knows;  // a field
  for (const Node& node : tree.nodes()) {
    const auto of = [&](int n) {
      const int child = node.children[n];
      return child >= 0 && knows[static_cast<std::size_t>(child)];
    };
    const bool a = of(0), b = of(1), c = of(2);
    knows.push_back(a || b || c ||
                    (node.op == Op::input && node.slot >= Program::slot_fields &&
                     node.slot < Program::slot_fields + fields));
    if (!a && !b && !c) continue;
    switch (node.op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
      case Op::definition:
        break;
      case Op::multiply:
        if (a && b) return false;
        break;
      case Op::divide:
        if (b) return false;
        break;
      case Op::select:
        if (a) return false;
        break;
      case Op::stencil:
        if (Stencil::unpacked(node.slot).operands() == 2 && a) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

Interval hull(std::initializer_list<double> values) {
  Interval result{infinity, -infinity};
  for (const double value : values) {
    if (std::isnan(value)) return {-infinity, infinity};
    result.lower = std::min(result.lower, value);
    result.upper = std::max(result.upper, value);
  }
  return result;
}

double product(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

Interval power(const Interval& a, double exponent) {
  const bool whole = exponent == std::floor(exponent);
  if (exponent < 0 && a.lower <= 0 && a.upper >= 0) return {-infinity, infinity};
  const double low = std::pow(a.lower, exponent), high = std::pow(a.upper, exponent);
  if (!whole && a.lower < 0) return {-infinity, infinity};
  if (whole && std::fmod(exponent, 2) == 0 && a.lower < 0 && a.upper > 0)
    return {0, std::max(low, high)};
  return hull({low, high});
}

// The range of an operation's value, from those of its operands.
Interval range(const Node& n, const Interval& a, const Interval& b, const Interval& c) {
  const auto monotone = [&] {
    return hull({apply(n.op, a.lower, 0, 0), apply(n.op, a.upper, 0, 0)});
  };
  switch (n.op) {
    case Op::definition:
      return a;
    case Op::add:
      return {a.lower + b.lower, a.upper + b.upper};
    case Op::subtract:
      return {a.lower - b.upper, a.upper - b.lower};
    case Op::multiply:
      if (n.children[0] == n.children[1]) return power(a, 2);
      return hull({product(a.lower, b.lower), product(a.lower, b.upper), product(a.upper, b.lower),
                   product(a.upper, b.upper)});
    case Op::divide:
      if (b.lower <= 0 && b.upper >= 0) return {-infinity, infinity};
      return hull({a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper});
    case Op::power:
      if (b.lower == b.upper) return power(a, b.lower);
      if (a.lower > 0)
        return hull({std::pow(a.lower, b.lower), std::pow(a.lower, b.upper),
                     std::pow(a.upper, b.lower), std::pow(a.upper, b.upper)});
      return {-infinity, infinity};
    case Op::negate:
      return {-a.upper, -a.lower};
    case Op::exp:
    case Op::log:
    case Op::log10:
    case Op::sqrt:
    case Op::cbrt:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::erf:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::heaviside:
      return monotone();
    case Op::sin:
    case Op::cos:
      if (a.lower == a.upper) return monotone();
      return {-1, 1};
    case Op::tan:
      return a.lower > -1.57 && a.upper < 1.57 ? monotone() : Interval{-infinity, infinity};
    case Op::mod:
      return {std::min(0.0, b.lower), std::max(0.0, b.upper)};
    case Op::cosh:
      return a.lower <= 0 && a.upper >= 0 ? Interval{1, std::cosh(std::max(-a.lower, a.upper))}
                                          : monotone();
    case Op::abs:
      return a.lower <= 0 && a.upper >= 0 ? Interval{0, std::max(-a.lower, a.upper)} : monotone();
    case Op::min:
      return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    case Op::max:
      return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    case Op::select:
      if (a.lower == 0 && a.upper == 0) return c;
      if (a.lower > 0 || a.upper < 0) return b;
      return {std::min(b.lower, c.lower), std::max(b.upper, c.upper)};
    case Op::less:
    case Op::less_equal:
      if (a.upper < b.lower) return {1, 1};
      if (a.lower > b.upper) return {0, 0};
      return {0, 1};
    case Op::greater:
    case Op::greater_equal:
      if (a.lower > b.upper) return {1, 1};
      if (a.upper < b.lower) return {0, 0};
      return {0, 1};
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return {0, 1};
    case Op::hypot: {
      const auto most = [](const Interval& i) {
        return std::max(std::abs(i.lower), std::abs(i.upper));
      };
      return {0, std::hypot(most(a), most(b))};
    }
    case Op::atan2:
      return {-3.1415926535897932, 3.1415926535897932};
    case Op::clamp:
      return {std::max(a.lower, b.lower), std::min(a.upper, c.upper)};
    default:
      return {-infinity, infinity};
  }
}

}  // namespace

struct Linearised::Graph {
  struct Term {
    int equation, field;
    std::vector<Stencil> stencils;
    int coefficient;
  };
  Graph(const Symbols& all, int count) : symbols(all), parse(symbols, true), fields(count) {}

  Symbols symbols;
  detail::Parse parse;
  int fields;
  std::vector<Term> terms;
};

Linearised::~Linearised() = default;
Linearised::Linearised(Linearised&&) noexcept = default;

Linearised::Linearised(const std::vector<Request>& requests, const Symbols& symbols)
    : graph_(std::make_unique<Graph>(symbols, static_cast<int>(symbols.fields.size()))) {
  std::vector<int> roots;
  for (const Request& request : requests) {
    const detail::Value value =
        detail::Parser(request.text, graph_->parse).parse(request.is_vector, request.what);
    if (request.is_vector)
      for (int axis = 0; axis < symbols.dimensions; ++axis)
        roots.push_back(graph_->parse.calculus.component(value, axis));
    else
      roots.push_back(value.node);
  }
  Tree& tree = graph_->parse.tree;
  linear_ = is_linear_in(tree, static_cast<int>(symbols.fields.size()));
  Differentiator differentiator(tree, graph_->fields);
  std::size_t stencils = 0;
  for (std::size_t n = 0; n < roots.size(); ++n)
    for (const auto& [key, coefficient] : differentiator.change(roots[n])) {
      if (tree.is_constant(coefficient, 0)) continue;
      Graph::Term term{static_cast<int>(n), key.first, {}, coefficient};
      for (const std::int32_t packed : key.second)
        term.stencils.push_back(Stencil::unpacked(packed));
      stencils += key.second.size();
      changes_ = changes_ || !tree.is_constant(coefficient);
      graph_->terms.push_back(std::move(term));
    }
  complete_ = differentiator.is_complete() && stencils <= most_stencils;
  for (const Node& node : tree.nodes())
    timed_ = timed_ || (node.op == Op::input && node.slot == Program::slot_time);
}

std::string Linearised::describe(int number) const {
  const Graph::Term& term = graph_->terms[static_cast<std::size_t>(number)];
  const std::vector<std::string>& names = graph_->symbols.fields;
  std::string change = names[static_cast<std::size_t>(term.field)];
  for (auto stencil = term.stencils.rbegin(); stencil != term.stencils.rend(); ++stencil) {
    // A flux is the derivative of what is carried.
    const bool is_flux = stencil->kind == StencilKind::flux;
    change = name_of(is_flux ? Stencil{StencilKind::first, stencil->axis, 0} : *stencil) + "(" +
             change + ")";
  }
  return "the coefficient " + detail::text_of(graph_->parse.tree, term.coefficient, names) +
         " of " + change + " in d/dt " + names[static_cast<std::size_t>(term.equation)];
}

LinearTerms Linearised::terms(const std::vector<Interval>& fields,
                              const std::array<Interval, 3>& coordinates, double time) const {
  const auto& nodes = graph_->parse.tree.nodes();
  std::vector<Interval> ranges(nodes.size());
  const auto of = [&](int child) {
    return child < 0 ? Interval{} : ranges[static_cast<std::size_t>(child)];
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    Interval& here = ranges[n];
    if (node.op == Op::constant) {
      here = {node.value, node.value};
    } else if (node.op == Op::input) {
      if (node.slot < Program::slot_time)
        here = coordinates[static_cast<std::size_t>(node.slot)];
      else if (node.slot == Program::slot_time)
        here = {time, time};
      else
        here = fields[static_cast<std::size_t>(node.slot - Program::slot_fields)];
    } else if (node.op == Op::stencil) {
      here = {0, 0};
    } else if (node.op == Op::reduction) {
      here = of(node.children[0]);
      const auto kind = static_cast<Reduction::Kind>(node.slot);
      double volume = 1;
      for (int axis = 0; axis < graph_->symbols.dimensions; ++axis)
        volume *= coordinates[static_cast<std::size_t>(axis)].upper -
                  coordinates[static_cast<std::size_t>(axis)].lower;
      if (kind == Reduction::Kind::integral) here = {volume * here.lower, volume * here.upper};
      if (kind == Reduction::Kind::norm)
        here = {0, std::max(std::abs(here.lower), std::abs(here.upper))};
    } else {
      here = range(node, of(node.children[0]), of(node.children[1]), of(node.children[2]));
    }
  }
  LinearTerms result;
  for (std::size_t n = 0; n < graph_->terms.size(); ++n) {
    const Graph::Term& term = graph_->terms[n];
    const Interval& coefficient = of(term.coefficient);
    const int number = static_cast<int>(n);
    if (!std::isfinite(coefficient.lower) || !std::isfinite(coefficient.upper))
      result.unbounded.push_back(number);
    else if (coefficient.lower != 0 || coefficient.upper != 0)
      result.bounded.push_back({term.equation, term.field, term.stencils, coefficient, number});
  }
  return result;
}

}  // namespace xp
