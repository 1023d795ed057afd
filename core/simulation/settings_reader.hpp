// The reader of settings: private to settings*.cpp. A member function per block of the input.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <xp/simulation/settings.hpp>

namespace xp {

/// The names that expressions of an input may use.
Symbols symbols_of(const Input& input, int dimensions);

/// Is it a name of the expression language?
bool is_reserved(const std::string& name);

/// Compiles the expression at a path; a mistake goes into the diagnostics and gives 0.
Program compile(const Input& input, const std::string& path, Symbols symbols,
                Diagnostics& diagnostics);

class SettingsReader {
 public:
  SettingsReader(const Input& input, const Registry& registry, Diagnostics& diagnostics)
      : input_(input), config_(input.config), registry_(registry), diagnostics_(diagnostics) {}

  Settings read();

 private:
  // Parameters and definitions must not hide a name that means something else. One that was refused
  // stands for 1 from here on: what uses it is not a mistake of its own.
  void names();

  // Each definition by itself, with everything allowed that is allowed somewhere.
  void definitions();

  void model();

  // The fields that the input names, for equations.
  void fields();
  void add_field(const std::string& name);

  // du/dt and the initial value of each field.
  // The requests for a part of all equations, and the paths of their texts.
  struct PartOfEquations {
    std::vector<Request> requests;
    std::vector<std::string> paths;
  };
  PartOfEquations part_of_equations(const char* part);
  // None where there are more diagnostics than `before`.
  std::optional<Equations> compile_part(const PartOfEquations& part, std::size_t before);
  void initial_values();
  void equations();

  // How many ghost cells all expressions together need.
  void ghost_cells();

  void stop();

  void cells();

  void bounds();
  void check_spacing(std::size_t axis);

  void periodicity();

  std::vector<double> bounds(const std::string& path);

  static std::string entries(std::size_t count);

  void boundaries();

  std::string nearest_field(const std::string& name, bool or_definition = false) const;

  // Of vectors both their own names and those of their components.
  std::set<std::string> field_names() const;

  static std::size_t place(Axis axis) { return static_cast<std::size_t>(index(axis)); }
  static std::string side_name(Axis axis, bool upper);
  bool bounded(Axis axis) const;

  // Something that has boundary conditions: a field or a definition, or a component of one.
  struct Bounded {
    std::string name;    // "v_x"
    std::string owner;   // "v"; the name itself for a scalar
    int component = -1;  // of the owner
  };
  std::vector<Bounded> components(const std::string& name, bool is_vector) const;
  std::vector<Bounded> bounded_fields() const;
  BoundaryConditions conditions_of(const Bounded& what, bool all_known);
  // Reads the rank of definitions that have conditions, and these.
  void bounded_definitions(bool all_known);
  // Conditions of definitions that nothing differentiates were meant to do something.
  void unused_conditions();
  bool is_bounded_definition(const std::string& name) const;

  void report_missing(const std::string& field, const std::string& sides);

  // A key such as "x-", "y" or "all" of the block of a field.
  void check_side(const std::string& field, const std::string& side);

  // Keys that can give a side's condition, the most specific first.
  static std::vector<std::string> side_paths(const Bounded& what, Axis axis, bool upper);

  std::string condition_path(const Bounded& what, Axis axis, bool upper) const;

  // Was something refused that may have been meant for this side?
  bool side_refused(const Bounded& what, Axis axis, bool upper) const;

  // `component` of a vector where the key is that of a whole vector, else -1.
  BoundaryCondition read_condition(const std::string& path, int component);

  // What the conditions at both ends of an axis say together, and with the grid.
  void check_axis(const Bounded& what, Axis axis, const std::array<BoundaryCondition, 2>& ends);

  // Stencils need so many cells.
  void resolution();

  void numerics();

  void steady();
  void linear_solver();
  // Of the input; the default where it has been refused.
  const Scheme& scheme() const;
  void time_span();

  void time_step();
  void read_step();

  void convergence();

  void run();

  void decomposition();

  void checkpoint();

  // The expressions of the model's own block: the model compiles them again for itself, here
  // mistakes are found beside all others.
  void model_expressions();

  void output_fields();

  // When something is done, times that can be counted.
  ScheduleSpec schedule(const std::string& path);

  OutputItem output_of(int field) const;

  static bool is_name(const std::string& name);

  void series();

  void exact();

  void assertions();

  // An expression that reduces fields, and whose value is one number.
  Computation scalar(const std::string& path);

  Symbols scalar_symbols() const;
  // The same that is true or false.
  Computation condition(const std::string& path);

  // An expression of the fields with a value in each cell.
  Computation of_cells(const std::string& path, int component = -1);
  bool is_vector(const std::string& path);

  // An expression of coordinates and the time; of a component of it where it is a vector.
  Program expression(const std::string& path, bool time, int component = -1, bool random = false);

  // Symbols with the fields, operators and reductions.
  Symbols field_symbols() const;
  bool has_walls() const;
  Computation compute(const std::string& path, const Symbols& symbols, int component);
  void note(const Computation& computation);

  // Before the grid is known nothing is said about axes.
  int dimensions() const { return have_dimensions_ ? settings_.grid.dimensions : 3; }

  const Input& input_;
  const Config& config_;
  const Registry& registry_;
  Diagnostics& diagnostics_;
  Settings settings_;
  Symbols symbols_;                     // parameters and definitions
  std::vector<std::string> fields_;     // components of vectors one by one
  std::map<std::string, int> vectors_;  // their first component
  std::vector<Stencil> stencils_;       // of all expressions
  std::set<std::string> used_;          // definitions whose boundary conditions count
  bool have_dimensions_ = false, have_periodicity_ = false;
  std::map<std::string, Program> compiled_;
  std::set<std::string> seen_;
};

}  // namespace xp
