// A checked input as plain values and compiled expressions: everything that can be wrong in it has
// been found by the time one exists.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <xp/config/config.hpp>
#include <xp/expr/expr.hpp>
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
  Program expression;
};

struct SeriesColumn {
  std::string name;
  Program expression;
};

struct Assertion {
  std::string name, text;
  bool at_start = false;
  Program expression;
  Position position;
};

struct ExactSolution {
  int field = 0;
  Program expression;
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
  GridSpec grid;
  std::optional<std::array<int, 3>> decomposition;  ///< parts along each axis; absent: the best
  Order order = Order::second;
  Backend backend = Backend::serial;
  Precision precision = Precision::double_;
  std::uint64_t seed = 0;                      ///< of random initial values
  std::vector<BoundaryConditions> boundaries;  ///< per field of the model

  std::string scheme = "ssprk3";
  double start = 0;
  std::optional<double> end;
  std::optional<double> step;  ///< absent: from the stability limit
  double cfl = 0.8;
  std::int64_t max_steps = 0;
  double relative_tolerance = 0, absolute_tolerance = 0;
  std::optional<ConvergenceSettings> convergence;

  CheckpointSettings checkpoint;
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
Program compile_at(const Input& input, const std::string& path, bool time, int dimensions,
                   Diagnostics& diagnostics);

}  // namespace xp
