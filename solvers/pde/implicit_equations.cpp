#include <xp/solvers/pde/implicit_equations.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

// Is a stencil a second derivative, and along which axis (-1: all of them)?
bool is_second(const Stencil& stencil, int& axis) {
  axis = stencil.axis;
  if (stencil.kind == StencilKind::laplacian) axis = -1;
  return stencil.kind == StencilKind::laplacian || stencil.kind == StencilKind::second;
}

// The highest power of k^2 in a field's polynomial, whatever the coefficients become.
int order_of(std::vector<LinearTerm> terms, int field, int dimensions) {
  for (LinearTerm& term : terms) term.coefficient = {1, 1};
  const WavePolynomial p = wave_polynomial(terms, field, 1, dimensions);
  return p.c != 0 ? 2 : p.b != 0 ? 1 : 0;
}

// Has a field derivatives that multigrid's polynomial does not know: only of other fields, of odd
// order or across axes, or with a coefficient that is a hundred times larger here than there?
bool uncovered(const std::vector<LinearTerm>& terms, int fields, int dimensions) {
  constexpr double wide = 100;
  for (int f = 0; f < fields; ++f) {
    bool derives = false;
    for (const LinearTerm& term : terms) {
      if (term.equation != f || term.stencils.empty()) continue;
      derives = true;
      const double a = std::abs(term.coefficient.lower), b = std::abs(term.coefficient.upper);
      if (term.field == f && std::max(a, b) > wide * std::min(a, b)) return true;
    }
    if (derives && order_of(terms, f, dimensions) == 0) return true;
  }
  return false;
}

}  // namespace

WavePolynomial wave_polynomial(const std::vector<LinearTerm>& terms, int field, double part,
                               int dimensions) {
  WavePolynomial result;
  for (const LinearTerm& term : terms) {
    if (term.equation != field || term.field != field) continue;
    double factor = 0.5 * part * (term.coefficient.lower + term.coefficient.upper);
    int seconds = 0, firsts = 0;
    bool known = true;
    for (std::size_t n = 0; n < term.stencils.size(); ++n) {
      int axis = -1;
      const Stencil& stencil = term.stencils[n];
      if (is_second(stencil, axis)) {
        ++seconds;
        if (axis >= 0) factor /= dimensions;
      } else if (stencil.kind == StencilKind::first || stencil.kind == StencilKind::flux) {
        ++firsts;
        // Two of the same axis are a second derivative.
        if (firsts == 2) {
          known = known && stencil.axis == term.stencils[n - 1].axis;
          firsts = 0;
          ++seconds;
          factor /= dimensions;
        }
      } else {
        known = false;
      }
    }
    if (!known || firsts != 0) continue;
    if (seconds == 0) result.a -= factor;
    if (seconds == 1) result.b += factor;
    if (seconds == 2) result.c -= factor;
  }
  return result;
}

template <class Space, class Real>
ImplicitEquations<Space, Real>::ImplicitEquations(const ModelSetup& setup)
    : communicator_(setup.communicator),
      grid_(setup.grid),
      conditions_(setup.boundaries),
      linear_(setup.implicit_equations->linearised->is_linear()),
      settings_(setup.linear),
      changes_(setup.implicit_equations->linearised->changes()),
      measure_(setup.grid.cells(Region::own), setup.communicator) {
  options_.tolerance = settings_.tolerance;
  options_.max_iterations = settings_.max_iterations;
  options_.check_every = settings_.check_every;
  options_.method = settings_.method == "gmres" ? KrylovMethod::gmres
                    : settings_.method == "cg"  ? KrylovMethod::cg
                                                : KrylovMethod::bicgstab;
  report_.method = settings_.method == "auto" ? "bicgstab" : settings_.method;
  report_.why =
      settings_.method == "auto" ? "equations need not be symmetric" : "as the input has it";
  if (!linear_) report_.why += "; inside Newton's method, for the implicit part is not linear";
  why_ = report_.why;
  for (std::size_t f = 0; f < conditions_.size(); ++f) blocks_.emplace_back();
}

