// The model `equations` on one execution space and precision.
#pragma once

#include <memory>
#include <vector>

#include <xp/operators/calculator.hpp>
#include <xp/simulation/field_model.hpp>
#include <xp/time/stability.hpp>

namespace xp {

/// What a stage makes of du/dt, for all fields at once: pointers to the arrays of the slots.
template <class Real>
struct StageCombination {
  static constexpr int max_fields = 12, max_slots = 12;
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
  bool limit_changes() const override { return linearised_->changes(); }
  std::vector<std::string> unbounded_terms() const override;
  std::vector<std::string> growing_terms(double time) const override;
  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;
  void evaluate(const Stage& stage, double time, double step) override;
  double halo_seconds() const override { return Base::halo_seconds() + rates_.halo_seconds(); }

  /// Public only because CUDA asks it of kernels.
  void combine(const Stage& stage, double step, const Box& box);

 protected:
  void rate(const Stage& stage, double time, double step, const Box& box) override;

 private:
  template <int order>
  void lone_laplacian(const Stage& stage, double step, const Box& box);

  Calculator<Space, Real> rates_;
  std::shared_ptr<const Linearised> linearised_;
  std::vector<Program> initial_;
  WaveSetup waves_;
  std::unique_ptr<StabilityRegion> region_;  ///< of the run's scheme
  std::vector<Interval> ranges_;             ///< that the limit was found for
  double limit_ = 0;
  std::vector<int> unbounded_;  ///< terms that the limit leaves out
  int slots_ = 0;
};

}  // namespace xp
