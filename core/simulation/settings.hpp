// A checked input as plain values and compiled expressions: everything that can be wrong in it has
// been found by the time one exists.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xp/config/config.hpp>
#include <xp/expr/linearise.hpp>
#include <xp/mesh/boundary.hpp>
#include <xp/mesh/grid.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/simulation/model.hpp>

namespace xp {

/// An input as it was read: values evaluated, expressions not yet compiled.
struct Input {
  Config config;
  std::map<std::string, double> parameters;
};

/// Reads an input; mistakes go into the diagnostics.
Input read_input(const std::string& text, const std::string& file,
                 const std::vector<std::string>& overrides, const Schema& schema,
                 Diagnostics& diagnostics);

/// A dataset of snapshots: a field, or an expression of fields.
struct OutputItem {
  std::string name, description, units;
  int field = -1;
  Computation expression;
};

struct SeriesColumn {
  std::string name;
  Computation expression;
};

struct Assertion {
  std::string name, text;
  bool at_start = false;
  Computation expression;
  Position position;
};

struct ExactSolution {
  int field = 0;
  Computation expression;
};

/// Ends a run when an expression becomes true.
struct StopSettings {
  std::string text;
  Computation expression;
  std::int64_t check_every = 50;
};

struct ConvergenceSettings {
  std::string quantity = "rate", norm = "l2";
  double tolerance = 0;
  std::int64_t check_every = 50;
};

struct CheckpointSettings {
  ScheduleSpec schedule;
  int keep = 2;           ///< newest ones that stay
  bool on_signal = true;  ///< also when the run is told to stop
  bool at_end = false;    ///< and of the last state of a run that is not stopped
};

struct Settings {
  std::string title;
  std::string directory;  ///< of output
  const ModelFactory* model = nullptr;
  std::vector<FieldInfo> fields;  ///< of the model, components of vectors one by one: v_x, v_y
  /// Where the input gives equations, of all fields: the part that is not implicit, and the other.
  std::optional<Equations> equations, implicit_equations;
  std::vector<Program> initial;  ///< of each field then
  GridSpec grid;
  std::optional<std::array<int, 3>> decomposition;  ///< parts along each axis; absent: the best
  Order order = Order::second;
  Advection advection = Advection::upwind1;
  Backend backend = Backend::serial;
  Precision precision = Precision::double_;
  std::vector<BoundaryConditions> boundaries;  ///< per field
  /// Per definition that has conditions of its own, components of vectors one by one.
  std::map<std::string, BoundaryConditions> conditions;
  bool corners = false;  ///< does any expression read ghost cells at corners?

  std::string scheme = "ssprk3";
  double start = 0;
  std::optional<double> end;
  std::optional<double> step;  ///< absent: from the stability limit
  double cfl = 0.8;
  std::int64_t max_steps = 0;
  double relative_tolerance = 0, absolute_tolerance = 0;
  std::optional<ConvergenceSettings> convergence;
  std::optional<StopSettings> stop;
  bool steady = false;  ///< a steady model: no time, no steps
  LinearSettings linear;

  CheckpointSettings checkpoint;
  std::uint64_t seed = 0;           ///< of random numbers
  std::optional<double> wall_time;  ///< seconds that the run may take

  std::vector<OutputItem> outputs;
  ScheduleSpec output_schedule, series_schedule;
  std::vector<SeriesColumn> series;
  std::vector<ExactSolution> exact;
  std::vector<Assertion> assertions;
};

/// Checks an input against the models and compiles its expressions. All mistakes go into the
/// diagnostics, beside those that reading found; then the settings are not to be used. Kokkos must
/// be initialised.
Settings read_settings(const Input& input, const Registry& registry, Diagnostics& diagnostics);

/// What `ModelSetup::compile` does: see there.
Program compile_at(const Input& input, const std::string& path, bool time, bool random,
                   int dimensions, Diagnostics& diagnostics);

}  // namespace xp