template <class Space, class Real>
std::int64_t ImplicitEquations<Space, Real>::memory() const {
  const auto fields = static_cast<std::int64_t>(conditions_.size());
  std::int64_t bytes = (5 + Krylov<Space, Real>::vectors(options_)) * fields *
                       Field<Space, Real>::bytes(grid_, FieldInfo());
  for (std::size_t f = 0; f < conditions_.size(); ++f)
    bytes += order_of(terms_, static_cast<int>(f), grid_.dimensions()) *
             HelmholtzCycle<Space, Real>::memory(grid_);
  if (by_matrix_) {
    // Entries of the matrix and of its factors, which have about twice as many.
    const MapMatrix<Space, Real> probe(grid_, static_cast<int>(fields), reach());
    bytes += 3 * static_cast<std::int64_t>(sizeof(Real) + sizeof(int)) * probe.size() *
             std::min<std::int64_t>(probe.colours(), 9 * fields);
  }
  return bytes;
}

template <class Space, class Real>
void ImplicitEquations<Space, Real>::allocate() {
  const int fields = static_cast<int>(conditions_.size());
  krylov_ = std::make_unique<Krylov<Space, Real>>(grid_, communicator_, fields, options_);
  FieldInfo info;
  info.name = "newton: vector";
  for (View* view : {&residual_, &change_, &moved_, &value_, &image_}) {
    view->clear();
    for (int f = 0; f < fields; ++f) {
      fields_.emplace_back(grid_, info);
      view->push_back(fields_.back().view());
    }
  }
  for (int f = 0; f < fields; ++f) {
    Block& block = blocks_[static_cast<std::size_t>(f)];
    const int order = order_of(terms_, f, grid_.dimensions());
    for (int n = 0; n < order; ++n)
      block.factors[n] = std::make_unique<HelmholtzCycle<Space, Real>>(
          grid_, communicator_, conditions_[static_cast<std::size_t>(f)], 1);
  }
}

template <class Space, class Real>
void ImplicitEquations<Space, Real>::set_terms(std::vector<LinearTerm> terms) {
  terms_ = std::move(terms);
  part_ = 0;
  const bool needs = uncovered(terms_, static_cast<int>(blocks_.size()), grid_.dimensions());
  by_matrix_ =
      settings_.preconditioner == "matrix" || (settings_.preconditioner == "auto" && needs);
  report_.why = why_;
  if (by_matrix_)
    report_.why += std::string("; preconditioned by a factorised matrix, ") +
                   (needs ? "for multigrid does not know all derivatives" : "as the input has it");
}

template <class Space, class Real>
void ImplicitEquations<Space, Real>::prepare(double part) {
  if (part == part_) return;
  part_ = part;
  double shortest = 0;  // the largest k^2 of the grid
  for (const Axis axis : all_axes)
    if (grid_.exists(axis)) shortest += 4 / (grid_.spacing(axis) * grid_.spacing(axis));
  fastest_ = 1;
  for (std::size_t f = 0; f < blocks_.size(); ++f) {
    Block& block = blocks_[f];
    WavePolynomial p = wave_polynomial(terms_, static_cast<int>(f), part, grid_.dimensions());
    fastest_ = std::max(
        fastest_, std::abs(p.a) + std::abs(p.b) * shortest + std::abs(p.c) * shortest * shortest);
    // What is not positive serves no multigrid cycle: the nearest that does.
    p.a = std::max(p.a, 0.1);
    p.b = std::max(p.b, 0.0);
    p.c = std::max(p.c, 0.0);
    block.scale = 1 / p.a;
    block.count = 0;
    if (p.c > 0 && block.factors[1]) {
      // a + b k^2 + c k^4 = c (x + k^2)(y + k^2), or with the double root nearest to it.
      const double half = 0.5 * p.b / p.c, product = p.a / p.c;
      const double root = std::sqrt(std::max(half * half - product, 0.0));
      const double x = half * half > product ? half + root : std::sqrt(product);
      block.factors[0]->set_alpha(x);
      block.factors[1]->set_alpha(product / x);
      block.scale = 1 / p.c;
      block.count = 2;
    } else if (p.b > 0 && block.factors[0]) {
      block.factors[0]->set_alpha(p.a / p.b);
      block.scale = 1 / p.b;
      block.count = 1;
    }
  }
}

