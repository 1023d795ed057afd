#include <xp/solvers/linear/krylov.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <xp/solvers/linear/krylov_vectors.hpp>

namespace xp {
namespace {

using detail::Coefficient;
using detail::GmresNumbers;
using detail::KrylovState;

int numbers(const KrylovOptions& options) {
  return options.method == KrylovMethod::gmres ? GmresNumbers::count(options.restart)
                                               : static_cast<int>(detail::krylov_numbers);
}

Box row_of(int size) {
  return Box{{0, 0, 0}, {size, 1, 1}};
}

}  // namespace

template <class Space, class Real>
struct Krylov<Space, Real>::Sums {
  Sums(const Box& own, const Communicator& communicator)
      : one(own, communicator), two(own, communicator) {}
  detail::Dots<Space, Real, 1> one;
  detail::Dots<Space, Real, 2> two;
};

template <class Space, class Real>
int Krylov<Space, Real>::vectors(const KrylovOptions& options) {
  const int left = options.side == KrylovSide::left ? 1 : 0;
  switch (options.method) {
    case KrylovMethod::cg:
      return 3;
    case KrylovMethod::bicgstab:
      return 5 + left;
    case KrylovMethod::gmres:
      return options.restart + 3 + left;
  }
  return 0;
}

template <class Space, class Real>
Krylov<Space, Real>::Krylov(const Box& own, const Communicator& communicator,
                            const KrylovOptions& options)
    : options_(options),
      own_(own),
      numbers_("krylov: scalars", static_cast<std::size_t>(numbers(options))),
      sums_(std::make_unique<Sums>(own, communicator)) {
  if (!(options.tolerance > 0) || options.check_every < 1 || options.restart < 1)
    throw std::invalid_argument(
        "Krylov: tolerance must be positive, check_every and restart at least 1");
}

template <class Space, class Real>
Krylov<Space, Real>::Krylov(const Grid& grid, const Communicator& communicator, int fields,
                            const KrylovOptions& options)
    : Krylov(grid.cells(Region::own), communicator, options) {
  FieldInfo info;
  info.name = "krylov: vector";
  for (int n = 0; n < vectors(options); ++n) {
    views_.emplace_back();
    for (int f = 0; f < fields; ++f) {
      fields_.emplace_back(grid, info);
      views_.back().push_back(fields_.back().view());
    }
  }
}

template <class Space, class Real>
Krylov<Space, Real>::Krylov(int size, const Communicator& communicator,
                            const KrylovOptions& options)
    : Krylov(row_of(size), communicator, options) {
  const auto count = static_cast<std::size_t>(vectors(options));
  memory_ = decltype(memory_)("krylov: vectors", count * static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < count; ++n)
    views_.push_back(
        {FieldView<Space, Real>(memory_.data() + n * static_cast<std::size_t>(size), size, size)});
}

template <class Space, class Real>
Krylov<Space, Real>::~Krylov() = default;

template <class Space, class Real>
double Krylov<Space, Real>::dot(const Space& space, const View& a, const View& b) {
  sums_->one(space, {&a}, b, numbers_.data() + detail::first_sum);
  double result = 0;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  space.fence();
  Kokkos::deep_copy(Kokkos::View<double, Kokkos::HostSpace, Unmanaged>(&result),
                    Kokkos::View<double, typename Space::memory_space, Unmanaged>(
                        numbers_.data() + detail::first_sum));
  count_scalar_to_host(sizeof(double));
  return result;
}

template <class Space, class Real>
void Krylov<Space, Real>::combine(const Space& space, double ca, const View& a, double cb,
                                  const View& b, const View& to) const {
  for (std::size_t f = 0; f < a.size(); ++f)
    for_each_row(space, "krylov: combine", own_,
                 detail::Combination<Space, Real>{{ca}, {cb}, a[f], b[f], to[f]});
}

template <class Space, class Real>
void Krylov<Space, Real>::set_null_space(const Space& space, std::vector<View> basis) {
  null_squares_.clear();
  for (const View& vector : basis) null_squares_.push_back(dot(space, vector, vector));
  null_space_ = std::move(basis);
}

// One solve.
template <class Space, class Real>
struct Krylov<Space, Real>::Solve {
  using Reason = LinearResult::Reason;
  // Looks at the residual that may pass without its becoming smaller by a tenth: many before it is
  // so small that rounding may keep it, for that of conjugate gradients may first stay for as many
  // iterations as there are cells along an axis.
  int patience() const {
    const bool small = best <= std::sqrt(std::numeric_limits<Real>::epsilon()) * reference;
    return small ? 20 : 400;
  }

