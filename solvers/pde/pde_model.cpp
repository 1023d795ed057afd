#include <xp/solvers/pde/pde_model.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <xp/runtime/backend.hpp>

namespace xp {

namespace {

// Outwards to a few digits: a limit that has been found serves until a range has really changed,
// and depends on nothing but the state.
Interval rounded(const Interval& range) {
  const double size = std::max(std::abs(range.lower), std::abs(range.upper));
  if (!(size > 0) || !std::isfinite(size)) return range;
  const double unit = std::exp2(std::ceil(std::log2(size)) - 5);
  return {std::floor(range.lower / unit) * unit, std::ceil(range.upper / unit) * unit};
}

}  // namespace

template <class Space, class Real>
PdeModel<Space, Real>::PdeModel(const ModelSetup& setup)
    : Base(setup, setup.fields, setup.initial), initial_(setup.initial) {
  if (setup.equations != nullptr) {
    rates_ = std::make_unique<Rates>(setup.equations->computation, this->calculator_setup());
    linearised_ = setup.equations->linearised;
  }
  if (setup.implicit_equations != nullptr) {
    implicit_rates_ =
        std::make_unique<Rates>(setup.implicit_equations->computation, this->calculator_setup());
    implicit_linearised_ = setup.implicit_equations->linearised;
    implicit_ = std::make_unique<ImplicitEquations<Space, Real>>(setup);
  }
  waves_.grid = &this->grid();
  waves_.order = setup.order;
  waves_.advection = setup.advection;
  for (const BoundaryConditions& conditions : setup.boundaries)
    for (const Axis axis : all_axes)
      for (const BoundaryCondition& side : conditions[static_cast<std::size_t>(index(axis))])
        waves_.walls[index(axis)] = waves_.walls[index(axis)] ||
                                    side.kind == BoundaryKind::dirichlet ||
                                    side.kind == BoundaryKind::robin;
}

template <class Space, class Real>
Calculator<Space, Real>* PdeModel<Space, Real>::rates_of(Part part) const {
  return part == Part::implicit_ ? implicit_rates_.get() : rates_.get();
}

template <class Space, class Real>
bool PdeModel<Space, Real>::limit_changes() const {
  return linearised_ &&
         (linearised_->changes() || (implicit_linearised_ && implicit_linearised_->changes()));
}

template <class Space, class Real>
double PdeModel<Space, Real>::halo_seconds() const {
  return Base::halo_seconds() + (rates_ ? rates_->halo_seconds() : 0) +
         (implicit_rates_ ? implicit_rates_->halo_seconds() : 0);
}

template <class Space, class Real>
LinearReport PdeModel<Space, Real>::linear() const {
  return implicit_ ? implicit_->report() : LinearReport{};
}

// Returns whether the linearised equations may be others than at the last call.
template <class Space, class Real>
bool PdeModel<Space, Real>::find_ranges(double time) {
  std::vector<Interval> ranges;
  for (std::size_t f = 0; f < initial_.size(); ++f) {
    const Sums sums =
        slots_ > 0
            ? this->measure().sums(this->space(), this->view(0, static_cast<int>(f)), Want::extrema)
            // The run looks at every cell before its first step.
            : this->extrema(DeviceProgram<Space>(initial_[f]), this->inputs(time),
                            std::int64_t{1} << 28);
    ranges.push_back(rounded({sums.min, sums.max}));
  }
  const auto same = [](const Interval& a, const Interval& b) {
    return a.lower == b.lower && a.upper == b.upper;
  };
  const bool is_timed = (linearised_ && linearised_->is_timed()) ||
                        (implicit_linearised_ && implicit_linearised_->is_timed());
  if (!is_timed && std::equal(ranges.begin(), ranges.end(), ranges_.begin(), ranges_.end(), same))
    return false;
  ranges_ = ranges;
  return true;
}

template <class Space, class Real>
double PdeModel<Space, Real>::stable_step(const Scheme& scheme, double time) {
  if (!find_ranges(time)) return limit_;
  std::array<Interval, 3> coordinates;
  for (const Axis axis : all_axes)
    coordinates[static_cast<std::size_t>(index(axis))] = {this->grid().lower(axis),
                                                          this->grid().upper(axis)};
  const int equations = static_cast<int>(initial_.size());
  std::vector<LinearTerm> stiff;
  if (implicit_linearised_) {
    stiff = implicit_linearised_->terms(ranges_, coordinates, time).bounded;
    implicit_->set_terms(stiff);
  }
  limit_ = std::numeric_limits<double>::infinity();
  if (!linearised_) return limit_;
  LinearTerms terms = linearised_->terms(ranges_, coordinates, time);
  unbounded_ = std::move(terms.unbounded);
  if (implicit_linearised_) {
    limit_ = xp::stable_step(scheme, terms.bounded, stiff, equations, waves_);
    return limit_;
  }
  if (!region_) region_ = std::make_unique<StabilityRegion>(scheme);
  limit_ = xp::stable_step(*region_, terms.bounded, equations, waves_);
  return limit_;
}

template <class Space, class Real>
Solved PdeModel<Space, Real>::solve_stage(const Stage& stage, double time, double step) {
  Rates& rates = *implicit_rates_;
  const auto value = [&](const std::vector<FieldView<Space, Real>>& v, double part,
                         const std::vector<FieldView<Space, Real>>& to) {
    this->fill_ghosts(v, time);
    rates.prepare(this->space(), v, time);
    const Box own = this->grid().cells(Region::own);
    const Real factor = static_cast<Real>(-part);
    if (rates.last().lone_laplacian().array >= 0) {
      Target target;
      target.target = to[0];
      target.rate = factor;
      target.add(v[0], 1);
      return lone_laplacian(rates, &target, 1, own);
    }
    StageCombination<Real> all;
    all.count = 1;
    all.outputs[0].slot = 1;
    all.outputs[0].terms = 1;
    all.outputs[0].coefficients[0] = Real(1);
    all.outputs[0].rate = factor;
    for (std::size_t f = 0; f < v.size(); ++f) {
      all.slots[f][0] = v[f].data();
      all.slots[f][1] = to[f].data();
    }
    combine(rates, all, own);
  };
  this->copy(stage.right_side, stage.in);
  const std::vector<FieldView<Space, Real>> v = this->views(stage.in);
  const std::vector<FieldView<Space, Real>> r = this->views(stage.right_side);
  return implicit_->solve(this->space(), stage.implicit * step, value, v, r);
}

template <class Space, class Real>
std::vector<std::string> PdeModel<Space, Real>::unbounded_terms() const {
  std::vector<std::string> texts;
  for (const int number : unbounded_) texts.push_back(linearised_->describe(number));
  return texts;
}

template <class Space, class Real>
std::vector<std::string> PdeModel<Space, Real>::growing_terms(double time) const {
  if (!linearised_) return {};
  // Ranges of coefficients would not do: an interval may reach below zero where no value does. At
  // places spread over the grid all coefficients have the values that belong together.
  const int dimensions = this->grid().dimensions();
  const int places = !linearised_->changes() ? 1 : dimensions == 1 ? 25 : dimensions == 2 ? 5 : 3;
  const int equations = static_cast<int>(initial_.size());
  std::set<int> found;
  bool some_grow = false;
  const auto look = [&](const std::array<double, 3>& place) {
    std::array<Interval, 3> coordinates;
    std::vector<double> slots(Program::slot_fields, 0.0);
    for (std::size_t a = 0; a < 3; ++a) coordinates[a] = {place[a], slots[a] = place[a]};
    slots[Program::slot_time] = time;
    std::vector<Interval> values;
    for (const Program& program : initial_) {
      const double value = program(slots);
      values.push_back({value, value});
    }
    std::vector<LinearTerm> terms = linearised_->terms(values, coordinates, time).bounded;
    if (implicit_linearised_) {
      // What the implicit part damps may grow in the other one by itself.
      const auto more = implicit_linearised_->terms(values, coordinates, time).bounded;
      terms.insert(terms.end(), more.begin(), more.end());
    }
    if (!grows_without_bound(terms, equations, waves_)) return;
    some_grow = true;
    if (implicit_linearised_) return;  // numbers are those of one part
    for (const LinearTerm& term : terms) {
      if (term.equation != term.field || term.stencils.empty() || found.count(term.number) > 0)
        continue;
      // By itself it is an equation of one field, whatever their number.
      LinearTerm alone = term;
      alone.equation = alone.field = 0;
      if (grows_without_bound({alone}, 1, waves_)) found.insert(term.number);
    }
  };
  const auto at = [&](Axis axis, int n) {
    const double lower = this->grid().lower(axis), upper = this->grid().upper(axis);
    return lower + (upper - lower) * (n + 0.5) / places;
  };
  for (int k = 0; k < (dimensions > 2 ? places : 1); ++k)
    for (int j = 0; j < (dimensions > 1 ? places : 1); ++j)
      for (int i = 0; i < places; ++i) look({at(Axis::x, i), at(Axis::y, j), at(Axis::z, k)});
  std::vector<std::string> texts;
  for (const int number : found) texts.push_back(linearised_->describe(number));
  if (some_grow && found.empty()) texts.emplace_back("what couples the equations");
  return texts;
}

template <class Space, class Real>
std::int64_t PdeModel<Space, Real>::memory(int slots) const {
  return Base::memory(slots) + (rates_ ? rates_->memory() : 0) +
         (implicit_rates_ ? implicit_rates_->memory() + implicit_->memory() : 0);
}

template <class Space, class Real>
void PdeModel<Space, Real>::allocate(int slots) {
  Base::allocate(slots);
  slots_ = slots;
  if (rates_) rates_->allocate();
  if (implicit_rates_) {
    implicit_rates_->allocate();
    implicit_->allocate();
  }
}

template <class Space, class Real>
void PdeModel<Space, Real>::evaluate(const Stage& stage, double time, double step) {
  if (!this->needs_rate(stage)) return Base::evaluate(stage, time, step);
  Rates& rates = *rates_of(stage.part);
  // In one pass the interior is computed while other ranks' cells travel.
  if (rates.is_single_pass()) {
    rates.prepare(this->space(), this->views(stage.in), time);
    return Base::evaluate(stage, time, step);
  }
  this->fill_ghosts(stage.in, time);
  rates.prepare(this->space(), this->views(stage.in), time);
  combine(stage, step, this->grid().cells(Region::own));
}

template <class Space, class Real>
void PdeModel<Space, Real>::rate(const Stage& stage, double, double step, const Box& box) {
  combine(stage, step, box);
}

namespace detail {

// factor * laplacian(u), as the interpreter computes it.
template <int order, int dimensions, class Space, class Real>
struct LaplacianRate {
  FieldView<Space, Real> u;
  double inverse[3];  // of the spacings' squares
  double factor;

