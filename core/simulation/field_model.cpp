#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <xp/runtime/device_messages.hpp>
#include <xp/simulation/field_model.hpp>

namespace xp {
namespace {

Norms norms_of(const Sums& sums) {
  const double cells = static_cast<double>(sums.count);
  return {sums.sum_abs / cells, std::sqrt(sums.sum_square / cells), sums.largest};
}

}  // namespace

template <class Space, class Real>
FieldModel<Space, Real>::FieldModel(const ModelSetup& setup, std::vector<FieldInfo> fields,
                                    std::vector<Program> initial)
    : communicator_(setup.communicator),
      grid_(setup.grid),
      order_(setup.order),
      own_(setup.grid.cells(Region::own)),
      infos_(std::move(fields)),
      corners_(setup.corners),
      views_(infos_.size()) {
  calculator_setup_ = {&grid_,          &communicator_, setup.order,
                       setup.advection, setup.seed,     setup.conditions};
  for (const Program& program : initial) initial_.emplace_back(program);
  for (const BoundaryConditions& conditions : setup.boundaries)
    ghosts_.emplace_back(grid_, conditions, order_);
  measure_ = Measure<Space, Real>(own_, communicator_);

  AxisSet wraps = 0;
  for (const GhostFiller<Space, Real>& ghosts : ghosts_) wraps |= ghosts.ends().wraps;
  parts_ = split_own_cells(grid_, wraps);
  // Found out together, before an allocation can fail on one rank.
  if (!is_host_space<Space> && communicator_.size() > 1) mpi_takes_device_memory(communicator_);
}

template <class Space, class Real>
std::int64_t FieldModel<Space, Real>::memory(int slots) const {
  const std::int64_t cell = static_cast<std::int64_t>(sizeof(Real));
  std::int64_t state = 0;
  for (const FieldInfo& info : infos_) state += FieldType::bytes(grid_, info);
  std::int64_t walls = 0;
  for (const GhostFiller<Space, Real>& ghosts : ghosts_) walls += ghosts.memory();
  // Messages are made of ghost layers: counted from the boxes, they are not made yet.
  std::int64_t messages = 0;
  for (const Box& box : parts_.outskirts)
    messages += 2 * cell * box.count() * static_cast<std::int64_t>(infos_.size());
  std::int64_t others = 0;
  for (const auto& expression : expressions_) others += expression->memory();
  return slots * state + cell * own_.count() + walls + messages + others;
}

template <class Space, class Real>
void FieldModel<Space, Real>::allocate(int slots) {
  for (GhostFiller<Space, Real>& ghosts : ghosts_) ghosts.allocate();
  slots_.resize(static_cast<std::size_t>(slots));
  for (auto& slot : slots_) {
    slot.clear();
    for (const FieldInfo& info : infos_) slot.emplace_back(grid_, info);
  }
  std::vector<FieldEnds> ends;
  for (const GhostFiller<Space, Real>& ghosts : ghosts_) ends.push_back(ghosts.ends());
  halo_ =
      std::make_unique<HaloExchange<Space, Real>>(grid_, communicator_, std::move(ends), corners_);
  for (auto& expression : expressions_) expression->allocate();
  FieldInfo info;
  info.name = "output buffer";
  info.ghosted = false;
  out_ = FieldType(grid_, info);
  if constexpr (!std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>)
    host_ = Kokkos::create_mirror_view(Kokkos::HostSpace(), out_.memory());
}

template <class Space, class Real>
StencilInputs<Space, Real> FieldModel<Space, Real>::inputs(double time) const {
  StencilInputs<Space, Real> result = make_inputs<Space, Real>(calculator_setup_);
  result.time = time;
  result.array_count = static_cast<int>(infos_.size());
  if (!slots_.empty())
    for (int f = 0; f < result.array_count; ++f) result.arrays[f] = view(0, f);
  return result;
}

template <class Space, class Real>
Sums FieldModel<Space, Real>::extrema(const DeviceProgram<Space>& program,
                                      const StencilInputs<Space, Real>& inputs, std::int64_t most) {
  constexpr double few = 1 << 22;
  if (grid_.cell_count() / grid_.decomposition().ranks() <= most)
    return measure_.of_program(space_, program, inputs, Want::extrema);
  StencilInputs<Space, Real> coarse = inputs;
  Box box = own_;
  std::int64_t stride[3] = {1, 1, 1};
  while (static_cast<double>(box.count()) > few) {
    const int a = box.size(0) >= box.size(1) && box.size(0) >= box.size(2) ? 0
                  : box.size(1) >= box.size(2)                             ? 1
                                                                           : 2;
    stride[a] *= 2;
    box.lower[a] = 0;
    box.upper[a] = static_cast<int>(own_.size(a) / stride[a]);
  }
  for (int a = 0; a < 3; ++a) {
    if (stride[a] == 1) continue;
    coarse.geometry.first[a] = (inputs.geometry.first[a] + own_.lower[a]) / stride[a];
    coarse.geometry.spacing[a] *= static_cast<double>(stride[a]);
    coarse.cells[a] = inputs.cells[a] / stride[a];
  }
  return Measure<Space, Real>(box, communicator_)
      .of_program(space_, program, coarse, Want::extrema);
}

template <class Space, class Real>
const std::vector<FieldView<Space, Real>>& FieldModel<Space, Real>::views(int slot) {
  for (std::size_t f = 0; f < infos_.size(); ++f) views_[f] = view(slot, static_cast<int>(f));
  return views_;
}

template <class Space, class Real>
void FieldModel<Space, Real>::initialise(double time) {
  for (std::size_t f = 0; f < infos_.size(); ++f)
    evaluate_into(space_, initial_[f], inputs(time), own_, view(0, static_cast<int>(f)));
}

template <class Space, class Real>
void FieldModel<Space, Real>::fill_ghosts(int slot, double time) {
  fill_ghosts(views(slot), time);
}

template <class Space, class Real>
void FieldModel<Space, Real>::fill_ghosts(const std::vector<FieldView<Space, Real>>& views,
                                          double time) {
  for (std::size_t f = 0; f < infos_.size(); ++f) ghosts_[f].fill(space_, views[f], time);
  if (!halo_->has_neighbours()) return;
  halo_->start(space_, views);
  halo_->finish(space_, views);
}

template <class Space, class Real>
bool FieldModel<Space, Real>::needs_rate(const Stage& stage) const {
  return has(stage.part) && std::any_of(stage.outputs.begin(), stage.outputs.end(),
                                        [](const StageOutput& output) { return output.rate != 0; });
}

namespace detail {

template <class Real>
struct NoRate {
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(int, int, int) const { return Real(0); }
};

}  // namespace detail

template <class Space, class Real>
void FieldModel<Space, Real>::combine(const Stage& stage) {
  for (std::size_t f = 0; f < infos_.size(); ++f) {
    StageTarget<Space, Real> list[max_stage_outputs];
    const int count = targets(stage, static_cast<int>(f), 0, list);
    apply_stage(space_, "combine states", own_, detail::NoRate<Real>{}, list, count);
  }
}

template <class Space, class Real>
void FieldModel<Space, Real>::evaluate(const Stage& stage, double time, double step) {
  if (!needs_rate(stage)) return combine(stage);
  for (std::size_t f = 0; f < infos_.size(); ++f)
    ghosts_[f].fill(space_, view(stage.in, static_cast<int>(f)), time);
  if (halo_->has_neighbours())
    exchange_and_evaluate(stage, time, step);
  else
    rate(stage, time, step, own_);
}

template <class Space, class Real>
void FieldModel<Space, Real>::exchange_and_evaluate(const Stage& stage, double time, double step) {
  halo_->start(space_, views(stage.in));
  if (parts_.interior.count() > 0) rate(stage, time, step, parts_.interior);
  halo_->finish(space_, views(stage.in));
  for (const Box& box : parts_.outskirts)
    if (box.count() > 0) rate(stage, time, step, box);
}

template <class Space, class Real>
void FieldModel<Space, Real>::copy(int from, int to) {
  for (std::size_t f = 0; f < infos_.size(); ++f)
    Kokkos::deep_copy(space_, slots_[to][f].memory(), slots_[from][f].memory());
}

template <class Space, class Real>
int FieldModel<Space, Real>::targets(const Stage& stage, int field, double step,
                                     StageTarget<Space, Real> (&list)[max_stage_outputs]) const {
  int count = 0;
  for (const StageOutput& output : stage.outputs) {
    StageTarget<Space, Real>& target = list[count++];
    target = {};
    target.target = view(output.slot, field);
    target.rate = static_cast<Real>(output.rate * step);
    for (const auto& [slot, coefficient] : output.terms) target.add(view(slot, field), coefficient);
  }
  return count;
}

template <class Space, class Real>
FieldStatistics FieldModel<Space, Real>::statistics(int slot, int field) {
  const Sums sums =
      measure_.sums(space_, view(slot, field), Want::extrema | Want::sum | Want::sum_square);
  const double cells = static_cast<double>(sums.count);
  FieldStatistics result;
  // As every other reduction: not a number where one value is none.
  result.min = sums.not_finite ? NAN : sums.min;
  result.max = sums.not_finite ? NAN : sums.max;
  result.mean = sums.sum / cells;
  result.l2 = std::sqrt(sums.sum_square / cells);
  result.integral = sums.sum * grid_.cell_volume();
  result.not_finite = sums.not_finite;
  return result;
}

template <class Space, class Real>
std::int64_t FieldModel<Space, Real>::not_finite(int slot, int field) {
  return measure_.sums(space_, view(slot, field), Want::nothing).not_finite;
}

template <class Space, class Real>
double FieldModel<Space, Real>::norm(const std::string& name, int field, int a, int b) {
  const Want want = name == "l1" ? Want::sum_abs : name == "l2" ? Want::sum_square : Want::largest;
  return norms_of(b < 0 ? measure_.sums(space_, view(a, field), want)
                        : measure_.difference(space_, view(a, field), view(b, field), want))
      .get(name);
}

template <class Space, class Real>
double FieldModel<Space, Real>::scaled_error(int error, int a, int b, double relative,
                                             double absolute) {
  double sum = 0, cells = 0;
  for (int f = 0; f < static_cast<int>(infos_.size()); ++f) {
    const Sums sums = measure_.scaled(space_, view(error, f), view(a, f), view(b, f), relative,
                                      absolute, Want::sum_square);
    sum += sums.sum_square;
    cells += static_cast<double>(sums.count);
  }
  return std::sqrt(sum / cells);
}

template <class Space, class Real>
int FieldModel<Space, Real>::add_expression(const Computation& computation) {
  expressions_.push_back(std::make_unique<Expression>(computation, calculator_setup_));
  return static_cast<int>(expressions_.size()) - 1;
}

template <class Space, class Real>
Calculator<Space, Real>& FieldModel<Space, Real>::prepared(int handle, double time) {
  Expression& expression = *expressions_[static_cast<std::size_t>(handle)];
  if (expression.computation().reads_around()) fill_ghosts(0, time);
  expression.prepare(space_, views(0), time);
  return expression;
}

template <class Space, class Real>
double FieldModel<Space, Real>::scalar(int handle, double time) {
  return prepared(handle, time).number();
}

template <class Space, class Real>
Norms FieldModel<Space, Real>::error(int field, int handle, double time) {
  Expression& expression = prepared(handle, time);
  return norms_of(
      measure_.minus_program(space_, view(0, field), expression.last(), expression.inputs()));
}

template <class Space, class Real>
HostArray FieldModel<Space, Real>::to_host() {
  space_.fence();
  const void* data = nullptr;
  if constexpr (std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>) {
    count_to_host(out_.bytes());
    data = out_.memory().data();
  } else {
    count_to_host(out_.bytes());
    Kokkos::deep_copy(host_, out_.memory());
    data = host_.data();
  }
  return {sizeof(Real) == sizeof(double) ? Precision::double_ : Precision::float_, data,
          own_.count()};
}

template <class Space, class Real>
HostArray FieldModel<Space, Real>::read_field(int field, int slot) {
  const auto from = view(slot, field), to = out_.view();
  const int k0 = own_.lower[2], j0 = own_.lower[1], i0 = own_.lower[0];
  for_each(
      space_, "output: pack", own_,
      KOKKOS_LAMBDA(int k, int j, int i) { to(k - k0, j - j0, i - i0) = from(k, j, i); });
  return to_host();
}

template <class Space, class Real>
void FieldModel<Space, Real>::write_field(int field, int slot, const HostArray& values) {
  if (values.count != own_.count())
    throw std::invalid_argument("xp::FieldModel::write_field: not the own cells of this rank");
  Real* host = nullptr;
  if constexpr (std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>)
    host = out_.memory().data();
  else
    host = host_.data();
  for (std::int64_t n = 0; n < values.count; ++n) host[n] = static_cast<Real>(values[n]);
  count_to_device(out_.bytes());
  if constexpr (!std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>)
    Kokkos::deep_copy(out_.memory(), host_);
  const auto from = out_.view(), to = view(slot, field);
  const int k0 = own_.lower[2], j0 = own_.lower[1], i0 = own_.lower[0];
  for_each(
      space_, "restart: unpack", own_,
      KOKKOS_LAMBDA(int k, int j, int i) { to(k, j, i) = from(k - k0, j - j0, i - i0); });
  space_.fence();
}

template <class Space, class Real>
HostArray FieldModel<Space, Real>::read_expression(int handle, double time) {
  prepared(handle, time).write(space_, out_.view());
  return to_host();
}

#define XP_FIELD_MODEL(Space, Real) template class FieldModel<Space, Real>;
XP_INSTANTIATE(XP_FIELD_MODEL)
#undef XP_FIELD_MODEL

}  // namespace xp
