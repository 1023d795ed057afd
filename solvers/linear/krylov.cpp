#include <xp/solvers/linear/krylov.hpp>

#include <algorithm>
#include <cmath>

#include <xp/runtime/backend.hpp>

namespace xp {

template <class Space, class Real>
int Krylov<Space, Real>::vectors(const KrylovOptions& options) {
  switch (options.method) {
    case KrylovMethod::cg:
      return 3;
    case KrylovMethod::bicgstab:
      return 5;
    case KrylovMethod::gmres:
      return options.restart + 3;
  }
  return 0;
}

template <class Space, class Real>
Krylov<Space, Real>::Krylov(const Grid& grid, const Communicator& communicator, int fields,
                            const KrylovOptions& options)
    : options_(options),
      own_(grid.cells(Region::own)),
      measure_(grid.cells(Region::own), communicator) {
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
double Krylov<Space, Real>::dot(const Space& space, const View& a, const View& b) {
  double sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) sum += measure_.dot(space, a[f], b[f]);
  return sum;
}

template <class Space, class Real>
void Krylov<Space, Real>::combine(const Space& space, double ca, const View& a, double cb,
                                  const View& b, const View& to) const {
  const Real fa = static_cast<Real>(ca), fb = static_cast<Real>(cb);
  for (std::size_t f = 0; f < a.size(); ++f) {
    const auto x = a[f], y = b[f], target = to[f];
    for_each(
        space, "krylov: combine", own_, KOKKOS_LAMBDA(int k, int j, int i) {
          target(k, j, i) = fa * x(k, j, i) + fb * y(k, j, i);
        });
  }
}

// One solve.
template <class Space, class Real>
struct Krylov<Space, Real>::Solve {
  // Looks at the residual that may pass without its becoming smaller by a tenth.
  static constexpr int patience = 20;

  Krylov& krylov;
  const Space& space;
  const Map &map, &preconditioner;
  const View &x, &r;
  double tolerance;
  LinearResult result = {};
  double reference = 0, best = INFINITY;
  int since_best = 0;

  const View& vector(int n) const { return krylov.vector(n); }
  double dot(const View& a, const View& b) const { return krylov.dot(space, a, b); }
  void combine(double ca, const View& a, double cb, const View& b, const View& to) const {
    krylov.combine(space, ca, a, cb, b, to);
  }
  // Scratch for the value of the map at x.
  void take_from_right_side(const View& scratch) const {
    map(x, scratch);
    combine(1, r, -1, scratch, r);
  }

  bool end(LinearResult::Reason reason) {
    result.reason = reason;
    return true;
  }
  // True when the solve ends here.
  bool note(double norm) {
    if (result.history.empty()) reference = norm;
    result.residual = reference > 0 ? norm / reference : 0;
    result.history.push_back(result.residual);
    using Reason = LinearResult::Reason;
    if (!std::isfinite(norm)) return end(Reason::not_finite);
    if (norm <= tolerance * reference) return end(Reason::converged);
    since_best = norm < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, norm);
    if (since_best >= patience) return end(Reason::stalled);
    if (result.iterations >= krylov.options_.max_iterations)
      return end(Reason::too_many_iterations);
    return false;
  }
  bool is_time_to_look() const {
    return result.iterations % krylov.options_.check_every == 0 ||
           result.iterations >= krylov.options_.max_iterations;
  }

  void by_cg() {
    const View &p = vector(0), &q = vector(1), &z = vector(2);
    double pq = 0;
    for (bool first = true;; first = false) {
      if (is_time_to_look() && note(std::sqrt(dot(r, r)))) return;
      preconditioner(r, z);
      const double beta = first ? 0 : -dot(z, q) / pq;
      if (first)
        combine(1, z, 0, z, p);
      else
        combine(1, z, beta, p, p);
      map(p, q);
      pq = dot(p, q);
      if (!(pq > 0)) {
        if (pq == 0 && note(std::sqrt(dot(r, r)))) return;
        end(std::isnan(pq) ? LinearResult::Reason::not_finite : LinearResult::Reason::indefinite);
        return;
      }
      const double alpha = dot(p, r) / pq;
      combine(alpha, p, 1, x, x);
      combine(-alpha, q, 1, r, r);
      ++result.iterations;
    }
  }

