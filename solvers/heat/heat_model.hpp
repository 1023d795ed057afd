// The model `heat` on one execution space, in one precision.
#pragma once

#include <xp/simulation/field_model.hpp>
#include <xp/time/sweep_plan.hpp>

namespace xp {

/// The compiled block `heat` of the input.
struct HeatInput {
  Program diffusivity, source, initial;
  Position diffusivity_position;  ///< for errors about its values
};

template <class Space, class Real>
class HeatModel final : public FieldModel<Space, Real> {
 public:
  using Base = FieldModel<Space, Real>;

  /// Throws an Error of kind input when the diffusivity is negative or not finite somewhere.
  HeatModel(const ModelSetup& setup, const FieldInfo& u, const HeatInput& input);

  double decay_rate(double time) override;
  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;

  int steps_at_once() const override { return sweep_plan_.steps; }
  void take_euler_steps(double time, double step, int count) override;

  /// Called by evaluate(); public because CUDA asks it of functions with kernels.
  void rate(const Stage& stage, double time, double step, const Box& box) override;
  /// Calls `use(kernel of slot a, kernel of slot b)` with the kernels of the right-hand side.
  template <int dimensions, int order, class Use>
  void with_kernels(int a, int b, const Use& use) const;
  template <int dimensions, int order>
  void rate_of_order(const Stage& stage, double step, const Box& box);
  template <int dimensions, int order>
  void sweep(double step, int count);
  void tabulate_faces();
  void tabulate_gradient();
  void evaluate_source(double time, const Box& box);

 private:
  int coefficient_arrays() const;

  DeviceProgram<Space> diffusivity_, source_;
  bool constant_diffusivity_ = true, constant_source_ = true, timed_source_ = false;
  double diffusivity_value_ = 1, source_value_ = 0;
  double largest_diffusivity_ = 1;
  double unit_decay_rate_ = 0;  ///< of the operator with a diffusivity of 1
  // Variable diffusivity. Second order: D at the faces below cells, one array per axis. Fourth
  // order: D at centres, then its derivative along each axis.
  std::vector<Field<Space, Real>> coefficients_;
  Field<Space, Real> source_field_;
  SweepPlan sweep_plan_;
};

}  // namespace xp
