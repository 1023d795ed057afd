#include <xp/time/stability.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace xp {
namespace {

using Complex = std::complex<double>;
constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What a step makes of u' = z u with step 1, for u = 1.
Complex amplification(const Scheme& scheme, Complex z) {
  std::vector<Complex> slots(static_cast<std::size_t>(scheme.slots), 0.0);
  slots[0] = 1;
  for (const Stage& stage : scheme.stages) {
    const Complex rate = z * slots[static_cast<std::size_t>(stage.in)];
    std::vector<Complex> next = slots;
    for (const StageOutput& output : stage.outputs) {
      Complex sum = output.rate * rate;
      for (const auto& [slot, coefficient] : output.terms)
        sum += coefficient * slots[static_cast<std::size_t>(slot)];
      next[static_cast<std::size_t>(output.slot)] = sum;
    }
    slots = next;
  }
  return slots[static_cast<std::size_t>(scheme.result)];
}

// The stencils of all terms, each once, and those of each term by their numbers.
struct TermNumbers {
  std::vector<Stencil> stencils;
  std::vector<std::vector<std::size_t>> of_term;

  explicit TermNumbers(const std::vector<LinearTerm>& terms) : of_term(terms.size()) {
    for (std::size_t n = 0; n < terms.size(); ++n)
      for (const Stencil& stencil : terms[n].stencils) {
        const auto found =
            std::find_if(stencils.begin(), stencils.end(),
                         [&](const Stencil& other) { return other.packed() == stencil.packed(); });
        of_term[n].push_back(static_cast<std::size_t>(found - stencils.begin()));
        if (found == stencils.end()) stencils.push_back(stencil);
      }
  }
};

// The factor of a wave with angles `angle` per cell.
class WaveFactors {
 public:
  // Of these stencils; terms name them by their number.
  WaveFactors(const WaveSetup& setup, const std::vector<Stencil>& stencils,
              const double (&angle)[3])
      : setup_(setup), stencils_(stencils), angle_(angle) {
    for (const Stencil& stencil : stencils)
      symbols_.push_back(stencil.kind == StencilKind::flux ? advective(stencil.axis)
                                                           : symbol(stencil));
  }

  // Of a term whose coefficient is c.
  Complex of(const std::vector<std::size_t>& numbers, double c) const {
    Complex product = c;
    for (const std::size_t n : numbers) {
      if (stencils_[n].kind == StencilKind::flux)
        // Upwinding damps whatever the sign of the velocity.
        product = product * Complex(0, symbols_[n].imag()) - std::abs(product) * symbols_[n].real();
      else
        product *= symbols_[n];
    }
    return product;
  }

 private:
  double h(int axis) const {
    return setup_.grid->spacing(static_cast<Axis>(axis)) / setup_.refinement;
  }

  Complex symbol(const Stencil& stencil) const {
    switch (stencil.kind) {
      case StencilKind::first:
        return first(stencil.axis);
      case StencilKind::mixed:
        return first(stencil.axis) * first(stencil.other);
      case StencilKind::laplacian: {
        double sum = 0;
        for (int axis = 0; axis < setup_.grid->dimensions(); ++axis) sum += second(axis);
        return sum;
      }
      default:
        return second(stencil.axis);
    }
  }
  Complex first(int axis) const {
    const double t = angle_[axis];
    const double sine =
        setup_.order == Order::second ? std::sin(t) : std::sin(t) * (4 - std::cos(t)) / 3;
    return {0, sine / h(axis)};
  }
  double second(int axis) const {
    const double t = angle_[axis], square = h(axis) * h(axis);
    if (setup_.order == Order::second) return -(2 - 2 * std::cos(t)) / square;
    // At walls with a given value the largest eigenvalue is 6.5977 (7.0147 on few cells) instead
    // of 16/3: found numerically.
    const double most = setup_.grid->cells(static_cast<Axis>(axis)) < 16 ? 7.0147 : 6.5977;
    const double walls = setup_.walls[axis] ? most / (16. / 3) : 1;
    return -walls * (2.5 - 8. / 3 * std::cos(t) + std::cos(2 * t) / 6) / square;
  }
  // Derivative of what is carried along: damping and phase.
  Complex advective(int axis) const {
    const double t = angle_[axis];
    switch (setup_.advection) {
      case Advection::central2:
        return Complex(0, std::sin(t)) / h(axis);
      case Advection::upwind1:
        return Complex(1 - std::cos(t), std::sin(t)) / h(axis);
      case Advection::vanleer:
        // Bounded by half the step of upwind1 (Sweby 1984: the limiter's slope is at most 2).
        return Complex(1 - std::cos(t), std::sin(t)) * 2.0 / h(axis);
      default:
        // The linear scheme of fifth order behind weno5.
        return Complex(20 - 30 * std::cos(t) + 12 * std::cos(2 * t) - 2 * std::cos(3 * t),
                       90 * std::sin(t) - 18 * std::sin(2 * t) + 2 * std::sin(3 * t)) /
               (60 * h(axis));
    }
  }

