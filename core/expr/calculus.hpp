// Scalars and vectors of an expression, and what differential operators make of them.
#pragma once

#include <array>
#include <vector>

#include <xp/expr/tree.hpp>

namespace xp::detail {

/// A part of a vector: sign * factor * base, or base / factor. What multiplies a vector is kept
/// apart from it: div() needs to know the transported quantity and the velocity, the coefficient
/// and the gradient.
struct VectorTerm {
  bool negative = false, divides = false;
  int factor = -1;                      // a node; -1: none
  std::array<int, 3> base{-1, -1, -1};  // nodes, one per dimension
};

/// A scalar (a node) or a vector (a sum of terms).
struct Value {
  int node = -1;
  std::vector<VectorTerm> terms;
  bool is_vector() const { return !terms.empty(); }
};

class Calculus {
 public:
  Calculus(Tree& tree, int dimensions) : tree_(tree), dimensions_(dimensions) {}

  // Ranks have been checked by the caller.
  Value scalar(int node) const { return {node, {}}; }
  Value vector(const std::array<int, 3>& components) const;
  Value sum(const Value& a, const Value& b, bool negative);
  Value negated(const Value& a);
  Value scaled(int factor, const Value& vector, bool divides);
  /// The node of a component of a vector.
  int component(const Value& vector, int axis);
  /// Does a node depend on the place?
  bool varies(int node);

  Value gradient(int a);
  int divergence(const Value& vector);
  Value laplacian(const Value& a);
  int derivative(int axis, int a) { return apply({StencilKind::first, axis_of(axis), 0}, a); }
  int second_derivative(int axis, int other, int a);
  /// A vector in 3-D, a scalar in 2-D.
  Value curl(const Value& vector);
  Value cross(const Value& a, const Value& b);
  int dot(const Value& a, const Value& b);
  /// velocity . grad(a)
  int advect(const Value& velocity, int a);
  /// Calls `f(axis, node)` for each component and makes a vector of what it returns.
  template <class F>
  Value each(const Value& a, const F& f) {
    if (!a.is_vector()) return scalar(f(a.node));
    std::array<int, 3> result{-1, -1, -1};
    for (int axis = 0; axis < dimensions_; ++axis)
      result[static_cast<std::size_t>(axis)] = f(component(a, axis));
    return vector(result);
  }

 private:
  static std::uint8_t axis_of(int axis) { return static_cast<std::uint8_t>(axis); }
  int apply(const Stencil& stencil, int a, int b = -1);
  /// The operand of a first derivative along an axis, or -1.
  int differentiated(int node, int axis) const;
  int diffusion(int axis, int coefficient, int a);
  int along(int axis, const VectorTerm& term);
  int along(int axis, int root);
  int along_term(int axis, int node);
  int add(int sum, int node, bool negative);

  Tree& tree_;
  int dimensions_;
  std::vector<signed char> varies_;  // of each node: -1 not known yet
};

}  // namespace xp::detail
