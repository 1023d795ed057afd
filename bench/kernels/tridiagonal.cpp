// Tridiagonal systems along each axis, in place, and the same by hand.

#include <common/plain_loops.hpp>
#include <kernels/bench.hpp>
#include <xp/solvers/linear/tridiagonal.hpp>

namespace bench {
namespace {

const std::vector<std::vector<int>> sizes = {{4096, 4096}, {256, 256, 256}, {1000, 1000}};

std::string label(const std::vector<int>& cells, int axis) {
  std::string text;
  for (const int n : cells) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text + "/" + xp::letter(static_cast<xp::Axis>(axis));
}

double count_of(const std::vector<int>& cells) {
  double count = 1;
  for (const int n : cells) count *= n;
  return count;
}

// u is read and written; where coefficients vary `arrays` numbers of the factors are read for each
// cell.
template <class Real>
void report_lines(benchmark::State& state, double seconds, double cells, int arrays, int threads) {
  const double bytes = sizeof(Real) * cells;
  report(state, seconds, cells, (2 + arrays) * bytes, (1 + arrays) * bytes, threads);
}

template <class Space, class Real>
void solve_lines(benchmark::State& state, xp::Backend backend, const std::vector<int>& cells,
                 int axis, bool wraps, bool varies) {
  const auto a = static_cast<std::size_t>(axis);
  xp::GridSpec spec;
  spec.dimensions = static_cast<int>(cells.size());
  for (std::size_t n = 0; n < cells.size(); ++n) spec.cells[n] = cells[n];
  spec.periodic[a] = wraps;
  const xp::Grid grid(spec);
  const xp::Communicator self(MPI_COMM_SELF);
  std::array<xp::BoundaryCondition, 2> ends;
  for (xp::BoundaryCondition& side : ends) {
    side.kind = wraps ? xp::BoundaryKind::periodic : xp::BoundaryKind::dirichlet;
    side.value = xp::Program::of(0);
  }
  const Space space;
  xp::Field<Space, Real> u(grid, {}), beta;
  xp::EllipticOperator<Space, Real> op;
  if (varies) {
    beta = xp::Field<Space, Real>(grid, {});
    Kokkos::deep_copy(beta.memory(), Real(1));
    op.coefficients = xp::Coefficients::faces;
    op.faces[a] = beta.view();
  }
  xp::TridiagonalSolver<Space, Real> solver(grid, self, static_cast<xp::Axis>(axis), ends, op);
  // A step of heat along the axis, of ten times the explicit limit.
  const double h = grid.spacing(static_cast<xp::Axis>(axis));
  solver.factor(space, 1, 5 * h * h);
  Kokkos::deep_copy(u.memory(), Real(1));
  const double count = count_of(cells);
  const double seconds = time_steps(
      state, count, [&] { solver.solve(space, u.view(), u.view()); }, [&] { space.fence(); });
  report_lines<Real>(state, seconds, count, varies ? (wraps ? 3 : 2) : 0, xp::threads(backend));
}

// Thomas' algorithm as in textbooks, factors made in advance: line by line along x, row by row of
// a plane along y and z.
template <class Real>
void plain_lines(Real* __restrict u, int nx, std::int64_t lines, const Real* __restrict link,
                 const Real* __restrict inverse) {
  for (std::int64_t line = 0; line < lines; ++line) {
    Real* const row = u + line * nx;
    for (int i = 1; i < nx; ++i) row[i] -= link[i] * row[i - 1];
    row[nx - 1] *= inverse[nx - 1];
    for (int i = nx - 2; i >= 0; --i) row[i] = inverse[i] * row[i] - link[i + 1] * row[i + 1];
  }
}
template <class Real>
void plain_rows(Real* u, int nx, int count, std::int64_t stride, const Real* link,
                const Real* inverse) {
  for (int n = 1; n < count; ++n) {
    Real* __restrict const row = u + n * stride;
    const Real* __restrict const before = row - stride;
    for (int i = 0; i < nx; ++i) row[i] -= link[n] * before[i];
  }
  for (int i = 0; i < nx; ++i) u[(count - 1) * stride + i] *= inverse[count - 1];
  for (int n = count - 2; n >= 0; --n) {
    Real* __restrict const row = u + n * stride;
    const Real* __restrict const after = row + stride;
    for (int i = 0; i < nx; ++i) row[i] = inverse[n] * row[i] - link[n + 1] * after[i];
  }
}

template <class Real>
void plain_solve(benchmark::State& state, const std::vector<int>& cells, int axis) {
  const double count = count_of(cells);
  auto u = plain::make_array<Real>(static_cast<std::int64_t>(count), 1);
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(count); ++n) u[n] = 1;
  const int nx = cells[0], ny = cells[1], nz = cells.size() > 2 ? cells[2] : 1;
  const int n = cells[static_cast<std::size_t>(axis)];
  std::vector<Real> link(static_cast<std::size_t>(n)), inverse(link);
  double last = 0;
  for (std::size_t c = 0; c < link.size(); ++c) {
    link[c] = static_cast<Real>(last);
    const double pivot = (c == 0 || c + 1 == link.size() ? 16 : 11) + 5 * last;
    inverse[c] = static_cast<Real>(1 / pivot);
    last = -5 / pivot;
  }
  const double seconds = time_steps(
      state, count,
      [&] {
        if (axis == 0)
          plain_lines(u.get(), nx, std::int64_t{ny} * nz, link.data(), inverse.data());
        else if (axis == 1)
          for (int k = 0; k < nz; ++k)
            plain_rows(u.get() + std::int64_t{k} * nx * ny, nx, ny, nx, link.data(),
                       inverse.data());
        else
          for (int j = 0; j < ny; ++j)
            plain_rows(u.get() + std::int64_t{j} * nx, nx, nz, std::int64_t{nx} * ny, link.data(),
                       inverse.data());
        benchmark::ClobberMemory();
      },
      [] {});
  report_lines<Real>(state, seconds, count, 0, 1);
}

template <class Real>
void register_lines(const std::vector<int>& cells, int axis, const std::string& precision) {
  const std::string where = label(cells, axis) + "/" + precision + "/";
  add("tridiagonal/plain/" + where + "threads:1",
      [=](benchmark::State& state) { plain_solve<Real>(state, cells, axis); });
  for (const bool varies : {false, true})
    for (const bool wraps : {false, true})
      for_each_backend([&](xp::Backend backend, const std::string& name) {
        add("tridiagonal/" + where + (varies ? "variable/" : "constant/") +
                (wraps ? "periodic/" : "walls/") + name,
            [=](benchmark::State& state) {
              xp::with_space(backend, [&](auto space) {
                solve_lines<decltype(space), Real>(state, backend, cells, axis, wraps, varies);
              });
            });
      });
}

}  // namespace

void register_tridiagonal(const Options&) {
  for (const std::vector<int>& cells : sizes)
    for (int axis = 0; axis < static_cast<int>(cells.size()); ++axis) {
      register_lines<double>(cells, axis, "double");
      register_lines<float>(cells, axis, "float");
    }
}

}  // namespace bench
