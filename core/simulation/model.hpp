// Models: the physics of a run. Abstract and not templated; implementations are templates on the
// execution space and precision behind it (field_model.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <xp/config/config.hpp>
#include <xp/expr/computation.hpp>
#include <xp/expr/linearise.hpp>
#include <xp/field/field.hpp>
#include <xp/field/host_array.hpp>
#include <xp/mesh/boundary.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/communicator.hpp>
#include <xp/time/scheme.hpp>

namespace xp {

/// Sums over a field's own cells.
struct FieldStatistics {
  double min = 0, max = 0, mean = 0;
  double l2 = 0;                ///< root of the mean square
  double integral = 0;          ///< over the domain
  std::int64_t not_finite = 0;  ///< cells that hold a NaN or an infinity
};

/// Volume-weighted norms: the mean of |u|, the root of the mean of u^2, the largest |u|.
struct Norms {
  double l1 = 0, l2 = 0, linf = 0;
  double get(const std::string& name) const { return name == "l1" ? l1 : name == "l2" ? l2 : linf; }
};

/// How steady models and implicit stages are solved, as the input has it.
struct LinearSettings {
  std::string method = "auto";
  std::string preconditioner = "auto";  ///< of equations: auto, multigrid, matrix
  double tolerance = 1e-10;
  int check_every = 4, max_iterations = 500;
};

/// What the linear solver of a run did.
struct LinearReport {
  std::string method;  ///< "" where there is none
  std::string why;     ///< it was chosen
  std::int64_t solves = 0, iterations = 0;
  double residual = 0;  ///< of the last solve, relative
};

/// How a steady model or an implicit stage was solved.
struct Solved {
  bool converged = true, finite = true;
  std::string message;  ///< why not, or a warning
};

/// What a run asks of its physics. On many ranks every function that measures, evaluates or
/// allocates is called by all of them, and numbers are those of the whole grid.
class Model {
 public:
  virtual ~Model() = default;

  virtual const std::vector<FieldInfo>& fields() const = 0;

  /// Largest decay rate of the discrete right-hand side: explicit steps are limited by 2/rate times
  /// the scheme's factor. 0 when nothing limits the step. Needs no allocation.
  virtual double decay_rate(double) { return 0; }
  /// Largest stable step of a scheme; infinity when nothing limits it. Without a state (before
  /// allocate()) that of the initial one. Needs no allocation.
  virtual double stable_step(const Scheme& scheme, double time);
  /// Terms that the last stable_step() has left out because nothing bounds them, in words.
  virtual std::vector<std::string> unbounded_terms() const { return {}; }
  /// Terms of the initial state by which waves grow the faster the shorter they are, in words.
  /// Needs no allocation.
  virtual std::vector<std::string> growing_terms(double /*time*/) const { return {}; }
  /// May stable_step() be another one later?
  virtual bool limit_changes() const { return false; }

  /// Bytes that allocate() will take on this rank for so many copies of the state.
  virtual std::int64_t memory(int slots) const = 0;
  /// Allocates everything: nothing is allocated after it.
  virtual void allocate(int slots) = 0;
  /// Fills slot 0 with the initial state.
  virtual void initialise(double time) = 0;

  /// Fills the ghost cells of stage.in at `time` and writes the stage's outputs.
  virtual void evaluate(const Stage& stage, double time, double step) = 0;
  /// Steps of Euler's method that take_euler_steps() can take at once, after allocate(); 1 where
  /// that is no faster or where something depends on the time.
  virtual int steps_at_once() const { return 1; }
  /// Takes `count` steps from slot 0 to slot 0; slot 1 is overwritten. The same bits as single
  /// steps. Called with 2 to steps_at_once() only.
  virtual void take_euler_steps(double time, double step, int count);
  /// Solves the implicit equation of a stage at `time`, from its right side as a first guess.
  /// `step` is the whole step. Models whose factory names implicit schemes have it.
  virtual Solved solve_stage(const Stage& stage, double time, double step);
  /// Of a steady model: replaces slot 0, a first guess, by the solution.
  virtual Solved solve_steady();
  /// What its linear solver has done so far.
  virtual LinearReport linear() const { return {}; }
  /// Exchanges two slots: no data moves.
  virtual void swap(int a, int b) = 0;
  /// Copies the state of one slot into another.
  virtual void copy(int from, int to) = 0;
  /// Waits for all kernels.
  virtual void fence() = 0;