  const WaveSetup& setup_;
  const std::vector<Stencil>& stencils_;
  const double (&angle_)[3];
  std::vector<Complex> symbols_;
};

// Roots of the characteristic polynomial (Faddeev-LeVerrier) by Durand and Kerner's iteration.
std::vector<Complex> eigenvalues(std::vector<Complex> a, int n) {
  double scale = 0;
  for (const Complex& entry : a) scale = std::max(scale, std::abs(entry));
  if (scale == 0) return {};
  if (n == 1) return {a[0]};
  if (n == 2) {
    const Complex half = 0.5 * (a[0] + a[3]), difference = 0.5 * (a[0] - a[3]);
    const Complex root = std::sqrt(difference * difference + a[1] * a[2]);
    return {half + root, half - root};
  }
  const auto count = static_cast<std::size_t>(n);
  for (Complex& entry : a) entry /= scale;
  std::vector<Complex> coefficients(count + 1, 0.0), m(count * count, 0.0), product;
  coefficients[count] = 1;
  for (std::size_t k = 1; k <= count; ++k) {
    product.assign(count * count, 0.0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t l = 0; l < count; ++l)
        for (std::size_t j = 0; j < count; ++j)
          product[i * count + j] += a[i * count + l] * m[l * count + j];
    m = product;
    for (std::size_t i = 0; i < count; ++i) m[i * count + i] += coefficients[count - k + 1];
    Complex trace = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t l = 0; l < count; ++l) trace += a[i * count + l] * m[l * count + i];
    coefficients[count - k] = -trace / static_cast<double>(k);
  }
  std::vector<Complex> roots(count);
  for (std::size_t i = 0; i < count; ++i)
    roots[i] = std::pow(Complex(0.4, 0.9), static_cast<double>(i));
  // Simple roots are exact after a dozen iterations; those that coincide come nearer by a third in
  // each, down to rounding's root.
  constexpr double rounding = 1e-15;
  bool moved = true;
  for (int iteration = 0; iteration < 50 && moved; ++iteration) {
    moved = false;
    for (std::size_t i = 0; i < count; ++i) {
      const Complex before = roots[i];
      Complex value = 1, others = 1;
      for (std::size_t k = count; k-- > 0;) value = value * roots[i] + coefficients[k];
      for (std::size_t j = 0; j < count; ++j)
        if (j != i) others *= roots[i] - roots[j];
      if (std::abs(others) > 1e-300) roots[i] -= value / others;
      moved = moved || std::abs(roots[i] - before) > rounding;
    }
  }
  for (Complex& root : roots) root *= scale;
  return roots;
}

// The linearised equations' matrix for a wave; `coefficient` picks one of a term's range.
template <class Coefficient>
std::vector<Complex> wave_matrix(const std::vector<LinearTerm>& terms, const TermNumbers& numbers,
                                 int equations, const WaveSetup& setup, const double (&angle)[3],
                                 const Coefficient& coefficient) {
  const auto count = static_cast<std::size_t>(equations);
  const WaveFactors factors(setup, numbers.stencils, angle);
  std::vector<Complex> matrix(count * count, 0.0);
  for (std::size_t n = 0; n < terms.size(); ++n)
    matrix[static_cast<std::size_t>(terms[n].equation) * count +
           static_cast<std::size_t>(terms[n].field)] +=
        factors.of(numbers.of_term[n], coefficient(terms[n].coefficient));
  return matrix;
}