template <class Space, class Real>
void ImplicitEquations<Space, Real>::precondition(const Space& space, const View& x,
                                                  const View& y) {
  if (by_matrix_) {
    const FieldView<Space, Real> from = system_of(packed_)[0], to = system_of(solved_)[0];
    probe_->to_vector(space, x, from);
    factors_->apply(from, to);
    probe_->to_fields(space, to, y);
    return;
  }
  for (std::size_t f = 0; f < blocks_.size(); ++f) {
    Block& block = blocks_[f];
    if (block.count == 0) {
      krylov_->combine(space, block.scale, {x[f]}, 0, {x[f]}, {y[f]});
      continue;
    }
    block.factors[0]->apply(space, x[f], size_, block.scale, y[f]);
    if (block.count == 2) block.factors[1]->apply(space, y[f], size_ * block.scale, 1, y[f]);
  }
}

template <class Space, class Real>
std::array<int, 3> ImplicitEquations<Space, Real>::reach() const {
  std::size_t depth = 0;
  for (const LinearTerm& term : terms_) depth = std::max(depth, term.stencils.size());
  std::array<int, 3> result{};
  // At walls ghost cells of order 4 are made of four cells.
  for (const Axis axis : all_axes) {
    const int ghosts = grid_.ghosts(axis), least = ghosts > 1 && !grid_.periodic(axis) ? 4 : 0;
    result[static_cast<std::size_t>(index(axis))] =
        std::max(static_cast<int>(depth) * ghosts, least);
  }
  return result;
}

// Made anew by each solve whose coefficients may have changed, and by each step of Newton's method:
// what a run does must not depend on where it was restarted.
template <class Space, class Real>
void ImplicitEquations<Space, Real>::factorise(const Space& space,
                                               const SystemMap<Space, Real>& map, double unit) {
  if (!probe_) {
    probe_ =
        std::make_unique<MapMatrix<Space, Real>>(grid_, static_cast<int>(blocks_.size()), reach());
    const auto size = static_cast<std::size_t>(probe_->size());
    packed_ = decltype(packed_)("newton: vector", size);
    solved_ = decltype(solved_)("newton: vector", size);
  }
  constexpr int fill = 2;  // half the iterations of 0 where coefficients jump
  everywhere(communicator_, [&] {
    try {
      factors_ = std::make_unique<MatrixPreconditioner<Space, Real>>(
          space, probe_->matrix(space, map, unit, change_, image_),
          has_matrix_method(MatrixMethod::ilu) ? MatrixMethod::ilu : MatrixMethod::gauss_seidel,
          fill);
    } catch (const std::invalid_argument& refused) {
      throw Error(ErrorKind::not_converged, refused.what());
    }
  });
  factorised_for_ = part_;
}

template <class Space, class Real>
double ImplicitEquations<Space, Real>::largest(const Space& space, const View& v) {
  double result = 0;
  for (const auto& field : v)
    result = std::max(result, measure_.sums(space, field, Want::largest).largest);
  return result;
}

// Where a field's implicit part moves it about but makes none of it, the mean of the residual is an
// error of the field's mean alone, and the one that sums up over steps.
template <class Space, class Real>
void ImplicitEquations<Space, Real>::keep_means(const Space& space, const View& v) {
  for (std::size_t f = 0; f < blocks_.size(); ++f) {
    const auto& factor = blocks_[f].factors[0];
    const WavePolynomial p =
        wave_polynomial(terms_, static_cast<int>(f), part_, grid_.dimensions());
    if (!factor || !factor->keeps_mean() || p.a != 1) continue;
    const Sums sums = measure_.sums(space, residual_[f], Want::sum);
    add_constant(space, sums.sum / static_cast<double>(sums.count), v[f]);
  }
}

template <class Space, class Real>
void ImplicitEquations<Space, Real>::add_constant(const Space& space, double value,
                                                  const FieldView<Space, Real>& field) const {
  const Real constant = static_cast<Real>(value);
  for_each(
      space, "newton: mean", grid_.cells(Region::own),
      KOKKOS_LAMBDA(int k, int j, int i) { field(k, j, i) += constant; });
}

