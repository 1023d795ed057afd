// The model `heat` on one execution space, in one precision.
#pragma once

#include <memory>
#include <vector>

#include <xp/simulation/field_model.hpp>
#include <xp/solvers/heat/heat_adi.hpp>
#include <xp/solvers/linear/linear_choice.hpp>
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

  /// Throws an Error of kind input when the diffusivity is negative or not finite somewhere, and
  /// for an implicit scheme of order 4 in space.
  HeatModel(const ModelSetup& setup, const FieldInfo& u, const HeatInput& input);

  double decay_rate(double time) override;
  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;

  int steps_at_once() const override { return sweep_plan_.steps; }
  void take_euler_steps(double time, double step, int count) override;
  Solved solve_stage(const Stage& stage, double time, double step) override;
  LinearReport linear() const override { return linear_.report; }

  /// Called by evaluate(); public because CUDA asks it of functions with kernels.
  void rate(const Stage& stage, double time, double step, const Box& box) override;
  /// Calls `use(kernel of slot a, kernel of slot b)` with the kernels of the right-hand side.
  template <int dimensions, int order, class Use>
  void with_kernels(int a, int b, const Use& use) const;
  template <int dimensions, int order>
  void rate_of_order(const Stage& stage, double step, const Box& box);
  template <int dimensions, int order>
  void sweep(double step, int count);
  void tabulate_gradient();
  void evaluate_source(double time, const Box& box);
  void prepare_solve(const Stage& stage, double alpha);
  Solved step_by_directions(const Stage& stage, double time, double step);

 private:
  int coefficient_arrays() const;
  int source_arrays() const;
  EllipticOperator<Space, Real> implicit_operator() const;

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

  bool implicit_ = false, adi_ = false;  ///< the scheme of the run
  LinearChoice linear_;
  BoundaryConditions conditions_;
  const Communicator& communicator_;
  Field<Space, Real> right_side_;
  std::unique_ptr<EllipticSolver<Space, Real>> solver_;
  std::unique_ptr<HeatAdi<Space, Real>> directions_;
};

}  // namespace xp
