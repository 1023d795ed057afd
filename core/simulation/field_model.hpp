// The part of a model that is the same for all: copies of the state, ghost cells, initial values,
// measurements and the way to the host. A model derives from it and writes its rate.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <xp/field/ghosts.hpp>
#include <xp/field/halo.hpp>
#include <xp/operators/calculator.hpp>
#include <xp/simulation/model.hpp>
#include <xp/time/stage.hpp>

namespace xp {

/// Derived classes implement rate() with apply_stage(), decay_rate(), and, where they have arrays
/// of their own, extend memory() and allocate().
template <class Space, class Real>
class FieldModel : public Model {
 public:
  using FieldType = Field<Space, Real>;

  /// `initial` holds one program per field.
  FieldModel(const ModelSetup& setup, std::vector<FieldInfo> fields, std::vector<Program> initial);

  const std::vector<FieldInfo>& fields() const override { return infos_; }
  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;
  void initialise(double time) override;
  void evaluate(const Stage& stage, double time, double step) override;
  void swap(int a, int b) override { std::swap(slots_[a], slots_[b]); }
  void copy(int from, int to) override;
  void fence() override { space_.fence(); }
  FieldStatistics statistics(int slot, int field) override;
  std::int64_t not_finite(int slot, int field) override;
  double norm(const std::string& name, int field, int a, int b) override;
  double scaled_error(int error, int a, int b, double relative, double absolute) override;
  int add_expression(const Computation& computation) override;
  double scalar(int expression, double time) override;
  Norms error(int field, int expression, double time) override;
  HostArray read_field(int field, int slot) override;
  HostArray read_expression(int expression, double time) override;
  void write_field(int field, int slot, const HostArray& values) override;
  double halo_seconds() const override { return halo_ ? halo_->seconds() : 0; }
  double halo_wait_seconds() const override { return halo_ ? halo_->wait_seconds() : 0; }

 protected:
  /// Writes the outputs of a stage over a part of the own cells; the ghost cells of stage.in that
  /// this part reads are filled. With many ranks a stage is made of several parts.
  virtual void rate(const Stage& stage, double time, double step, const Box& box) = 0;
  /// Does du/dt have terms of this part? Without a part that is called explicit all of them are
  /// implicit.
  virtual bool has(Part part) const { return part != Part::explicit_; }

  /// Does a stage need more than sums of slots?
  bool needs_rate(const Stage& stage) const;
  /// Sums of slots, without rates.
  void combine(const Stage& stage);
  /// The outputs of a stage for one field, step included in the rates; returns how many.
  int targets(const Stage& stage, int field, double step,
              StageTarget<Space, Real> (&list)[max_stage_outputs]) const;

  GhostFiller<Space, Real>& ghosts(int field) { return ghosts_[static_cast<std::size_t>(field)]; }
  FieldView<Space, Real> view(int slot, int field, int component = 0) const {
    return slots_[slot][field].view(component);
  }
  StencilInputs<Space, Real> inputs(
      double time) const;  ///< with the fields of slot 0 once allocated
  /// Fills the ghost cells of a slot, other ranks' cells included.
  void fill_ghosts(int slot, double time);
  /// The same of arrays like those of a slot.
  void fill_ghosts(const std::vector<FieldView<Space, Real>>& views, double time);
  /// The views of all fields of a slot, until the next call.
  const std::vector<FieldView<Space, Real>>& views(int slot);
  Measure<Space, Real>& measure() { return measure_; }
  /// Least and largest value of a program over the cells; where a rank has more than `most` of
  /// them, over places spread evenly: to see every one would take hours, as of a grid that is only
  /// checked here, to be run on a larger machine.
  Sums extrema(const DeviceProgram<Space>& program, const StencilInputs<Space, Real>& inputs,
               std::int64_t most);

  const Space& space() const { return space_; }
  const CalculatorSetup& calculator_setup() const { return calculator_setup_; }
  const Grid& grid() const { return grid_; }
  Order order() const { return order_; }

 private:
  using Expression = Calculator<Space, Real>;
  HostArray to_host();
  void exchange_and_evaluate(const Stage& stage, double time, double step);
  /// The expression with all but its last program done.
  Expression& prepared(int handle, double time);

  Space space_;
  const Communicator& communicator_;
  Grid grid_;
  Order order_;
  Box own_;
  std::vector<FieldInfo> infos_;
  bool corners_ = false;
  std::vector<DeviceProgram<Space>> initial_;
  std::vector<GhostFiller<Space, Real>> ghosts_;
  std::unique_ptr<HaloExchange<Space, Real>> halo_;
  std::vector<FieldView<Space, Real>> views_;  ///< of the slot that is worked on
  OwnCells parts_;  ///< the outskirts are left for when other ranks' cells have arrived
  std::vector<std::vector<FieldType>> slots_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  CalculatorSetup calculator_setup_;
  Measure<Space, Real> measure_;
  FieldType out_;  ///< own cells without gaps, on their way to the host
  /// Its other end where memory is not the host's.
  decltype(Kokkos::create_mirror_view(Kokkos::HostSpace(), typename FieldType::Memory())) host_;
};

}  // namespace xp
