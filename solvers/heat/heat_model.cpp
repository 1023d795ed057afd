#include <xp/solvers/heat/heat_model.hpp>

#include <cmath>

#include <xp/operators/measure.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>
#include <xp/solvers/heat/heat_kernels.hpp>
#include <xp/solvers/linear/face_coefficients.hpp>
#include <xp/time/sweep.hpp>

namespace xp {

namespace {

// Largest eigenvalue of minus the second difference along an axis, in units of 1/spacing^2. In the
// interior it is that of the wave that alternates from cell to cell: 4 for second order, 16/3 for
// fourth. The fourth-order ghost cells of a wall with a given value have one of their own above it:
// 6.5977 from 16 cells on, and at most 7.0146, for 4 cells (found numerically).
double largest_eigenvalue(const Grid& grid, Axis axis, Order order,
                          const BoundaryConditions& conditions) {
  if (order == Order::second) return 4;
  for (const BoundaryCondition& side : conditions[index(axis)])
    if (side.kind == BoundaryKind::dirichlet || side.kind == BoundaryKind::robin)
      return grid.cells(axis) < 16 ? 7.0147 : 6.5977;
  return 16. / 3;
}

}  // namespace

template <class Space, class Real>
HeatModel<Space, Real>::HeatModel(const ModelSetup& setup, const FieldInfo& u,
                                  const HeatInput& input)
    : Base(setup, {u}, {input.initial}),
      constant_diffusivity_(input.diffusivity.is_constant()),
      constant_source_(input.source.is_constant()),
      timed_source_(input.source.uses_time),
      implicit_(find_scheme(setup.scheme).implicit()),
      adi_(setup.scheme == "adi"),
      conditions_(setup.boundaries[0]),
      communicator_(setup.communicator) {
  if (implicit_) {
    if (setup.order != Order::second) {
      Diagnostic diagnostic;
      diagnostic.where = setup.config.position("numerics.order");
      diagnostic.message = "the implicit schemes of the model heat are of order 2 in space only";
      throw Error(ErrorKind::input, {diagnostic});
    }
    linear_ = choose_elliptic(setup.linear, !constant_diffusivity_);
    linear_.options.to_rounding = true;
    if (adi_) {
      linear_.report.method = "tridiagonal";
      linear_.report.why = "the scheme adi solves along one axis after the other";
    }
  }
  for (const Axis axis : all_axes)
    if (this->grid().exists(axis))
      unit_decay_rate_ +=
          largest_eigenvalue(this->grid(), axis, this->order(), setup.boundaries[0]) /
          (this->grid().spacing(axis) * this->grid().spacing(axis));
  if (constant_source_)
    source_value_ = input.source.constant_value();
  else
    source_ = DeviceProgram<Space>(input.source);

  const auto refuse = [&](double value) {
    if (value >= 0 && std::isfinite(value)) return;
    Diagnostic diagnostic;
    diagnostic.where = input.diffusivity_position;
    diagnostic.message = std::isfinite(value)
                             ? "heat.diffusivity is negative somewhere: heat would run backwards"
                             : "heat.diffusivity is not a finite number everywhere";
    throw Error(ErrorKind::input, {diagnostic});
  };
  if (constant_diffusivity_) {
    largest_diffusivity_ = diffusivity_value_ = input.diffusivity.constant_value();
    refuse(diffusivity_value_);
    return;
  }
  // At centres and, for what the stencils use at walls, at the faces of every cell.
  diffusivity_ = DeviceProgram<Space>(input.diffusivity);
  largest_diffusivity_ = 0;
  // More than a device can hold.
  constexpr std::int64_t most = std::int64_t{1} << 33;
  const auto look = [&](const StencilInputs<Space, Real>& inputs) {
    const Sums sums = this->extrema(diffusivity_, inputs, most);
    refuse(sums.not_finite ? NAN : sums.min);
    largest_diffusivity_ = std::max(largest_diffusivity_, sums.max);
    return sums;
  };
  look(this->inputs(0));
  for (const Axis axis : all_axes) {
    if (!this->grid().exists(axis)) continue;
    for (const bool upper : {false, true}) {
      StencilInputs<Space, Real> inputs = this->inputs(0);
      inputs.move_to_wall(axis, upper);
      look(inputs);
    }
  }
}

template <class Space, class Real>
double HeatModel<Space, Real>::decay_rate(double) {
  // The variable operator is bounded by its largest coefficient (Gershgorin's circles).
  return largest_diffusivity_ * unit_decay_rate_;
}

template <class Space, class Real>
int HeatModel<Space, Real>::coefficient_arrays() const {
  if (constant_diffusivity_) return 0;
  return this->grid().dimensions() + (this->order() == Order::fourth ? 1 : 0);
}

template <class Space, class Real>
int HeatModel<Space, Real>::source_arrays() const {
  return constant_source_ ? 0 : 1;
}

template <class Space, class Real>
std::int64_t HeatModel<Space, Real>::memory(int slots) const {
  const int arrays = coefficient_arrays() + source_arrays() + (implicit_ ? 1 : 0);
  std::int64_t bytes =
      Base::memory(slots) + arrays * Field<Space, Real>::bytes(this->grid(), FieldInfo());
  // Change, values at walls, and factors along each axis.
  if (adi_)
    bytes += (1 + (constant_diffusivity_ ? 0 : this->grid().dimensions())) *
             Field<Space, Real>::bytes(this->grid(), FieldInfo());
  else if (implicit_)
    bytes += EllipticSolver<Space, Real>::memory(
        this->grid(), constant_diffusivity_ ? Coefficients::constant : Coefficients::faces,
        linear_.options);
  return bytes;
}

template <class Space, class Real>
void HeatModel<Space, Real>::allocate(int slots) {
  Base::allocate(slots);
  const auto array = [&](const char* name) {
    FieldInfo info;
    info.name = name;
    return Field<Space, Real>(this->grid(), info);
  };
  coefficients_.clear();
  for (int n = 0; n < coefficient_arrays(); ++n)
    coefficients_.push_back(array("heat: diffusivity"));
  if (!constant_diffusivity_) {
    if (this->order() == Order::fourth)
      tabulate_gradient();
    else
      tabulate_faces(this->space(), this->grid(), diffusivity_, this->inputs(0), coefficients_);
  }
  if (!constant_source_) {
    source_field_ = array("heat: source");
    evaluate_source(0, this->grid().cells(Region::own));
  }
  if (implicit_) {
    right_side_ = array("heat: right side");
    if (adi_) {
      EllipticOperator<Space, Real> op = implicit_operator();
      op.alpha = 0;
      directions_ =
          std::make_unique<HeatAdi<Space, Real>>(this->grid(), communicator_, conditions_, op);
      return;
    }
    solver_ = std::make_unique<EllipticSolver<Space, Real>>(
        this->grid(), communicator_, conditions_, implicit_operator(), linear_.options);
    return;
  }
  if constexpr (is_host_space<Space>) {
    const int arrays = 2 + coefficient_arrays() + source_arrays();
    if (!timed_source_ && this->ghosts(0).is_steady() && this->grid().decomposition().ranks() == 1)
      sweep_plan_ = plan_sweep(this->grid(), this->order(), this->ghosts(0).ends().wraps, arrays,
                               sizeof(Real), thread_count<Space>());
  }
}

template <class Space, class Real>
void HeatModel<Space, Real>::tabulate_gradient() {
  const Grid& grid = this->grid();
  const Box own = grid.cells(Region::own);
  evaluate_into(this->space(), diffusivity_, this->inputs(0), own, coefficients_[0].view());
  // dD/dx by fourth-order differences with a quarter of the spacing: D is an expression, known
  // anywhere, and so close that no place outside of the domain is asked for.
  constexpr double places[4] = {-0.5, -0.25, 0.25, 0.5};
  constexpr double weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  for (const Axis axis : all_axes) {
    if (!grid.exists(axis)) continue;
    const auto gradient = coefficients_[1 + index(axis)].view();
    for (int n = 0; n < 4; ++n) {
      StencilInputs<Space, Real> inputs = this->inputs(0);
      inputs.shift[index(axis)] = places[n];
      const double weight = weights[n] / (0.25 * grid.spacing(axis));
      evaluate(
          this->space(), diffusivity_, inputs, own,
          KOKKOS_LAMBDA(int k, int j, int i, double value) {
            gradient(k, j, i) += static_cast<Real>(weight * value);
          });
    }
  }
  this->space().fence();
}

template <class Space, class Real>
void HeatModel<Space, Real>::evaluate_source(double time, const Box& box) {
  evaluate_into(this->space(), source_, this->inputs(time), box, source_field_.view());
}

template <class Space, class Real>
template <int dimensions, int order, class Use>
void HeatModel<Space, Real>::with_kernels(int a, int b, const Use& use) const {
  const Grid& grid = this->grid();
  const Real source = constant_source_ ? static_cast<Real>(source_value_) : Real(0);
  const auto use_both = [&](auto kernel) {
    kernel.source = source;
    for (const Axis axis : all_axes)
      kernel.factor[index(axis)] =
          static_cast<Real>((constant_diffusivity_ ? diffusivity_value_ : 1) /
                            (grid.spacing(axis) * grid.spacing(axis)));
    auto other = kernel;
    kernel.u = this->view(a, 0);
    other.u = this->view(b, 0);
    use(kernel, other);
  };
  if (constant_diffusivity_) {
    use_both(ConstantDiffusion<dimensions, order, Space, Real>{});
  } else if constexpr (order == 2) {
    FaceDiffusion<dimensions, Space, Real> kernel{};
    for (int n = 0; n < dimensions; ++n) kernel.faces[n] = coefficients_[n].view();
    use_both(kernel);
  } else {
    ProductDiffusion<dimensions, Space, Real> kernel{};
    kernel.diffusivity = coefficients_[0].view();
    for (const Axis axis : all_axes)
      kernel.inverse[index(axis)] = static_cast<Real>(1 / grid.spacing(axis));
    for (int n = 0; n < dimensions; ++n) kernel.gradient[n] = coefficients_[1 + n].view();
    use_both(kernel);
  }
}

template <class Space, class Real>
template <int dimensions, int order>
void HeatModel<Space, Real>::rate_of_order(const Stage& stage, double step, const Box& box) {
  StageTarget<Space, Real> targets[max_stage_outputs];
  const int count = this->targets(stage, 0, step, targets);
  // A source that varies is one more array of the sum.
  if (!constant_source_)
    for (int n = 0; n < count; ++n)
      targets[n].add(source_field_.view(), stage.outputs[n].rate * step);
  with_kernels<dimensions, order>(stage.in, stage.in, [&](const auto& kernel, const auto&) {
    apply_stage(this->space(), "heat: rate", box, kernel, targets, count);
  });
}

template <class Space, class Real>
template <int dimensions, int order>
void HeatModel<Space, Real>::sweep(double step, int count) {
  with_kernels<dimensions, order>(0, 1, [&](const auto& even, const auto& odd) {
    Sweep<dimensions, order, Space, Real, std::remove_cvref_t<decltype(even)>> sweep;
    for (const int from : {0, 1}) {
      sweep.u[from] = this->view(from, 0);
      sweep.update[from].rate = static_cast<Real>(step);
      sweep.update[from].add(sweep.u[from], 1);
      if (!constant_source_) sweep.update[from].add(source_field_.view(), step);
    }
    sweep.rate[0] = even;
    sweep.rate[1] = odd;
    sweep.ghosts = this->ghosts(0).template steady<order>();
    sweep.own = this->grid().cells(Region::own);
    sweep.plan = sweep_plan_;
    sweep.run(this->space(), "heat: sweep", count);
  });
}

template <class Space, class Real>
void HeatModel<Space, Real>::take_euler_steps(double time, double step, int count) {
  if constexpr (is_host_space<Space>) {
    this->ghosts(0).fill(this->space(), this->view(0, 0), time);
    const bool fourth = this->order() == Order::fourth;
    if (this->grid().dimensions() == 2)
      fourth ? sweep<2, 4>(step, count) : sweep<2, 2>(step, count);
    else
      fourth ? sweep<3, 4>(step, count) : sweep<3, 2>(step, count);
    if (count % 2 != 0) this->swap(0, 1);
  } else {
    Base::take_euler_steps(time, step, count);
  }
}

template <class Space, class Real>
EllipticOperator<Space, Real> HeatModel<Space, Real>::implicit_operator() const {
  EllipticOperator<Space, Real> op;
  op.alpha = 1;
  op.beta = diffusivity_value_;
  if (!constant_diffusivity_) op.coefficients = Coefficients::faces;
  for (std::size_t n = 0; n < coefficients_.size(); ++n) op.faces[n] = coefficients_[n].view();
  return op;
}

template <class Space, class Real>
Solved HeatModel<Space, Real>::solve_stage(const Stage& stage, double time, double step) {
  if (adi_) return step_by_directions(stage, time - step, step);
  // u/s - div(D grad u) = right side/s + source, where s is the stage's part of the step.
  const double alpha = 1 / (stage.implicit * step);
  solver_->set_alpha(alpha);
  if (timed_source_) evaluate_source(time, this->grid().cells(Region::own));
  prepare_solve(stage, alpha);
  return note(solver_->solve(this->space(), this->view(stage.in, 0), right_side_.view(),
                             [&] { this->fill_ghosts(stage.in, time); }),
              linear_);
}

template <class Space, class Real>
Solved HeatModel<Space, Real>::step_by_directions(const Stage& stage, double time, double step) {
  const Box own = this->grid().cells(Region::own);
  if (timed_source_) evaluate_source(time + 0.5 * step, own);
  // A right side of 0 times the state, and the source.
  prepare_solve(stage, 0);
  this->fill_ghosts(stage.in, time);
  directions_->step(this->space(), this->view(stage.in, 0), right_side_.view(), time, step);
  ++linear_.report.solves;
  return {};
}

template <class Space, class Real>
void HeatModel<Space, Real>::prepare_solve(const Stage& stage, double alpha) {
  const auto guess = this->view(stage.in, 0), from = this->view(stage.right_side, 0);
  const auto f = right_side_.view();
  const auto source = source_field_.view();
  const bool varies = !constant_source_;
  const Real number = static_cast<Real>(source_value_), factor = static_cast<Real>(alpha);
  for_each(
      this->space(), "heat: right side", this->grid().cells(Region::own),
      KOKKOS_LAMBDA(int k, int j, int i) {
        const Real value = from(k, j, i);
        guess(k, j, i) = value;
        f(k, j, i) = factor * value + (varies ? source(k, j, i) : number);
      });
}

template <class Space, class Real>
void HeatModel<Space, Real>::rate(const Stage& stage, double time, double step, const Box& box) {
  if (timed_source_) evaluate_source(time, box);
  const bool fourth = this->order() == Order::fourth;
  switch (this->grid().dimensions()) {
    case 1:
      return fourth ? rate_of_order<1, 4>(stage, step, box) : rate_of_order<1, 2>(stage, step, box);
    case 2:
      return fourth ? rate_of_order<2, 4>(stage, step, box) : rate_of_order<2, 2>(stage, step, box);
    default:
      return fourth ? rate_of_order<3, 4>(stage, step, box) : rate_of_order<3, 2>(stage, step, box);
  }
}

#define XP_HEAT_MODEL(Space, Real) template class HeatModel<Space, Real>;
XP_INSTANTIATE(XP_HEAT_MODEL)
#undef XP_HEAT_MODEL

}  // namespace xp