template <class Space, class Real>
Solved ImplicitEquations<Space, Real>::solve(const Space& space, double part, const Value& value,
                                             const View& v, const View& r) {
  constexpr int most_steps = 30, most_halvings = 8;
  constexpr double epsilon = std::numeric_limits<Real>::epsilon();
  prepare(part);
  const auto residual = [&] {
    value(v, part, residual_);
    krylov_->combine(space, 1, r, -1, residual_, residual_);
    return std::sqrt(krylov_->dot(space, residual_, residual_));
  };
  const double cells = static_cast<double>(grid_.cell_count()) * static_cast<double>(v.size());
  const double background = largest(space, v);
  const double storing = epsilon * background * std::sqrt(cells), rounding = storing * fastest_;
  const double first = residual();
  double norm = first, last = INFINITY;
  ++report_.solves;
  const auto fail = [&](const std::string& message, bool finite) {
    report_.residual = first > 0 ? norm / first : 0;
    return Solved{false, finite, message};
  };
  for (int step = 0;; ++step) {
    if (!std::isfinite(norm)) return fail("the residual is not a finite number", false);
    if (norm <= std::max(settings_.tolerance * first, storing) ||
        (norm > 0.5 * last && norm <= rounding))
      break;
    if (step == most_steps)
      return fail(fmt::format("after {} steps of Newton's method the residual is {:.3g} of the "
                              "first one, above linear_solver.tolerance {:.3g}",
                              step, norm / first, settings_.tolerance),
                  true);
    last = norm;
    // The linear system is scaled so that a difference of values at v and beside it is most exact.
    const double root = std::sqrt(cells);
    const double scale = (linear_ ? 1 : std::sqrt(epsilon)) * std::max(background, first / root);
    const double factor = scale / (norm / root);
    size_ = scale;
    krylov_->combine(space, 1, r, -1, residual_, value_);
    krylov_->combine(space, factor, residual_, 0, residual_, residual_);
    const auto map = [&](const View& x, const View& y) {
      krylov_->combine(space, 1, v, 1, x, moved_);
      value(moved_, part, y);
      krylov_->combine(space, 1, y, -1, value_, y);
    };
    const auto inverse = [&](const View& x, const View& y) { precondition(space, x, y); };
    const bool is_old = step == 0 && (changes_ || factorised_for_ != part);
    if (by_matrix_ && (is_old || !linear_ || !factors_)) {
      try {
        factorise(space, map, scale);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::not_converged) throw;
        return fail(error.what(), true);
      }
    }
    krylov_->combine(space, 0, v, 0, v, change_);
    const double wanted = linear_ ? std::max(0.3 * settings_.tolerance * first / norm, 1e-9) : 1e-3;
    const LinearResult result =
        krylov_->solve(space, map, inverse, change_, residual_, std::min(wanted, 0.1));
    report_.iterations += result.iterations;
    using Reason = LinearResult::Reason;
    if (!result.finite()) return fail("the residual is not a finite number", false);
    if (result.reason == Reason::too_many_iterations || result.reason == Reason::indefinite)
      return fail(result.message(settings_.tolerance, settings_.max_iterations), true);
    // As far along the direction as makes the residual smaller.
    double length = 1 / factor;
    krylov_->combine(space, length, change_, 1, v, v);
    norm = residual();
    for (int n = 0; !(norm < last) && n < most_halvings && !(norm <= rounding); ++n) {
      length *= 0.5;
      krylov_->combine(space, -length, change_, 1, v, v);
      norm = residual();
    }
    if (!(norm < last) && !(norm <= rounding))
      return fail(fmt::format("Newton's method stays at {:.3g} of the first residual; a smaller "
                              "time.step is easier",
                              last / first),
                  std::isfinite(norm));
  }
  report_.residual = first > 0 ? norm / first : 0;
  keep_means(space, v);
  return {};
}

#define XP_IMPLICIT_EQUATIONS(Space, Real) template class ImplicitEquations<Space, Real>;
XP_INSTANTIATE(XP_IMPLICIT_EQUATIONS)
#undef XP_IMPLICIT_EQUATIONS

}  // namespace xp
