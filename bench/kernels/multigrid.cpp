// Multigrid on a cube with walls at 0, piece by piece on the finest level, as a cycle and as a
// solve. Bytes are those of each kernel by itself: its arrays read once and written once, with the
// read that a write to memory not read before causes.

#include <kernels/bench.hpp>
#include <side_by_side/poisson_problem.hpp>
#include <xp/solvers/linear/elliptic_solver.hpp>

namespace bench {
namespace {

struct Case {
  int cells;
  bool variable;
  xp::Backend backend;

  double count() const { return static_cast<double>(cells) * cells * cells; }
  /// Arrays of beta, one for each axis.
  int faces() const { return variable ? 3 : 0; }
};

xp::Grid cube(int cells) {
  xp::GridSpec spec;
  spec.dimensions = 3;
  spec.cells = {cells, cells, cells};
  return xp::Grid(spec);
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

template <class Space, class Real, class Value>
xp::Field<Space, Real> array(const xp::Grid& grid, const xp::Box& box, const Value& value) {
  xp::FieldInfo info;
  info.name = "bench";
  const xp::Field<Space, Real> field(grid, info);
  const auto host = xp::host_mirror(field);
  for (int k = box.lower[2]; k < box.upper[2]; ++k)
    for (int j = box.lower[1]; j < box.upper[1]; ++j)
      for (int i = box.lower[0]; i < box.upper[0]; ++i)
        host(0, k, j, i) = static_cast<Real>(value(k - 1, j - 1, i - 1));
  xp::to_device(host, field);
  return field;
}

// The problem as its solver takes it.
template <class Space, class Real>
struct Fine {
  poisson::Problem problem;
  xp::Grid grid;
  xp::Communicator communicator{MPI_COMM_SELF};
  xp::Field<Space, Real> u, f, faces[3];
  xp::EllipticOperator<Space, Real> op;
  xp::GhostFiller<Space, Real> ghosts;

  explicit Fine(const Case& c)
      : problem(c.cells, c.variable),
        grid(cube(c.cells)),
        u(array<Space, Real>(grid, {}, [](int, int, int) { return 0; })),
        f(array<Space, Real>(grid, grid.cells(xp::Region::own),
                             [&](int k, int j, int i) { return problem.f(false, k, j, i); })),
        ghosts(grid, walls(), xp::Order::second) {
    if (!c.variable) return;
    op.coefficients = xp::Coefficients::faces;
    for (const xp::Axis axis : xp::all_axes) {
      const int a = xp::index(axis);
      faces[a] = array<Space, Real>(grid, grid.faces(axis),
                                    [&](int k, int j, int i) { return problem.beta(a, k, j, i); });
      op.faces[a] = faces[a].view();
    }
  }
};

xp::LevelShape shape_of(int cells) {
  xp::LevelShape shape;
  shape.dimensions = 3;
  const xp::AxisEnd wall{false, false, 1, 0};
  for (xp::LevelAxis& axis : shape.axes) axis = xp::LevelAxis(cells, 1.0 / cells, wall, wall);
  shape.decomposition = cube(cells).decomposition();
  return shape;
}

// The finest level of a hierarchy and the next, filled with something.
template <class Space, class Real>
struct Levels {
  Fine<Space, double> from;
  xp::Level<Space, Real> fine, coarse;

  explicit Levels(const Case& c)
      : from(c),
        fine(shape_of(c.cells), from.communicator, from.op.coefficients, c.cells, 0, false,
             xp::Smoother::red_black),
        coarse(shape_of(c.cells).coarsened(fine.shape().next()), from.communicator,
               from.op.coefficients, c.cells, 0, false, xp::Smoother::red_black) {
    const Space space;
    if (c.variable)
      for (const xp::Axis axis : xp::all_axes)
        xp::copy_scaled(space, from.grid.faces(axis), from.op.faces[xp::index(axis)], 1,
                        fine.view().faces[xp::index(axis)]);
    if (c.variable) coarse.coarsen_coefficients(space, fine);
    xp::copy_scaled(space, fine.own(), from.f.view(), 1, fine.b());
    xp::copy_scaled(space, coarse.own(), from.f.view(), 1, coarse.u());
  }
};

// Words per cell of each kernel, for arrays of one precision.
double smooth_words(const Case& c) {
  return 2 * (3 + c.faces());
}
double restrict_words(const Case& c) {
  return 2 + c.faces() + 2.0 / 8;
}
constexpr double prolong_words = 2 + 1.0 / 8;

template <class Space, class Real>
void register_pieces(const Case& c, const std::string& name) {
  const auto piece = [&](const std::string& what, double words, const auto& work) {
    add("multigrid/" + what + "/" + name, [=](benchmark::State& state) {
      Levels<Space, Real> levels(c);
      const Space space;
      const double seconds = time_steps(
          state, c.count(), [&] { work(space, levels); }, [&] { space.fence(); });
      report(state, seconds, c.count(), words * sizeof(Real) * c.count(),
             (2 + c.faces()) * sizeof(Real) * c.count(), xp::threads(c.backend));
    });
  };
  using L = Levels<Space, Real>;
  piece("smooth", smooth_words(c),
        [](const Space& space, L& levels) { levels.fine.smooth(space, 1, Real(1.2), false); });
  piece("restrict", restrict_words(c),
        [](const Space& space, L& levels) { levels.fine.restrict_to(space, levels.coarse); });
  piece("prolong", prolong_words,
        [](const Space& space, L& levels) { levels.fine.add_from(space, levels.coarse); });
  piece("zero", 2, [](const Space& space, L& levels) { levels.fine.set_to_zero(space); });
  // The solver's own residual, of fields in double.
  const double doubles = 2 + c.faces();
  piece("residual", 2 + doubles * sizeof(double) / sizeof(Real), [](const Space& space, L& levels) {
    const Fine<Space, double>& from = levels.from;
    from.op.residual(space, from.grid, from.u.view(), from.f.view(), 1, levels.fine.b());
  });

  add("multigrid/cycle/" + name, [=](benchmark::State& state) {
    const Fine<Space, double> from(c);
    const xp::MultigridOptions options;
    xp::Multigrid<Space, Real> multigrid(from.grid, from.communicator, walls(), from.op, options);
    const Space space;
    xp::copy_scaled(space, from.grid.cells(xp::Region::own), from.f.view(), 1,
                    multigrid.right_side());
    const double seconds = time_steps(
        state, c.count(), [&] { multigrid.cycle(space); }, [&] { space.fence(); });
    const double words = 8.0 / 7 *
                         ((options.before + options.after) * smooth_words(c) + restrict_words(c) +
                          prolong_words + 2);
    report(state, seconds, c.count(), words * sizeof(Real) * c.count(),
           (2 + c.faces()) * sizeof(Real) * c.count(), xp::threads(c.backend));
  });
}

// Fields in double, to 1e-8; `sweeps` is the time over that of 24 bytes per cell at the triad.
template <class Space>
void register_solve(const Case& c, bool mixed, const std::string& name) {
  add("multigrid/solve/" + name, [=](benchmark::State& state) {
    const Fine<Space, double> from(c);
    xp::LinearOptions options;
    options.tolerance = poisson::tolerance;
    options.mixed = mixed;
    xp::EllipticSolver<Space, double> solver(from.grid, from.communicator, walls(), from.op,
                                             options);
    const Space space;
    xp::GhostFiller<Space, double> ghosts = from.ghosts;
    int iterations = 0;
    const double seconds = time_steps(
        state, 100 * c.count(),
        [&] {
          xp::Field<Space, double>::set_to_zero(space, from.u.view(),
                                                from.grid.cells(xp::Region::ghosted));
          iterations = solver
                           .solve(space, from.u.view(), from.f.view(),
                                  [&] { ghosts.fill(space, from.u.view(), 0); })
                           .iterations;
        },
        [&] { space.fence(); });
    state.counters["cells/s"] = c.count() / seconds;
    state.counters["iterations"] = iterations;
    state.counters["sweeps"] = seconds * triad_rate(xp::threads(c.backend)) / (24 * c.count());
  });
}

}  // namespace

void register_multigrid(const Options&) {
  for (const int cells : {128, 256})
    for (const bool variable : {false, true})
      for_each_backend([&](xp::Backend backend, const std::string& where) {
        const Case c{cells, variable, backend};
        xp::with_space(backend, [&](auto space) {
          using Space = decltype(space);
          const auto name = [&](const char* precision) {
            return std::to_string(cells) + "^3/" + (variable ? "variable" : "constant") + "/" +
                   precision + "/" + where;
          };
          register_pieces<Space, float>(c, name("float"));
          register_pieces<Space, double>(c, name("double"));
          register_solve<Space>(c, true, name("float"));
          register_solve<Space>(c, false, name("double"));
        });
      });
}

}  // namespace bench