// Its eigenvalues. Left out are those that are zero but for rounding: of more than two fields they
// are found less exactly.
template <class Coefficient>
std::vector<Complex> of_wave(const std::vector<LinearTerm>& terms, const TermNumbers& numbers,
                             int equations, const WaveSetup& setup, const double (&angle)[3],
                             const Coefficient& coefficient) {
  std::vector<Complex> matrix = wave_matrix(terms, numbers, equations, setup, angle, coefficient);
  double scale = 0;
  for (const Complex& entry : matrix) scale = std::max(scale, std::abs(entry));
  scale *= equations > 2 ? 1e-5 : 1e-9;
  std::vector<Complex> values = eigenvalues(std::move(matrix), equations);
  values.erase(std::remove_if(values.begin(), values.end(),
                              [&](const Complex& value) { return !(std::abs(value) > scale); }),
               values.end());
  return values;
}

// Coefficients all at one end of their ranges, and all at the larger of both.
double end_of(const Interval& range, int choice) {
  if (choice == 0) return range.lower;
  if (choice == 1) return range.upper;
  return std::abs(range.lower) > std::abs(range.upper) ? range.lower : range.upper;
}
int choices(const std::vector<LinearTerm>& terms) {
  return std::all_of(terms.begin(), terms.end(),
                     [](const LinearTerm& term) {
                       return term.coefficient.lower == term.coefficient.upper;
                     })
             ? 1
             : 3;
}

// Calls use(angles) for waves of a grid. Waves and their mirror images are one: along x half of the
// angles are enough.
template <class Use>
void for_waves(int dimensions, int samples, const Use& use) {
  const int others_y = dimensions > 1 ? samples : 0, others_z = dimensions > 2 ? samples : 0;
  for (int z = -others_z; z <= others_z; ++z)
    for (int y = -others_y; y <= others_y; ++y)
      for (int x = 0; x <= samples; ++x) {
        const double angle[3] = {pi * x / samples, pi * y / samples, pi * z / samples};
        use(angle);
      }
}

// Matrices of a few rows, by rows.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<Complex> values;

  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
  Complex& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  const Complex& operator()(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows, b.columns);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t n = 0; n < a.columns; ++n)
      for (std::size_t c = 0; c < b.columns; ++c) product(r, c) += a(r, n) * b(n, c);
  return product;
}

// x of a x = b, by elimination with the largest pivots.
Matrix solve(Matrix a, Matrix b) {
  for (std::size_t n = 0; n < a.rows; ++n) {
    std::size_t pivot = n;
    for (std::size_t r = n + 1; r < a.rows; ++r)
      if (std::abs(a(r, n)) > std::abs(a(pivot, n))) pivot = r;
    for (std::size_t c = 0; c < a.columns; ++c) std::swap(a(n, c), a(pivot, c));
    for (std::size_t c = 0; c < b.columns; ++c) std::swap(b(n, c), b(pivot, c));
    for (std::size_t r = 0; r < a.rows; ++r) {
      if (r == n) continue;
      const Complex factor = a(r, n) / a(n, n);
      for (std::size_t c = n; c < a.columns; ++c) a(r, c) -= factor * a(n, c);
      for (std::size_t c = 0; c < b.columns; ++c) b(r, c) -= factor * b(n, c);
    }
  }
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < b.columns; ++c) b(r, c) /= a(r, r);
  return b;
}

