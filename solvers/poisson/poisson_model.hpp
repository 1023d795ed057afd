// The model `poisson` on one execution space, in one precision.
#pragma once

#include <memory>
#include <vector>

#include <xp/simulation/field_model.hpp>
#include <xp/solvers/linear/linear_choice.hpp>

namespace xp {

/// The compiled block `poisson` of the input.
struct PoissonInput {
  Program coefficient, reaction, source;
};

template <class Space, class Real>
class PoissonModel final : public FieldModel<Space, Real> {
 public:
  using Base = FieldModel<Space, Real>;

  /// Throws an Error of kind input when the coefficient is not positive, the reaction negative, or
  /// either not finite somewhere, and for numerics.order 4.
  PoissonModel(const ModelSetup& setup, const FieldInfo& u, const PoissonInput& input);

  std::int64_t memory(int slots) const override;
  void allocate(int slots) override;
  Solved solve_steady() override;
  LinearReport linear() const override { return linear_.report; }

 protected:
  void rate(const Stage& stage, double time, double step, const Box& box) override;

 private:
  enum class Sign { any, not_negative, positive };
  void check(const ModelSetup& setup, const char* key, const Program& program, Sign sign);
  int arrays() const;

  const Communicator& communicator_;
  BoundaryConditions conditions_;
  DeviceProgram<Space> coefficient_, reaction_, source_;
  EllipticOperator<Space, Real> op_;
  LinearChoice linear_;
  std::vector<Field<Space, Real>> faces_;
  Field<Space, Real> alpha_, right_side_;
  std::unique_ptr<EllipticSolver<Space, Real>> solver_;
};

}  // namespace xp
