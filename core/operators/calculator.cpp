#include <xp/operators/calculator.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace xp {

template <class Space, class Real>
StencilInputs<Space, Real> make_inputs(const CalculatorSetup& setup) {
  StencilInputs<Space, Real> inputs;
  const Grid& grid = *setup.grid;
  inputs.geometry = grid.geometry();
  for (const Axis axis : all_axes) {
    inputs.cells[index(axis)] = grid.cells(axis);
    inputs.wraps[index(axis)] = grid.periodic(axis);
    const double spacing = inputs.geometry.spacing[index(axis)];
    inputs.inverse[index(axis)] = 1 / spacing;
    inputs.inverse_square[index(axis)] = 1 / (spacing * spacing);
  }
  inputs.seed = setup.seed;
  inputs.order = setup.order;
  inputs.advection = setup.advection;
  inputs.dimensions = grid.dimensions();
  return inputs;
}

template <class Space, class Real>
Calculator<Space, Real>::Calculator(Computation computation, const CalculatorSetup& setup)
    : computation_(std::move(computation)),
      grid_(*setup.grid),
      communicator_(setup.communicator),
      last_(computation_.last),
      inputs_(make_inputs<Space, Real>(setup)),
      measure_(setup.grid->cells(Region::own), *setup.communicator) {
  if (computation_.numbers > max_expression_numbers)
    throw Error(ErrorKind::input, "more than " + std::to_string(max_expression_numbers) +
                                      " reductions and functions of t are needed at once");
  inputs_.array_count = computation_.arrays();
  for (const Temporary& temporary : computation_.temporaries) {
    ghosts_.emplace_back();
    if (!temporary.is_read_around || temporary.is_pointwise) continue;
    // Without conditions of its own all ends follow each other.
    BoundaryConditions conditions;
    if (const auto found = setup.conditions.find(temporary.conditions);
        found != setup.conditions.end())
      conditions = found->second;
    ghosts_.back() = GhostFiller<Space, Real>(grid_, conditions, setup.order);
  }
}

template <class Space, class Real>
bool Calculator<Space, Real>::is_read_around(int array) const {
  return computation_.temporaries[static_cast<std::size_t>(array - computation_.fields)]
      .is_read_around;
}

template <class Space, class Real>
std::int64_t Calculator<Space, Real>::memory() const {
  std::int64_t bytes = 0;
  for (std::size_t n = 0; n < computation_.temporaries.size(); ++n)
    bytes += Field<Space, Real>::bytes(grid_, FieldInfo()) + ghosts_[n].memory();
  return bytes;
}

template <class Space, class Real>
void Calculator<Space, Real>::allocate() {
  arrays_.clear();
  steps_.clear();
  static_steps_.clear();
  halos_.clear();
  statics_done_ = false;
  bool corners = false;
  for (const Stencil& stencil : computation_.stencils()) corners |= reads_corners(stencil);
  for (std::size_t n = 0; n < computation_.temporaries.size(); ++n) {
    const Temporary& temporary = computation_.temporaries[n];
    FieldInfo info;
    info.name = "temporary";
    arrays_.emplace_back(grid_, info);
    inputs_.arrays[computation_.fields + static_cast<int>(n)] = arrays_.back().view();
    std::unique_ptr<HaloExchange<Space, Real>> halo;
    if (temporary.is_read_around && !temporary.is_pointwise) {
      ghosts_[n].allocate();
      halo = std::make_unique<HaloExchange<Space, Real>>(
          grid_, *communicator_, std::vector<FieldEnds>{ghosts_[n].ends()}, corners);
    }
    halos_.push_back(std::move(halo));
  }
  exchanged_.resize(1);
  for (const Step& step : computation_.steps)
    (step.is_static ? static_steps_ : steps_)
        .push_back({&step, DeviceProgram<Space>(step.program)});
}

template <class Space, class Real>
std::vector<double> Calculator<Space, Real>::slots() const {
  std::vector<double> slots(static_cast<std::size_t>(Program::slot_fields + inputs_.array_count),
                            0.0);
  slots[Program::slot_time] = inputs_.time;
  slots.insert(slots.end(), inputs_.numbers, inputs_.numbers + computation_.numbers);
  return slots;
}

template <class Space, class Real>
void Calculator<Space, Real>::fill_arrays(const Space& space, const DeviceProgram<Space>& program,
                                          const Box& box, const Targets& targets) const {
  constexpr int width = chunk_width<Space>;
  const StencilInputs<Space, Real> inputs = inputs_;
  const int outputs = program.outputs();
  for_each_row(
      space, "expression", box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        Lanes<width> work;
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          program.template run<width>(typename StencilInputs<Space, Real>::Row(inputs, k, j, chunk),
                                      lanes, work);
          for (int n = 0; n < outputs; ++n) {
            Real* const out = &targets.list[n](k, j, chunk);
            const double* const values = program.output(n, work);
            const double constant = program.constant(n);
            if (values == nullptr) {
              for (int lane = 0; lane < lanes; ++lane) out[lane] = static_cast<Real>(constant);
            } else {
              XP_VECTORISE
              for (int lane = 0; lane < lanes; ++lane) out[lane] = static_cast<Real>(values[lane]);
            }
          }
        }
      });
}

