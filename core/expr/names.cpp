#include <xp/expr/names.hpp>

#include <algorithm>

namespace xp {
namespace detail {
namespace {

constexpr std::string_view other_words[] = {"x",   "y",  "z",   "t",        "pi",   "e",
                                            "and", "or", "not", "integral", "mean", "norm"};

}  // namespace

const std::vector<Function>& functions() {
  constexpr int any = Function::any_number;
  static const std::vector<Function> list = {
      {"if", Op::select, 3, 3, "if(c, a, b)", "a where c is true (not 0), b elsewhere"},
      {"exp", Op::exp, 1, 1, "exp(a)", "exponential function"},
      {"log", Op::log, 1, 1, "log(a)", "natural logarithm"},
      {"log10", Op::log10, 1, 1, "log10(a)", "logarithm to base 10"},
      {"sqrt", Op::sqrt, 1, 1, "sqrt(a)", "square root"},
      {"cbrt", Op::cbrt, 1, 1, "cbrt(a)", "cube root, also of negative numbers"},
      {"sin", Op::sin, 1, 1, "sin(a)", "sine of an angle in radians"},
      {"cos", Op::cos, 1, 1, "cos(a)", "cosine of an angle in radians"},
      {"tan", Op::tan, 1, 1, "tan(a)", "tangent of an angle in radians"},
      {"asin", Op::asin, 1, 1, "asin(a)", "inverse sine, from -pi/2 to pi/2"},
      {"acos", Op::acos, 1, 1, "acos(a)", "inverse cosine, from 0 to pi"},
      {"atan", Op::atan, 1, 1, "atan(a)", "inverse tangent, from -pi/2 to pi/2"},
      {"atan2", Op::atan2, 2, 2, "atan2(y, x)", "angle of the point (x, y), from -pi to pi"},
      {"sinh", Op::sinh, 1, 1, "sinh(a)", "hyperbolic sine"},
      {"cosh", Op::cosh, 1, 1, "cosh(a)", "hyperbolic cosine"},
      {"tanh", Op::tanh, 1, 1, "tanh(a)", "hyperbolic tangent"},
      {"erf", Op::erf, 1, 1, "erf(a)", "error function"},
      {"abs", Op::abs, 1, 1, "abs(a)", "absolute value"},
      {"sign", Op::sign, 1, 1, "sign(a)", "-1, 0 or 1"},
      {"floor", Op::floor, 1, 1, "floor(a)", "largest integer not above a"},
      {"ceil", Op::ceil, 1, 1, "ceil(a)", "smallest integer not below a"},
      {"mod", Op::mod, 2, 2, "mod(a, b)", "remainder of a/b with the sign of b"},
      {"min", Op::min, 2, any, "min(a, b, ...)", "smallest of two or more"},
      {"max", Op::max, 2, any, "max(a, b, ...)", "largest of two or more"},
      {"hypot", Op::hypot, 2, 2, "hypot(a, b)", "sqrt(a^2 + b^2) without overflow"},
      {"heaviside", Op::heaviside, 1, 1, "heaviside(a)", "0 below 0, 0.5 at 0, 1 above 0"},
      {"clamp", Op::clamp, 3, 3, "clamp(a, low, high)", "a, but not below low nor above high"},
  };
  return list;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : functions())
    if (function.name == name) return &function;
  return nullptr;
}

std::optional<Reduction::Kind> find_reduction(std::string_view name) {
  if (name == "integral") return Reduction::Kind::integral;
  if (name == "mean") return Reduction::Kind::mean;
  if (name == "norm") return Reduction::Kind::norm;
  return std::nullopt;
}

const std::vector<Operator>& operators() {
  using Kind = Operator::Kind;
  static const std::vector<Operator> list = {
      {"grad", Kind::gradient, 1, 0, 0, "grad(a)", "gradient of a scalar: a vector"},
      {"div", Kind::divergence, 1, 0, 0, "div(v)",
       "divergence of a vector; of c*grad(a) and a*v by fluxes at faces, which conserves"},
      {"laplacian", Kind::laplacian, 1, 0, 0, "laplacian(a)", "sum of second derivatives"},
      {"curl", Kind::curl, 1, 0, 0, "curl(v)", "curl of a vector: in 2-D the scalar along z"},
      {"dx", Kind::first, 1, 0, 0, "dx(a)", "derivative along x"},
      {"dy", Kind::first, 1, 1, 0, "dy(a)", "derivative along y"},
      {"dz", Kind::first, 1, 2, 0, "dz(a)", "derivative along z"},
      {"dxx", Kind::second, 1, 0, 0, "dxx(a)", "second derivative along x"},
      {"dyy", Kind::second, 1, 1, 1, "dyy(a)", "second derivative along y"},
      {"dzz", Kind::second, 1, 2, 2, "dzz(a)", "second derivative along z"},
      {"dxy", Kind::second, 1, 0, 1, "dxy(a)", "mixed derivative, the same as dyx(a)"},
      {"dxz", Kind::second, 1, 0, 2, "dxz(a)", "mixed derivative, the same as dzx(a)"},
      {"dyz", Kind::second, 1, 1, 2, "dyz(a)", "mixed derivative, the same as dzy(a)"},
      {"dyx", Kind::second, 1, 0, 1, "dyx(a)", "mixed derivative, the same as dxy(a)"},
      {"dzx", Kind::second, 1, 0, 2, "dzx(a)", "mixed derivative, the same as dxz(a)"},
      {"dzy", Kind::second, 1, 1, 2, "dzy(a)", "mixed derivative, the same as dyz(a)"},
      {"dot", Kind::dot, 2, 0, 0, "dot(v, w)", "scalar product of two vectors"},
      {"cross", Kind::cross, 2, 0, 0, "cross(v, w)", "vector product: in 2-D the scalar along z"},
      {"advect", Kind::advect, 2, 0, 0, "advect(v, a)",
       "v . grad(a), from the side that v comes from (numerics.advection)"},
  };
  return list;
}

const Operator* find_operator(std::string_view name) {
  for (const Operator& candidate : operators())
    if (candidate.name == name) return &candidate;
  return nullptr;
}

const Function* find_random(std::string_view name) {
  static const Function uniform = {
      "uniform",
      Op::uniform,
      2,
      2,
      "uniform(a, b)",
      "random number from a to b, another for each cell (in initial values)"};
  static const Function normal = {
      "normal", Op::normal,         2,
      2,        "normal(mean, sd)", "normally distributed random number (in initial values)"};
  return name == "uniform" ? &uniform : name == "normal" ? &normal : nullptr;
}

bool is_reserved(std::string_view name) {
  const std::vector<std::string>& names = reserved_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> find_constant(std::string_view name) {
  if (name == "pi") return 3.141592653589793238462643383279502884;
  if (name == "e") return 2.718281828459045235360287471352662498;
  return std::nullopt;
}

int find_coordinate(std::string_view name) {
  return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
}

}  // namespace detail

const std::vector<std::string>& reserved_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const detail::Function& function : detail::functions()) list.emplace_back(function.name);
    for (const std::string_view word : detail::other_words) list.emplace_back(word);
    for (const detail::Operator& found : detail::operators()) list.emplace_back(found.name);
    list.insert(list.end(), {"uniform", "normal"});
    std::sort(list.begin(), list.end());
    return list;
  }();
  return names;
}

const std::vector<FunctionHelp>& function_help() {
  static const std::vector<FunctionHelp> list = [] {
    std::vector<FunctionHelp> all;
    for (const detail::Function& function : detail::functions())
      all.push_back({std::string(function.signature), std::string(function.help)});
    for (const std::string_view name : {"uniform", "normal"}) {
      const detail::Function* const found = detail::find_random(name);
      all.push_back({std::string(found->signature), std::string(found->help)});
    }
    for (const detail::Operator& found : detail::operators())
      all.push_back({std::string(found.signature), std::string(found.help)});
    all.push_back({"integral(a)", "integral over the grid"});
    all.push_back({"mean(a)", "mean over the grid"});
    all.push_back({"norm(a)", "root of the mean of a^2 over the grid"});
    all.push_back({"min(a)", "minimum over the grid"});
    all.push_back({"max(a)", "maximum over the grid"});
    return all;
  }();
  return list;
}

}  // namespace xp