// What a step makes of the state and of what the step before left: u' = explicit u + implicit u.
Matrix step_matrix(const Scheme& scheme, const Matrix& explicit_rate, const Matrix& implicit_rate,
                   double step) {
  const std::size_t count = explicit_rate.rows;
  std::vector<int> kept = {0};
  kept.insert(kept.end(), scheme.history.begin(), scheme.history.end());
  const std::size_t all = count * kept.size();
  std::vector<Matrix> slots(static_cast<std::size_t>(scheme.slots), Matrix(count, all));
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t n = 0; n < count; ++n)
      slots[static_cast<std::size_t>(kept[k])](n, k * count + n) = 1;
  for (const Stage& stage : scheme.stages) {
    Matrix& in = slots[static_cast<std::size_t>(stage.in)];
    if (stage.implicit > 0) {
      Matrix left(count, count);
      for (std::size_t n = 0; n < left.values.size(); ++n)
        left.values[n] = -stage.implicit * step * implicit_rate.values[n];
      for (std::size_t n = 0; n < count; ++n) left(n, n) += 1;
      in = solve(std::move(left), slots[static_cast<std::size_t>(stage.right_side)]);
    }
    if (stage.outputs.empty()) continue;
    const Matrix rate = (stage.part == Part::implicit_ ? implicit_rate : explicit_rate) * in;
    for (const StageOutput& output : stage.outputs) {
      Matrix sum(count, all);
      for (std::size_t n = 0; n < sum.values.size(); ++n) {
        sum.values[n] = output.rate * step * rate.values[n];
        for (const auto& [slot, coefficient] : output.terms)
          sum.values[n] += coefficient * slots[static_cast<std::size_t>(slot)].values[n];
      }
      slots[static_cast<std::size_t>(output.slot)] = std::move(sum);
    }
  }
  std::swap(slots[0], slots[static_cast<std::size_t>(scheme.result)]);
  Matrix result(all, all);
  for (std::size_t k = 0; k < kept.size(); ++k)
    std::copy(slots[static_cast<std::size_t>(kept[k])].values.begin(),
              slots[static_cast<std::size_t>(kept[k])].values.end(),
              result.values.begin() + static_cast<std::ptrdiff_t>(k * count * all));
  return result;
}

// Do no powers of a matrix grow, but for a factor that stays? The 2^14th is looked at.
bool is_stable(Matrix matrix) {
  constexpr double most = 1e12;
  for (int n = 0; n < 14; ++n) {
    matrix = matrix * matrix;
    double size = 0;
    for (const Complex& value : matrix.values) size = std::max(size, std::abs(value));
    if (!(size < most)) return false;
    if (size < 1e-3) return true;
  }
  return true;
}

// The largest rate of growth among the shortest waves of a grid.
double fastest_growth(const std::vector<LinearTerm>& terms, int equations, const WaveSetup& setup) {
  const int dimensions = setup.grid->dimensions();
  const int y_range = dimensions > 1 ? 2 : 0, z_range = dimensions > 2 ? 2 : 0;
  const TermNumbers numbers(terms);
  std::vector<Complex> all;
  for (int z = -z_range; z <= z_range; ++z)
    for (int y = -y_range; y <= y_range; ++y)
      for (int x = 0; x <= 2; ++x) {
        const double angle[3] = {pi * x / 2, pi * y / 2, pi * z / 2};
        for (const Complex& value : of_wave(terms, numbers, equations, setup, angle,
                                            [](const Interval& range) { return range.lower; }))
          all.push_back(value);
      }
  double largest = 0, fastest = 0;
  for (const Complex& value : all) largest = std::max(largest, std::abs(value));
  // Waves that only travel, and those without a slope along an axis, may seem to grow by rounding.
  for (const Complex& value : all)
    if (value.real() > 0.01 * std::abs(value) && value.real() > 1e-12 * largest)
      fastest = std::max(fastest, value.real());
  return fastest;
}

}  // namespace

StabilityRegion::StabilityRegion(const Scheme& scheme) : limit_(2 * scheme.limit) {
  constexpr double tolerance = 1e-10, farthest = 20, step = 0.01;
  for (int n = 0; n <= rays; ++n) {
    const double angle = pi / 2 + pi / 2 * n / rays;
    const Complex direction(std::cos(angle), std::sin(angle));
    const auto stable = [&](double s) {
      return std::abs(amplification(scheme, s * direction)) <= 1 + tolerance;
    };
    double low = 0;
    while (low < farthest && stable(low + step)) low += step;
    double high = low + step;
    for (int m = 0; low > 0 && m < 40; ++m) {
      const double middle = 0.5 * (low + high);
      (stable(middle) ? low : high) = middle;
    }
    reach_.push_back(low);
  }
}

double StabilityRegion::step(double real, double imaginary) const {
  const double size = std::hypot(real, imaginary);
  // Rounding must not make a wave of a decay or the other way round.
  const double decay = -real > 1e-9 * size ? -real : 0;
  if (size == 0 || real > 1e-9 * size) return infinity;
  const double angle = std::atan2(std::abs(imaginary), -decay);  // pi/2 to pi
  const double place = (angle - pi / 2) / (pi / 2) * rays;
  const int n = std::clamp(static_cast<int>(place), 0, rays - 1);
  const double part = std::clamp(place - n, 0.0, 1.0);
  const double by_region = ((1 - part) * reach_[static_cast<std::size_t>(n)] +
                            part * reach_[static_cast<std::size_t>(n) + 1]) /
                           size;
  return decay > 0 ? std::min(by_region, limit_ / decay) : by_region;
}

