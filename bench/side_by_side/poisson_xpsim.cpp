// xpsim as a contender of bench/side_by_side/poisson; poisson_problem.hpp has the protocol.
//
//   xp_bench_poisson METHOD BACKEND THREADS CELLS constant|variable
//                                                            METHOD: multigrid, cg: cycles in
//                                                            float; multigrid-double, cg-double

#include <memory>
#include <stdexcept>
#include <string>

#include <side_by_side/poisson_problem.hpp>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/runtime/version.hpp>
#include <xp/solvers/linear/elliptic_solver.hpp>

namespace {

xp::GridSpec cube(int cells) {
  xp::GridSpec spec;
  spec.dimensions = 3;
  spec.cells = {cells, cells, cells};
  return spec;
}

xp::BoundaryConditions walls() {
  xp::BoundaryConditions conditions;
  for (auto& axis : conditions)
    for (xp::BoundaryCondition& side : axis) {
      side.kind = xp::BoundaryKind::dirichlet;
      side.value = xp::Program::of(0);
    }
  return conditions;
}

xp::FieldInfo named(const char* name) {
  xp::FieldInfo info;
  info.name = name;
  return info;
}

template <class Space>
class Xpsim final : public poisson::Contender {
 public:
  Xpsim(const poisson::Problem& problem, const poisson::Slab& slab,
        const xp::LinearOptions& options)
      : problem_(problem),
        options_(options),
        communicator_(MPI_COMM_WORLD),
        grid_(cube(problem.cells()), xp::Decomposition(cube(problem.cells()), {1, 1, slab.ranks}),
              slab.rank),
        u_(grid_, named("u")),
        f_(grid_, named("f")),
        ghosts_(grid_, walls(), xp::Order::second),
        halo_(grid_, communicator_, {ghosts_.ends()}) {
    if (!problem.variable()) return;
    op_.coefficients = xp::Coefficients::faces;
    for (const xp::Axis axis : xp::all_axes) {
      const int a = xp::index(axis);
      faces_[a] = xp::Field<Space, double>(grid_, named("beta"));
      set(faces_[a], grid_.faces(axis),
          [&](int k, int j, int i) { return problem.beta(a, k, j, i); });
      op_.faces[a] = faces_[a].view();
    }
  }

  void set_up() override {
    solver_.reset();
    solver_ = std::make_unique<xp::EllipticSolver<Space, double>>(grid_, communicator_, walls(),
                                                                  op_, options_);
  }
  void set_right_side(bool smooth) override {
    const xp::Box own = grid_.cells(xp::Region::own);
    set(f_, own, [&](int k, int j, int i) { return problem_.f(smooth, k, j, i); });
    set(u_, own, [](int, int, int) { return 0.0; });
  }
  int solve() override {
    const Space space;
    const std::vector<xp::FieldView<Space, double>> exchanged{u_.view()};
    const xp::LinearResult result = solver_->solve(space, u_.view(), f_.view(), [&] {
      ghosts_.fill(space, u_.view(), 0);
      halo_.start(space, exchanged);
      halo_.finish(space, exchanged);
    });
    if (!result.converged())
      throw std::runtime_error(result.message(options_.tolerance, options_.max_iterations));
    return result.iterations;
  }
  void copy_solution(double* u) override {
    const auto host = xp::host_mirror(u_);
    const xp::Box own = grid_.cells(xp::Region::own);
    for (int k = own.lower[2]; k < own.upper[2]; ++k)
      for (int j = own.lower[1]; j < own.upper[1]; ++j)
        for (int i = own.lower[0]; i < own.upper[0]; ++i) *u++ = host(0, k, j, i);
  }
  std::string info() override {
    const xp::BuildInfo build = xp::build_info();
    return "{\"kokkos\": \"" + build.kokkos + "\", \"mpi\": \"" + build.mpi + "\"}";
  }

 private:
  // To what `value` gives at global indices.
  template <class Value>
  void set(const xp::Field<Space, double>& field, const xp::Box& box, const Value& value) const {
    const auto host = xp::host_mirror(field);
    const auto at = [&](int axis, int local) {
      return static_cast<int>(grid_.geometry().first[axis]) + local;
    };
    for (int k = box.lower[2]; k < box.upper[2]; ++k)
      for (int j = box.lower[1]; j < box.upper[1]; ++j)
        for (int i = box.lower[0]; i < box.upper[0]; ++i)
          host(0, k, j, i) = value(at(2, k), at(1, j), at(0, i));
    xp::to_device(host, field);
  }

  const poisson::Problem& problem_;
  xp::LinearOptions options_;
  xp::Communicator communicator_;
  xp::Grid grid_;
  xp::Field<Space, double> u_, f_, faces_[3];
  xp::EllipticOperator<Space, double> op_;
  xp::GhostFiller<Space, double> ghosts_;
  xp::HaloExchange<Space, double> halo_;
  std::unique_ptr<xp::EllipticSolver<Space, double>> solver_;
};

xp::LinearOptions options_of(std::string method) {
  xp::LinearOptions options;
  options.tolerance = poisson::tolerance;
  const std::string ending = "-double";
  if (method.ends_with(ending)) {
    options.mixed = false;
    method.resize(method.size() - ending.size());
  }
  if (method == "cg")
    options.method = xp::LinearMethod::cg;
  else if (method != "multigrid")
    throw std::runtime_error("no method '" + method + "'");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: xp_bench_poisson METHOD BACKEND THREADS CELLS constant|variable\n", stderr);
    return 2;
  }
  return poisson::main_of("xp_bench_poisson", [&] {
    const xp::KokkosSession kokkos(std::stoi(argv[3]), {});
    const double at_start = poisson::memory("VmRSS");
    const poisson::Problem problem(std::stoi(argv[4]), argv[5] == std::string("variable"));
    const poisson::Slab slab(problem.cells());
    xp::with_space(xp::backend_from_name(argv[2]), [&](auto space) {
      Xpsim<decltype(space)> contender(problem, slab, options_of(argv[1]));
      poisson::serve(problem, slab, contender, at_start);
    });
  });
}