template <class Space, class Real>
void Calculator<Space, Real>::fill_ghosts(const Space& space, int array) {
  const auto n = static_cast<std::size_t>(array - computation_.fields);
  exchanged_[0] = inputs_.arrays[array];
  ghosts_[n].fill(space, exchanged_[0], inputs_.time);
  if (!halos_[n]->has_neighbours()) return;
  halos_[n]->start(space, exchanged_);
  halos_[n]->finish(space, exchanged_);
}

template <class Space, class Real>
void Calculator<Space, Real>::take(const Space& space, const Prepared& prepared) {
  const Step& step = *prepared.step;
  if (step.kind == Step::Kind::number) {
    inputs_.numbers[step.number] = step.program(slots());
    return;
  }
  if (step.kind == Step::Kind::reduction) {
    using Kind = Reduction::Kind;
    const Kind kind = step.reduction;
    const Want want = kind == Kind::min || kind == Kind::max ? Want::extrema
                      : kind == Kind::norm                   ? Want::sum_square
                                                             : Want::sum;
    const Sums sums = measure_.of_program(space, prepared.program, inputs_, want);
    const double cells = static_cast<double>(sums.count);
    double value = 0;
    switch (kind) {
      case Kind::integral:
        value = sums.sum * grid_.cell_volume();
        break;
      case Kind::mean:
        value = sums.sum / cells;
        break;
      case Kind::min:
        value = sums.not_finite ? NAN : sums.min;
        break;
      case Kind::max:
        value = sums.not_finite ? NAN : sums.max;
        break;
      case Kind::norm:
        value = std::sqrt(sums.sum_square / cells);
        break;
    }
    inputs_.numbers[step.number] = value;
    return;
  }
  // All targets of a step are made over the same cells: with the ghost cells, where those follow
  // from the ghost cells of other arrays.
  const auto& first =
      computation_.temporaries[static_cast<std::size_t>(step.targets[0] - computation_.fields)];
  Targets targets;
  for (std::size_t n = 0; n < step.targets.size(); ++n)
    targets.list[n] = inputs_.arrays[step.targets[n]];
  fill_arrays(space, prepared.program,
              grid_.cells(first.is_pointwise ? Region::ghosted : Region::own), targets);
  for (const int array : step.targets)
    if (is_read_around(array) && !first.is_pointwise) fill_ghosts(space, array);
}

template <class Space, class Real>
void Calculator<Space, Real>::prepare(const Space& space,
                                      const std::vector<FieldView<Space, Real>>& fields,
                                      double time) {
  for (int f = 0; f < computation_.fields; ++f)
    inputs_.arrays[f] = fields[static_cast<std::size_t>(f)];
  inputs_.time = time;
  prepare_static(space);
  for (const Prepared& prepared : steps_) take(space, prepared);
}

template <class Space, class Real>
void Calculator<Space, Real>::prepare_static(const Space& space) {
  if (statics_done_) return;
  for (const Prepared& prepared : static_steps_) take(space, prepared);
  statics_done_ = true;
}

template <class Space, class Real>
bool Calculator<Space, Real>::is_single_pass() const {
  return std::all_of(computation_.steps.begin(), computation_.steps.end(),
                     [](const Step& step) { return step.is_static; });
}

template <class Space, class Real>
double Calculator<Space, Real>::number() const {
  return computation_.last(slots());
}

template <class Space, class Real>
void Calculator<Space, Real>::write(const Space& space,
                                    const FieldView<Space, Real>& target) const {
  const Box own = grid_.cells(Region::own);
  Targets targets;
  // A view whose own cells begin where those of the grid do.
  targets.list[0] = target.moved(-own.lower[2], -own.lower[1], -own.lower[0]);
  fill_arrays(space, last_, own, targets);
}

template <class Space, class Real>
double Calculator<Space, Real>::halo_seconds() const {
  double seconds = 0;
  for (const auto& halo : halos_)
    if (halo) seconds += halo->seconds();
  return seconds;
}

#define XP_CALCULATOR(Space, Real)        \
  template class Calculator<Space, Real>; \
  template StencilInputs<Space, Real> make_inputs<Space, Real>(const CalculatorSetup& setup);
XP_INSTANTIATE(XP_CALCULATOR)
#undef XP_CALCULATOR

}  // namespace xp