  Krylov& krylov;
  const Space& space;
  const Map &map, &preconditioner;
  const View &x, &r;
  double tolerance;
  double* number = krylov.numbers_.data();
  LinearResult result = {};
  double reference = 0, best = INFINITY;
  int since_best = 0;
  double looked[detail::looked_at] = {};

  const View& vector(int n) const { return krylov.vector(n); }
  bool is_left() const {
    return krylov.options_.side == KrylovSide::left && preconditioner &&
           krylov.options_.method != KrylovMethod::cg;
  }

  // Sums into the first and the second number for it.
  void dot(const View& a, const View& b) const { dot_to(a, b, number + detail::first_sum); }
  void dot_to(const View& a, const View& b, double* to) const {
    krylov.sums_->one(space, {&a}, b, to);
  }
  void dots(const View& a, const View& b, const View& with) const {
    krylov.sums_->two(space, {&a, &b}, with, number + detail::first_sum);
  }
  template <class F>
  void make(const F& f) const {
    detail::run_once(space, "krylov: scalars", f);
  }
  void combine(const Coefficient& ca, const View& a, const Coefficient& cb, const View& b,
               const View& to) const {
    for (std::size_t f = 0; f < a.size(); ++f)
      for_each_row(space, "krylov: combine", krylov.own_,
                   detail::Combination<Space, Real>{ca, cb, a[f], b[f], to[f]});
  }
  void step(detail::KrylovNumber length, const View& p, const View& q) const {
    for (std::size_t f = 0; f < p.size(); ++f)
      for_each_row(space, "krylov: step", krylov.own_,
                   detail::Step<Space, Real>{{1, number + length}, p[f], q[f], x[f], r[f]});
  }
  void project(const View& v) const {
    for (std::size_t n = 0; n < krylov.null_space_.size(); ++n) {
      dot(krylov.null_space_[n], v);
      combine({1}, v, {-1 / krylov.null_squares_[n], number + detail::first_sum},
              krylov.null_space_[n], v);
    }
  }
  // What the right preconditioner makes of `from`: in `scratch`, or `from` itself.
  const View& conditioned(const View& from, const View& scratch) const {
    const bool by_map = preconditioner && !is_left();
    if (!by_map && krylov.null_space_.empty()) return from;
    if (by_map)
      preconditioner(from, scratch);
    else
      combine({1}, from, {0}, from, scratch);
    project(scratch);
    return scratch;
  }
  void apply(const View& from, const View& to) const {
    if (!is_left()) {
      map(from, to);
      return;
    }
    const View& scratch = krylov.views_.back();
    map(from, scratch);
    preconditioner(scratch, to);
  }
  // Turns the right side into the residual.
  void begin(const View& scratch) {
    map(x, scratch);
    combine({1}, r, {-1}, scratch, r);
    if (is_left()) {
      combine({1}, r, {0}, r, scratch);
      preconditioner(scratch, r);
    }
    if (!krylov.null_space_.empty()) {
      const double all = krylov.dot(space, r, r);
      project(r);
      const double kept = krylov.dot(space, r, r);
      result.imbalance = all > 0 ? std::sqrt(std::max(0.0, (all - kept) / all)) : 0;
    }
    Kokkos::deep_copy(space, krylov.numbers_, 0.0);
  }

  bool end(Reason reason) {
    result.reason = reason;
    return true;
  }
  void look() {
    space.fence();
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    constexpr int count = detail::looked_at;
    Kokkos::deep_copy(Kokkos::View<double[count], Kokkos::HostSpace, Unmanaged>(looked),
                      Kokkos::View<double[count], typename Space::memory_space, Unmanaged>(number));
    count_scalar_to_host(sizeof(looked));
  }
  bool has(KrylovState state) const { return looked[detail::state] == detail::state_number(state); }
  void record(double norm) {
    if (result.history.empty()) reference = norm;
    result.residual = reference > 0 ? norm / reference : 0;
    result.history.push_back(result.residual);
  }
  // True when the solve ends here.
  bool ends_with(double norm) {
    if (!std::isfinite(norm) || has(KrylovState::not_finite)) return end(Reason::not_finite);
    if (norm <= tolerance * reference) return end(Reason::converged);
    if (has(KrylovState::not_positive)) return end(Reason::indefinite);
    if (has(KrylovState::singular)) return end(Reason::stalled);
    since_best = norm < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, norm);
    if (since_best >= patience()) return end(Reason::stalled);
    return result.iterations >= krylov.options_.max_iterations && end(Reason::too_many_iterations);
  }
  bool is_time_to_look() const {
    return result.iterations % krylov.options_.check_every == 0 ||
           result.iterations >= krylov.options_.max_iterations;
  }

