#include <xp/expr/calculus.hpp>

#include <map>

namespace xp::detail {

Value Calculus::vector(const std::array<int, 3>& components) const {
  return {-1, {VectorTerm{false, false, -1, components}}};
}

Value Calculus::sum(const Value& a, const Value& b, bool negative) {
  Value result = a;
  for (VectorTerm term : b.terms) {
    term.negative = term.negative != negative;
    result.terms.push_back(term);
  }
  return result;
}

Value Calculus::negated(const Value& a) {
  Value result = a;
  for (VectorTerm& term : result.terms) term.negative = !term.negative;
  return result;
}

Value Calculus::scaled(int factor, const Value& vector, bool divides) {
  Value result = vector;
  for (VectorTerm& term : result.terms) {
    if (term.factor < 0) {
      term.factor = factor;
      term.divides = divides;
    } else if (term.divides == divides) {
      term.factor = tree_.operation(Op::multiply, factor, term.factor);
    } else {
      term.factor = divides ? tree_.operation(Op::divide, term.factor, factor)
                            : tree_.operation(Op::divide, factor, term.factor);
      term.divides = false;
    }
  }
  return result;
}

int Calculus::add(int sum, int node, bool negative) {
  if (sum < 0) return negative ? tree_.operation(Op::negate, node) : node;
  return tree_.operation(negative ? Op::subtract : Op::add, sum, node);
}

int Calculus::component(const Value& vector, int axis) {
  int result = -1;
  for (const VectorTerm& term : vector.terms) {
    int node = term.base[static_cast<std::size_t>(axis)];
    if (term.factor >= 0)
      node = term.divides ? tree_.operation(Op::divide, node, term.factor)
                          : tree_.operation(Op::multiply, term.factor, node);
    result = add(result, node, term.negative);
  }
  return result;
}

bool Calculus::varies(int node) {
  const auto& nodes = tree_.nodes();
  for (std::size_t n = varies_.size(); n < nodes.size(); ++n) {
    bool result = nodes[n].op == Op::uniform || nodes[n].op == Op::normal ||
                  (nodes[n].op == Op::input && nodes[n].slot != Program::slot_time);
    if (nodes[n].op != Op::reduction)
      for (const int child : nodes[n].children)
        result = result || (child >= 0 && varies_[static_cast<std::size_t>(child)] != 0);
    varies_.push_back(result ? 1 : 0);
  }
  return varies_[static_cast<std::size_t>(node)] != 0;
}

int Calculus::apply(const Stencil& stencil, int a, int b) {
  if (!varies(stencil.operands() == 2 ? b : a)) {
    // The flux of something that is the same everywhere is that of the velocity alone.
    if (stencil.kind == StencilKind::flux && varies(a))
      return tree_.operation(Op::multiply, b, derivative(stencil.axis, a));
    return tree_.constant(0);
  }
  return tree_.stencil(stencil, a, b);
}

int Calculus::second_derivative(int axis, int other, int a) {
  if (axis == other) return apply({StencilKind::second, axis_of(axis), 0}, a);
  return apply({StencilKind::mixed, axis_of(axis < other ? axis : other),
                axis_of(axis < other ? other : axis)},
               a);
}

Value Calculus::gradient(int a) {
  std::array<int, 3> result{-1, -1, -1};
  for (int axis = 0; axis < dimensions_; ++axis)
    result[static_cast<std::size_t>(axis)] = derivative(axis, a);
  return vector(result);
}

Value Calculus::laplacian(const Value& a) {
  return each(a, [&](int node) { return apply({StencilKind::laplacian, 0, 0}, node); });
}

int Calculus::differentiated(int node, int axis) const {
  const Node& found = tree_.nodes()[static_cast<std::size_t>(node)];
  const bool is_it = found.op == Op::stencil &&
                     found.slot == Stencil{StencilKind::first, axis_of(axis), 0}.packed();
  return is_it ? found.children[0] : -1;
}

// d/dx (coefficient * da/dx); -1 for no coefficient.
int Calculus::diffusion(int axis, int coefficient, int a) {
  if (coefficient >= 0 && varies(coefficient))
    return apply({StencilKind::diffusion, axis_of(axis), 0}, coefficient, a);
  const int second = second_derivative(axis, axis, a);
  return coefficient < 0 ? second : tree_.operation(Op::multiply, coefficient, second);
}

// Of a node that is no sum.
int Calculus::along_term(int axis, int node) {
  const Node found = tree_.nodes()[static_cast<std::size_t>(node)];
  const auto holds = [&](int child) { return differentiated(child, axis) >= 0; };
  if (holds(node)) return diffusion(axis, -1, differentiated(node, axis));
  if (found.op == Op::multiply)
    for (const int n : {0, 1})
      if (holds(found.children[n]))
        return diffusion(axis, found.children[1 - n], differentiated(found.children[n], axis));
  return derivative(axis, node);
}

// d/dx of a vector's component that was written as a scalar. Sums may be long: no recursion.
int Calculus::along(int axis, int root) {
  std::map<int, int> made;
  std::vector<int> open{root};
  while (!open.empty()) {
    const int node = open.back();
    const Node found = tree_.nodes()[static_cast<std::size_t>(node)];
    const bool is_sum = found.op == Op::negate || found.op == Op::add || found.op == Op::subtract;
    const std::size_t before = open.size();
    if (is_sum)
      for (const int child : {found.children[1], found.children[0]})
        if (child >= 0 && made.count(child) == 0) open.push_back(child);
    if (open.size() > before) continue;
    open.pop_back();
    if (made.count(node) > 0) continue;
    const int second = found.children[1];
    made[node] = is_sum ? tree_.operation(found.op, made.at(found.children[0]),
                                          second < 0 ? -1 : made.at(second))
                        : along_term(axis, node);
  }
  return made.at(root);
}

int Calculus::along(int axis, const VectorTerm& term) {
  const int base = term.base[static_cast<std::size_t>(axis)];
  if (term.factor < 0) return along(axis, base);
  const int factor =
      term.divides ? tree_.operation(Op::divide, tree_.constant(1), term.factor) : term.factor;
  if (differentiated(base, axis) >= 0) return diffusion(axis, factor, differentiated(base, axis));
  if (tree_.is_constant(base, 0)) return base;
  return apply({StencilKind::flux, axis_of(axis), 0}, base, factor);
}

int Calculus::divergence(const Value& vector) {
  int result = -1;
  for (const VectorTerm& term : vector.terms) {
    // A whole gradient: the compact laplacian.
    const int a = differentiated(term.base[0], 0);
    bool whole = a >= 0 && (term.factor < 0 || (!varies(term.factor) && !term.divides));
    for (int axis = 1; axis < dimensions_; ++axis)
      whole = whole && differentiated(term.base[static_cast<std::size_t>(axis)], axis) == a;
    int node = -1;
    if (whole) {
      node = apply({StencilKind::laplacian, 0, 0}, a);
      if (term.factor >= 0) node = tree_.operation(Op::multiply, term.factor, node);
    } else {
      for (int axis = 0; axis < dimensions_; ++axis) {
        const int part = along(axis, term);
        if (node < 0 || !tree_.is_constant(part, 0)) node = add(node, part, false);
      }
    }
    result = add(result, node, term.negative);
  }
  return result;
}

Value Calculus::curl(const Value& vector) {
  const auto difference = [&](int a, int b) {
    return tree_.operation(Op::subtract, derivative(a, component(vector, b)),
                           derivative(b, component(vector, a)));
  };
  if (dimensions_ == 2) return scalar(difference(0, 1));
  return this->vector({difference(1, 2), difference(2, 0), difference(0, 1)});
}

Value Calculus::cross(const Value& a, const Value& b) {
  const auto part = [&](int i, int j) {
    return tree_.operation(Op::subtract,
                           tree_.operation(Op::multiply, component(a, i), component(b, j)),
                           tree_.operation(Op::multiply, component(a, j), component(b, i)));
  };
  if (dimensions_ == 2) return scalar(part(0, 1));
  return vector({part(1, 2), part(2, 0), part(0, 1)});
}

int Calculus::dot(const Value& a, const Value& b) {
  int result = -1;
  for (int axis = 0; axis < dimensions_; ++axis)
    result =
        add(result, tree_.operation(Op::multiply, component(a, axis), component(b, axis)), false);
  return result;
}

int Calculus::advect(const Value& velocity, int a) {
  int result = -1;
  for (int axis = 0; axis < dimensions_; ++axis) {
    const int along = component(velocity, axis);
    const int part = tree_.is_constant(along, 0)
                         ? along
                         : apply({StencilKind::upwind, axis_of(axis), 0}, along, a);
    if (result < 0 || !tree_.is_constant(part, 0)) result = add(result, part, false);
  }
  return result;
}

}  // namespace xp::detail
