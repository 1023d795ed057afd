// Computes what a Computation says: arrays on the way with their ghost cells, reductions, and the
// values at the end.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <xp/expr/computation.hpp>
#include <xp/field/ghosts.hpp>
#include <xp/operators/measure.hpp>

namespace xp {

/// What all computations of a run have in common.
struct CalculatorSetup {
  const Grid* grid = nullptr;
  const Communicator* communicator = nullptr;  ///< both outlive the calculator
  Order order = Order::second;
  Advection advection = Advection::upwind1;
  std::uint64_t seed = 0;
  /// Of definitions that are differentiated, components of vectors one by one.
  std::map<std::string, BoundaryConditions> conditions;
};

/// One computation on one execution space. After prepare(), run last() with inputs(), or take
/// number(). On many ranks every function is collective. Nothing is allocated after allocate().
template <class Space, class Real>
class Calculator {
 public:
  Calculator() = default;
  Calculator(Computation computation, const CalculatorSetup& setup);

  const Computation& computation() const { return computation_; }
  /// Is there nothing to be done before the last program, so that parts of the grid can be
  /// evaluated by themselves?
  bool is_single_pass() const;

  std::int64_t memory() const;
  void allocate();

  /// Does what is done once. prepare() does it where it has not been done.
  void prepare_static(const Space& space);
  /// Does all but the last program. `fields` are the arrays that the computation reads, their ghost
  /// cells filled for `time` where it reads around.
  void prepare(const Space& space, const std::vector<FieldView<Space, Real>>& fields, double time);

  const DeviceProgram<Space>& last() const { return last_; }
  const StencilInputs<Space, Real>& inputs() const { return inputs_; }
  /// The first output, where it is one number for the whole grid.
  double number() const;
  /// Writes the first output over the own cells into `target`, whose cell (0, 0, 0) is the first.
  void write(const Space& space, const FieldView<Space, Real>& target) const;

  double halo_seconds() const;

  /// Writes a program's outputs: public only because CUDA asks it of kernels.
  struct Targets {
    FieldView<Space, Real> list[DeviceProgram<Space>::max_outputs];
  };
  void fill_arrays(const Space& space, const DeviceProgram<Space>& program, const Box& box,
                   const Targets& targets) const;

 private:
  struct Prepared {
    const Step* step;
    DeviceProgram<Space> program;
  };
  void take(const Space& space, const Prepared& prepared);
  void fill_ghosts(const Space& space, int array);
  bool is_read_around(int array) const;
  std::vector<double> slots() const;

  Computation computation_;
  Grid grid_{GridSpec{}};
  const Communicator* communicator_ = nullptr;
  std::vector<Prepared> steps_, static_steps_;
  DeviceProgram<Space> last_;
  StencilInputs<Space, Real> inputs_;
  std::vector<Field<Space, Real>> arrays_;
  std::vector<GhostFiller<Space, Real>> ghosts_;  ///< of each temporary
  std::vector<std::unique_ptr<HaloExchange<Space, Real>>> halos_;
  std::vector<FieldView<Space, Real>> exchanged_;
  Measure<Space, Real> measure_;
  bool statics_done_ = false;
};

/// Inputs for programs on this grid, without arrays.
template <class Space, class Real>
StencilInputs<Space, Real> make_inputs(const CalculatorSetup& setup);

}  // namespace xp