double stable_step(const StabilityRegion& region, const std::vector<LinearTerm>& terms,
                   int equations, const WaveSetup& setup) {
  if (terms.empty()) return infinity;
  const int dimensions = setup.grid->dimensions();
  const int samples = dimensions == 1 ? 128 : dimensions == 2 ? 16 : 6;
  double result = infinity;
  const TermNumbers numbers(terms);
  for (int choice = 0; choice < choices(terms); ++choice)
    for_waves(dimensions, samples, [&](const double(&angle)[3]) {
      const auto coefficient = [&](const Interval& range) { return end_of(range, choice); };
      for (const Complex& value : of_wave(terms, numbers, equations, setup, angle, coefficient))
        result = std::min(result, region.step(value.real(), value.imag()));
    });
  return result;
}

double stable_step(const Scheme& scheme, const std::vector<LinearTerm>& explicit_terms,
                   const std::vector<LinearTerm>& implicit_terms, int equations,
                   const WaveSetup& setup) {
  if (explicit_terms.empty()) return infinity;
  const int dimensions = setup.grid->dimensions();
  const int samples = dimensions == 1 ? 64 : dimensions == 2 ? 12 : 4;
  const auto count = static_cast<std::size_t>(equations);
  const TermNumbers plain(explicit_terms), stiff(implicit_terms);
  const int choice_count = std::max(choices(explicit_terms), choices(implicit_terms));
  struct Wave {
    Matrix plain, stiff;
  };
  std::vector<Wave> waves;
  double fastest = 0;
  for (int choice = 0; choice < choice_count; ++choice)
    for_waves(dimensions, samples, [&](const double(&angle)[3]) {
      const auto coefficient = [&](const Interval& range) { return end_of(range, choice); };
      Wave wave{Matrix(count, count), Matrix(count, count)};
      wave.plain.values = wave_matrix(explicit_terms, plain, equations, setup, angle, coefficient);
      wave.stiff.values = wave_matrix(implicit_terms, stiff, equations, setup, angle, coefficient);
      std::vector<Complex> sum = wave.plain.values;
      for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += wave.stiff.values[n];
      double size = 0;
      for (const Complex& value : sum) size = std::max(size, std::abs(value));
      for (const Complex& value : wave.plain.values) fastest = std::max(fastest, std::abs(value));
      for (const Complex& value : eigenvalues(std::move(sum), equations))
        if (value.real() > 1e-6 * size) return;
      waves.push_back(std::move(wave));
    });
  if (fastest == 0 || waves.empty()) return infinity;
  // Steps that are tried, over the largest rate of the explicit part.
  constexpr double least = 1. / 64, most = 4096;
  double limit = most;
  for (const Wave& wave : waves) {
    const auto stable = [&](double part) {
      return is_stable(step_matrix(scheme, wave.plain, wave.stiff, part / fastest));
    };
    double low = 0, high = least;
    while (high <= limit && stable(high)) {
      low = high;
      high *= 2;
    }
    if (high > limit) {
      if (low == limit || stable(limit)) continue;
      high = limit;
    }
    for (int n = 0; low > 0 && n < 10; ++n) {
      const double middle = 0.5 * (low + high);
      (stable(middle) ? low : high) = middle;
    }
    limit = low;
    if (limit == 0) return 0;
  }
  return limit == most ? infinity : limit / fastest;
}

bool grows_without_bound(const std::vector<LinearTerm>& terms, int equations,
                         const WaveSetup& setup) {
  // Grids so fine that the highest derivatives rule; growth by a first derivative is 16 times
  // faster on the finer one.
  WaveSetup coarse = setup, fine = setup;
  coarse.refinement = 16;
  fine.refinement = 256;
  return fastest_growth(terms, equations, fine) > 4 * fastest_growth(terms, equations, coarse);
}

}  // namespace xp