  void by_bicgstab() {
    const View &shadow = vector(0), &p = vector(1), &v = vector(2), &t = vector(3), &z = vector(4);
    double rho = 0, alpha = 0, omega = 0;
    bool begins = true;
    while (true) {
      if (is_time_to_look() && note(std::sqrt(dot(r, r)))) return;
      const double before = rho;
      if (!begins) rho = dot(shadow, r);
      // A residual that has become orthogonal to the first one: begin with this one.
      if (begins || std::abs(rho) < 1e-30 * std::abs(before) || omega == 0) {
        combine(1, r, 0, r, shadow);
        combine(1, r, 0, r, p);
        rho = dot(r, r);
        if (rho == 0 && note(0)) return;
        begins = false;
      } else {
        const double beta = rho / before * (alpha / omega);
        combine(1, p, -omega, v, p);
        combine(1, r, beta, p, p);
      }
      preconditioner(p, z);
      map(z, v);
      const double slope = dot(shadow, v);
      if (!std::isfinite(slope)) {
        end(LinearResult::Reason::not_finite);
        return;
      }
      alpha = slope != 0 ? rho / slope : 0;
      combine(alpha, z, 1, x, x);
      combine(-alpha, v, 1, r, r);
      preconditioner(r, z);
      map(z, t);
      const double tt = dot(t, t);
      omega = tt > 0 ? dot(t, r) / tt : 0;
      combine(omega, z, 1, x, x);
      combine(-omega, t, 1, r, r);
      ++result.iterations;
    }
  }

  // Directions are vectors 3 to restart + 2 and r, which is the first of them.
  void by_gmres() {
    const View &z = vector(0), &w = vector(1), &sum = vector(2);
    const auto m = static_cast<std::size_t>(krylov.options_.restart);
    std::vector<std::vector<double>> h(m, std::vector<double>(m + 1));
    std::vector<double> cosine(m), sine(m), g(m + 1), y(m);
    const auto direction = [&](std::size_t n) -> const View& {
      return n == 0 ? r : vector(static_cast<int>(n) + 2);
    };
    while (true) {
      const double norm = std::sqrt(dot(r, r));
      if (note(norm)) return;
      combine(1 / norm, r, 0, r, r);
      std::fill(g.begin(), g.end(), 0.0);
      g[0] = norm;
      std::size_t n = 0;
      bool ends = false;
      while (n < m && !ends) {
        preconditioner(direction(n), z);
        map(z, w);
        for (std::size_t k = 0; k <= n; ++k) {
          h[n][k] = dot(w, direction(k));
          combine(1, w, -h[n][k], direction(k), w);
        }
        const double rest = std::sqrt(dot(w, w));
        h[n][n + 1] = rest;
        if (!std::isfinite(rest)) {
          end(LinearResult::Reason::not_finite);
          return;
        }
        if (rest > 0) combine(1 / rest, w, 0, w, direction(n + 1));
        for (std::size_t k = 0; k < n; ++k) {
          const double a = h[n][k], b = h[n][k + 1];
          h[n][k] = cosine[k] * a + sine[k] * b;
          h[n][k + 1] = cosine[k] * b - sine[k] * a;
        }
        const double length = std::hypot(h[n][n], h[n][n + 1]);
        if (length == 0) {
          end(LinearResult::Reason::stalled);
          break;
        }
        cosine[n] = h[n][n] / length;
        sine[n] = h[n][n + 1] / length;
        h[n][n] = length;
        g[n + 1] = -sine[n] * g[n];
        g[n] *= cosine[n];
        ++n;
        ++result.iterations;
        const double now = std::abs(g[n]);
        ends = now <= tolerance * reference || rest == 0 ||
               result.iterations >= krylov.options_.max_iterations;
      }
      for (std::size_t k = n; k-- > 0;) {
        y[k] = g[k];
        for (std::size_t l = k + 1; l < n; ++l) y[k] -= h[l][k] * y[l];
        y[k] /= h[k][k];
      }
      // x += preconditioner(sum of directions), and the residual that is left.
      if (n > 0) {
        combine(y[0], r, 0, r, sum);
        for (std::size_t k = 1; k < n; ++k) combine(y[k], direction(k), 1, sum, sum);
        preconditioner(sum, z);
        combine(1, z, 1, x, x);
        map(z, w);
        combine(norm, r, -1, w, r);
      }
      if (result.reason == LinearResult::Reason::stalled) return;
    }
  }
};

template <class Space, class Real>
LinearResult Krylov<Space, Real>::solve(const Space& space, const Map& map,
                                        const Map& preconditioner, const View& x, const View& b,
                                        double tolerance) {
  Solve solve{*this, space, map, preconditioner, x, b, tolerance};
  solve.take_from_right_side(vector(0));
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