  KOKKOS_FORCEINLINE_FUNCTION Real operator()(int k, int j, int i) const {
    LaplacianStencil<order, dimensions, true, Real> stencil{};
    stencil.u = &u(k, j, i);
    stencil.factor = factor;
    for (int axis = 0; axis < dimensions; ++axis) {
      stencil.s[axis] = u.stride(static_cast<Axis>(axis));
      stencil.inverse[axis] = inverse[axis];
    }
    return static_cast<Real>(stencil(0));
  }
};

}  // namespace detail

namespace {

// One output of a stage over one chunk of one field: sums from left to right with the rate last;
// value(lane) is d/dt of the field, a copy: a store could otherwise change what the loops read.
template <int width, class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void combine_output(const StageCombination<Real>& all, int n, int field,
                                                std::int64_t offset, int lanes, const Value value) {
  const auto& output = all.outputs[n];
  Real* const out = all.slots[field][output.slot] + offset;
  const Real rate = output.rate;
  if (output.terms == 0) {
    XP_VECTORISE
    for (int l = 0; l < lanes; ++l) out[l] = rate * static_cast<Real>(value(l));
    return;
  }
  const Real* const a = all.slots[field][output.sources[0]] + offset;
  const Real ca = output.coefficients[0];
  if (output.terms == 1) {
    XP_VECTORISE
    for (int l = 0; l < lanes; ++l) out[l] = ca * a[l] + rate * static_cast<Real>(value(l));
    return;
  }
  const Real* const b = all.slots[field][output.sources[1]] + offset;
  const Real cb = output.coefficients[1];
  if (output.terms == 2) {
    XP_VECTORISE
    for (int l = 0; l < lanes; ++l)
      out[l] = ca * a[l] + cb * b[l] + rate * static_cast<Real>(value(l));
    return;
  }
  Real sums[width];
  XP_VECTORISE
  for (int l = 0; l < lanes; ++l) sums[l] = ca * a[l] + cb * b[l];
  for (int m = 2; m < output.terms; ++m) {
    const Real* const source = all.slots[field][output.sources[m]] + offset;
    const Real c = output.coefficients[m];
    XP_VECTORISE
    for (int l = 0; l < lanes; ++l) sums[l] = sums[l] + c * source[l];
  }
  XP_VECTORISE
  for (int l = 0; l < lanes; ++l) out[l] = sums[l] + rate * static_cast<Real>(value(l));
}

}  // namespace

template <class Space, class Real>
template <int order>
void PdeModel<Space, Real>::lone_laplacian(const Rates& rates, const Target* targets, int count,
                                           const Box& box) const {
  const StencilInputs<Space, Real> inputs = rates.inputs();
  const auto lone = rates.last().lone_laplacian();
  const auto apply = [&](auto kernel) {
    kernel.u = inputs.arrays[lone.array];
    kernel.factor = lone.factor;
    for (int axis = 0; axis < 3; ++axis) kernel.inverse[axis] = inputs.inverse_square[axis];
    apply_stage(this->space(), "equations", box, kernel, targets, count);
  };
  switch (this->grid().dimensions()) {
    case 1:
      return apply(detail::LaplacianRate<order, 1, Space, Real>{});
    case 2:
      return apply(detail::LaplacianRate<order, 2, Space, Real>{});
    default:
      return apply(detail::LaplacianRate<order, 3, Space, Real>{});
  }
}

template <class Space, class Real>
void PdeModel<Space, Real>::lone_laplacian(const Rates& rates, const Target* targets, int count,
                                           const Box& box) const {
  this->order() == Order::fourth ? lone_laplacian<4>(rates, targets, count, box)
                                 : lone_laplacian<2>(rates, targets, count, box);
}

template <class Space, class Real>
void PdeModel<Space, Real>::combine(const Stage& stage, double step, const Box& box) {
  const Rates& rates = *rates_of(stage.part);
  // Without the interpreter, whose work for a row is a third of that for 100 cells.
  if (rates.last().lone_laplacian().array >= 0) {
    Target targets[max_stage_outputs];
    const int count = this->targets(stage, 0, step, targets);
    return lone_laplacian(rates, targets, count, box);
  }
  StageCombination<Real> all;
  const int fields = static_cast<int>(this->fields().size());
  for (const StageOutput& output : stage.outputs) {
    auto& one = all.outputs[all.count++];
    one.slot = output.slot;
    one.rate = static_cast<Real>(output.rate * step);
    for (const auto& [slot, coefficient] : output.terms) {
      one.sources[one.terms] = slot;
      one.coefficients[one.terms++] = static_cast<Real>(coefficient);
    }
  }
  for (int f = 0; f < fields; ++f)
    for (int slot = 0; slot < slots_; ++slot) all.slots[f][slot] = this->view(slot, f).data();
  combine(rates, all, box);
}

template <class Space, class Real>
void PdeModel<Space, Real>::combine(const Rates& rates, const StageCombination<Real>& all,
                                    const Box& box) const {
  const int fields = static_cast<int>(this->fields().size());
  const StencilInputs<Space, Real> inputs = rates.inputs();
  const DeviceProgram<Space> program = rates.last();
  const FieldView<Space, Real> shape = this->view(0, 0);
  const StageCombination<Real> copy = all;
  constexpr int width = chunk_width<Space>;
  for_each_row(
      this->space(), "equations", box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        // Captured here, as CUDA's compiler wants it: not where the width decides.
        const StageCombination<Real>& sums = copy;
        const DeviceProgram<Space>& code = program;
        Lanes<width> work;
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          const typename StencilInputs<Space, Real>::Row row(inputs, k, j, chunk);
          const std::int64_t offset = &shape(k, j, chunk) - shape.data();
          code.template run<width>(row, lanes, work);
          for (int f = 0; f < fields; ++f) {
            const double* const values = code.output(f, work);
            for (int n = 0; n < sums.count; ++n)
              if (values == nullptr)
                combine_output<width>(sums, n, f, offset, lanes,
                                      detail::LaneNumber{code.constant(f)});
              else
                combine_output<width>(sums, n, f, offset, lanes, detail::LaneArray{values});
          }
        }
      });
}

#define XP_PDE_MODEL(Space, Real) template class PdeModel<Space, Real>;
XP_INSTANTIATE(XP_PDE_MODEL)
#undef XP_PDE_MODEL

}  // namespace xp
