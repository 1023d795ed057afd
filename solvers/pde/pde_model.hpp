// The model `equations` on one execution space and precision.
#pragma once

#include <memory>
#include <vector>

#include <xp/operators/calculator.hpp>
#include <xp/simulation/field_model.hpp>
#include <xp/solvers/pde/implicit_equations.hpp>
#include <xp/time/stability.hpp>

namespace xp {

/// What a stage makes of du/dt, for all fields at once: pointers to the arrays of the slots.
template <class Real>
struct StageCombination {
  static constexpr int max_fields = 12, max_slots = 16;
  struct Output {
    int slot = 0, terms = 0;
    int sources[max_stage_terms] = {};
    Real coefficients[max_stage_terms] = {};
    Real rate = 0;  ///< step included
  };
  Output outputs[max_stage_outputs];
  int count = 0;
  Real* slots[max_fields][max_slots] = {};
};

template <class Space, class Real>
class PdeModel final : public FieldModel<Space, Real> {
 public:
  using Base = FieldModel<Space, Real>;
  explicit PdeModel(const ModelSetup& setup);

  double stable_step(const Scheme& scheme, double time) override;
  bool limit_changes() const override;
  std::vector<std::string> unbounded_terms() const override;
  std::vector<std::string> growing_terms(double time) const override;
  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;
  void evaluate(const Stage& stage, double time, double step) override;
  double halo_seconds() const override;
  Solved solve_stage(const Stage& stage, double time, double step) override;
  LinearReport linear() const override;

  /// Public only because CUDA asks it of kernels.
  using Rates = Calculator<Space, Real>;
  void combine(const Rates& rates, const StageCombination<Real>& sums, const Box& box) const;

 protected:
  void rate(const Stage& stage, double time, double step, const Box& box) override;
  bool has(Part part) const override { return rates_of(part) != nullptr; }

 private:
  using Target = StageTarget<Space, Real>;
  template <int order>
  void lone_laplacian(const Rates& rates, const Target* targets, int count, const Box& box) const;
  void lone_laplacian(const Rates& rates, const Target* targets, int count, const Box& box) const;
  void combine(const Stage& stage, double step, const Box& box);
  bool find_ranges(double time);
  Rates* rates_of(Part part) const;

  std::unique_ptr<ImplicitEquations<Space, Real>> implicit_;
  std::unique_ptr<Rates> rates_, implicit_rates_;  ///< of both parts; one may be absent
  std::shared_ptr<const Linearised> linearised_, implicit_linearised_;
  std::vector<Program> initial_;
  WaveSetup waves_;
  std::unique_ptr<StabilityRegion> region_;  ///< of the run's scheme
  std::vector<Interval> ranges_;             ///< that the limit was found for
  double limit_ = 0;
  std::vector<int> unbounded_;  ///< terms that the limit leaves out
  int slots_ = 0;
};

}  // namespace xp