  void by_cg() {
    const View &p = vector(0), &q = vector(1), &scratch = vector(2);
    for (bool first = true;; first = false) {
      if (is_time_to_look()) {
        dot_to(r, r, number + detail::square);
        look();
        const double norm = std::sqrt(looked[detail::square]);
        record(norm);
        if (ends_with(norm)) return;
      }
      const View& z = conditioned(r, scratch);
      if (first) {
        combine({1}, z, {0}, z, p);
      } else {
        dot(z, q);
        make(detail::CgDirection{number});
        combine({1}, z, {1, number + detail::beta}, p, p);
      }
      apply(p, q);
      dots(q, r, p);
      make(detail::CgStep{number});
      step(detail::alpha, p, q);
      ++result.iterations;
    }
  }

  void by_bicgstab() {
    const View &shadow = vector(0), &p = vector(1), &v = vector(2), &t = vector(3),
               &scratch = vector(4);
    for (bool first = true;; first = false) {
      dots(shadow, r, r);
      make(detail::BicgstabDirection{number, first});
      if (is_time_to_look()) {
        look();
        const double norm = std::sqrt(looked[detail::square]);
        record(norm);
        if (ends_with(norm)) return;
      }
      for (std::size_t f = 0; f < p.size(); ++f)
        for_each_row(
            space, "krylov: new direction", krylov.own_,
            detail::BicgstabNewDirection<Space, Real>{number, r[f], v[f], p[f], shadow[f]});
      const View& z = conditioned(p, scratch);
      apply(z, v);
      dot(shadow, v);
      make(detail::BicgstabStep{number});
      step(detail::alpha, z, v);
      const View& s = conditioned(r, scratch);
      apply(s, t);
      dots(t, r, t);
      make(detail::BicgstabSmoothing{number});
      step(detail::omega, s, t);
      ++result.iterations;
    }
  }

  // Directions are vectors 3 to restart + 2 and r, which is the first of them.
  void by_gmres() {
    const View &scratch = vector(0), &w = vector(1), &sum = vector(2);
    const int m = krylov.options_.restart;
    const GmresNumbers of{number, m};
    const auto direction = [&](int n) -> const View& { return n == 0 ? r : vector(n + 2); };
    while (true) {
      dot(r, r);
      make(detail::GmresStart{of});
      look();
      const double norm = looked[detail::square];
      if (!result.history.empty()) result.history.pop_back();  // what the rotations made of it
      record(norm);
      if (ends_with(norm)) return;
      combine({1, number + detail::inverse}, r, {0}, r, r);
      int n = 0;
      for (bool ends = false; n < m && !ends;) {
        apply(conditioned(direction(n), scratch), w);
        for (int k = 0; k <= n; ++k) {
          dot_to(direction(k), w, of.h(n, k));
          combine({1}, w, {-1, of.h(n, k)}, direction(k), w);
        }
        dot(w, w);
        make(detail::GmresRotation{of, n});
        if (n + 1 < m) combine({1, number + detail::inverse}, w, {0}, w, direction(n + 1));
        ++n;
        ++result.iterations;
        if (!is_time_to_look() && n < m) continue;
        look();
        record(looked[detail::square]);
        if (has(KrylovState::not_finite)) {
          end(Reason::not_finite);
          return;
        }
        ends = looked[detail::square] <= tolerance * reference || looked[detail::rest] == 0 ||
               has(KrylovState::singular) || result.iterations >= krylov.options_.max_iterations;
      }
      // x += preconditioner(sum of directions), and the residual that is left.
      make(detail::GmresCombination{of, n});
      combine({1, of.y(0)}, r, {0}, r, sum);
      for (int k = 1; k < n; ++k) combine({1, of.y(k)}, direction(k), {1}, sum, sum);
      const View& z = conditioned(sum, scratch);
      combine({1}, z, {1}, x, x);
      apply(z, w);
      combine({1, number + detail::norm}, r, {-1}, w, r);
    }
  }
};

template <class Space, class Real>
LinearResult Krylov<Space, Real>::solve(const Space& space, const Map& map,
                                        const Map& preconditioner, const View& x, const View& b,
                                        double tolerance) {
  Solve solve{*this, space, map, preconditioner, x, b, tolerance};
  solve.begin(vector(0));
  switch (options_.method) {
    case KrylovMethod::cg:
      solve.by_cg();
      break;
    case KrylovMethod::bicgstab:
      solve.by_bicgstab();
      break;
    case KrylovMethod::gmres:
      solve.by_gmres();
      break;
  }
  space.fence();
  return std::move(solve.result);
}

#define XP_KRYLOV(Space, Real) template class Krylov<Space, Real>;
XP_INSTANTIATE(XP_KRYLOV)
#undef XP_KRYLOV

}  // namespace xp