  virtual FieldStatistics statistics(int slot, int field) = 0;
  /// How many cells hold a NaN or an infinity.
  virtual std::int64_t not_finite(int slot, int field) = 0;
  /// A norm ("l1", "l2", "linf") of slot a, or of a - b where b is not negative.
  virtual double norm(const std::string& name, int field, int a, int b = -1) = 0;
  /// Root of the mean over fields and cells of (error / (absolute + relative*max(|a|, |b|)))^2.
  virtual double scaled_error(int error, int a, int b, double relative, double absolute) = 0;

  /// Makes an expression known (before allocate()); the number is its handle.
  virtual int add_expression(const Computation& computation) = 0;
  /// Value of an expression that is one number: constants, time and reductions over slot 0.
  virtual double scalar(int expression, double time) = 0;
  /// Norms of field - expression, over slot 0.
  virtual Norms error(int field, int expression, double time) = 0;

  /// Copies a field, or an expression's value per cell over slot 0, to the host: this rank's own
  /// cells, a counted transfer.
  virtual HostArray read_field(int field, int slot = 0) = 0;
  virtual HostArray read_expression(int expression, double time) = 0;
  /// Copies own cells from the host, of any precision, into a field: what read_field() gave.
  virtual void write_field(int field, int slot, const HostArray& values) = 0;

  /// Seconds spent so far on exchanging ghost cells, and of those on waiting for other ranks.
  virtual double halo_seconds() const { return 0; }
  virtual double halo_wait_seconds() const { return 0; }
};

/// d/dt of all fields of an input with equations, or the same part of each.
struct Equations {
  Computation computation;
  std::shared_ptr<const Linearised> linearised;
  bool whole = true;  ///< there is no other part
};

/// What a model is made from: all checked, nothing allocated.
struct ModelSetup {
  const Config& config;
  const Communicator& communicator;  ///< lives as long as the model
  const Grid& grid;
  Order order = Order::second;
  Backend backend = Backend::serial;
  Precision precision = Precision::double_;
  Advection advection = Advection::upwind1;
  std::uint64_t seed = 0;        ///< of random numbers
  std::string scheme = "euler";  ///< of the run
  LinearSettings linear = {};
  std::vector<FieldInfo> fields = {};
  /// Conditions of each field.
  std::vector<BoundaryConditions> boundaries = {};
  /// Conditions of definitions that have some.
  std::map<std::string, BoundaryConditions> conditions = {};
  bool corners = false;  ///< does anything read ghost cells at corners?
  /// Of the model `equations`: du/dt of each field, or its part that is not implicit; the implicit
  /// part; either may be absent. The initial values.
  const Equations* equations = nullptr;
  const Equations* implicit_equations = nullptr;
  std::vector<Program> initial = {};
  /// Compiles the expression at a path of the input in coordinates, parameters and definitions;
  /// `time` says whether t is allowed, `random` whether random numbers are. A mistake goes into the
  /// diagnostics, and 0 is returned.
  std::function<Program(const std::string& path, bool time, bool random)> compile = {};
};

/// How a model enters the program: its name is the name of its block in the input.
struct ModelFactory {
  std::string name, help;
  std::vector<FieldInfo> fields;    ///< none: the input names them in its block `fields`
  std::vector<SchemaEntry> schema;  ///< of its block, paths beginning with the name
  bool steady = false;              ///< has no time: solve_steady() is all there is to do
  std::vector<std::string> implicit_schemes = {};  ///< that solve_stage() serves
  std::vector<std::string> linear_methods = {};    ///< that its linear systems may be solved by
  std::function<std::unique_ptr<Model>(const ModelSetup&)> make;
};

/// The models that a program knows.
class Registry {
 public:
  /// Throws std::logic_error for a name that is taken.
  void add(ModelFactory factory);
  const std::vector<ModelFactory>& models() const { return models_; }
  /// Null for an unknown name.
  const ModelFactory* find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// The input's schema with every model's block.
  Schema schema() const;

 private:
  std::vector<ModelFactory> models_;
};

}  // namespace xp
