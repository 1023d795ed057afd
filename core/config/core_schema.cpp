#include <algorithm>

#include <xp/config/schema.hpp>

namespace xp {
namespace {

// The largest number that no other integer becomes when it is read as a double.
constexpr double most_exact_integer = 9007199254740991.0;

SchemaEntry key(const char* path, ValueType type, const char* help, const char* fallback = "",
                const char* units = "") {
  SchemaEntry entry;
  entry.path = path;
  entry.type = type;
  entry.help = help;
  entry.fallback = fallback;
  entry.units = units;
  return entry;
}

SchemaEntry required(SchemaEntry entry) {
  entry.required = true;
  return entry;
}

SchemaEntry at_least(double minimum, SchemaEntry entry) {
  entry.minimum = minimum;
  return entry;
}

SchemaEntry above(double minimum, SchemaEntry entry) {
  entry.minimum = minimum;
  entry.above_minimum = true;
  return entry;
}

SchemaEntry at_most(double maximum, SchemaEntry entry) {
  entry.maximum = maximum;
  return entry;
}

SchemaEntry one_of(std::vector<std::string> choices, SchemaEntry entry,
                   std::vector<std::string> reserved_choices = {}) {
  entry.choices = std::move(choices);
  entry.reserved_choices = std::move(reserved_choices);
  return entry;
}

SchemaEntry items(int least, int most, SchemaEntry entry) {
  entry.least_items = least;
  entry.most_items = most;
  return entry;
}

SchemaEntry shorthand(const char* name, SchemaEntry entry) {
  entry.shorthand = name;
  return entry;
}

SchemaEntry in_time(SchemaEntry entry) {
  entry.in_time = true;
  return entry;
}

const std::vector<std::string> implicit_schemes = {"backward_euler", "crank_nicolson", "bdf2",
                                                   "imex",           "imex3",          "adi"};

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One side of a field: the same keys for every side.
void add_side(Schema& schema, const std::string& side, const char* help) {
  const std::string path = "boundary_conditions.*." + side;
  SchemaEntry block = shorthand("kind", key(path.c_str(), ValueType::block, help));
  block.exactly_one = true;
  schema.add(block);
  const auto below = [&](const char* name) { return path + "." + name; };
  schema.add(in_time(key(below("dirichlet").c_str(), ValueType::expression,
                         "Value of the field at the wall.", "", "field")));
  schema.add(in_time(key(below("neumann").c_str(), ValueType::expression,
                         "Derivative along the outward normal at the wall.", "", "field/length")));
  schema.add(
      key(below("robin").c_str(), ValueType::block, "alpha*u + beta*du/dn = value at the wall."));
  schema.add(required(
      in_time(key(below("robin.alpha").c_str(), ValueType::expression, "Factor of the value."))));
  schema.add(required(in_time(key(below("robin.beta").c_str(), ValueType::expression,
                                  "Factor of the outward normal derivative."))));
  schema.add(required(in_time(
      key(below("robin.value").c_str(), ValueType::expression, "Right side of the condition."))));
  schema.add(one_of({"outflow", "antiperiodic", "periodic"},
                    key(below("kind").c_str(), ValueType::choice,
                        "A condition without a value: outflow (zero gradient) or antiperiodic.")));
}

}  // namespace

Schema core_schema(const std::vector<std::string>& steady_models) {
  using T = ValueType;
  Schema s;
  s.add(required(
      at_most(1, at_least(1, key("xpsim", T::integer, "Version of the input's schema: 1.")))));
  s.add(key("title", T::text, "One line that says what the run is; stored in every file."));

  s.add(key("parameters", T::map,
            "Named numbers for use in expressions; each may use earlier ones."));
  s.add(shorthand("value",
                  key("parameters.*", T::block, "A number, or a block with more about it.")));
  s.add(required(key("parameters.*.value", T::number, "The number.")));
  s.add(key("parameters.*.description", T::text, "What it is."));
  s.add(key("parameters.*.units", T::text, "Its units."));

  s.add(required(key("grid", T::block, "The box that is solved in, and its cells.")));
  s.add(items(1, 3,
              key("grid.lower", T::numbers, "Lower corner; one number per axis.", "", "length")));
  s.add(items(1, 3,
              key("grid.upper", T::numbers, "Upper corner; one number per axis.", "", "length")));
  s.add(required(at_least(
      1, items(1, 3, key("grid.cells", T::integers, "Cells along x, y, z: 1, 2 or 3 numbers.")))));
  s.add(one_of({"x", "y", "z"},
               items(0, 3, key("grid.periodic", T::choice_list, "Axes whose ends are joined."))));

  s.add(key("definitions", T::map, "Named expressions, usable in every other one."));
  s.add(key("definitions.*", T::expression, "The expression."));
  s.add(key("model", T::text, "The built-in model to solve; `xpsim list` shows them."));

  s.add(key("boundary_conditions", T::map,
            "Conditions of each field, or of all as \"*\"; complete on every axis that is not "
            "periodic."));
  s.add(key("boundary_conditions.*", T::block,
            "Conditions of one field; the most specific key counts."));
  add_side(s, "x-", "Condition at the lower end of x.");
  add_side(s, "x+", "Condition at the upper end of x.");
  add_side(s, "x", "Condition at both ends of x.");
  add_side(s, "y-", "Condition at the lower end of y.");
  add_side(s, "y+", "Condition at the upper end of y.");
  add_side(s, "y", "Condition at both ends of y.");
  add_side(s, "z-", "Condition at the lower end of z.");
  add_side(s, "z+", "Condition at the upper end of z.");
  add_side(s, "z", "Condition at both ends of z.");
  add_side(s, "all", "Condition on all sides that have none of their own.");

  s.add(key("numerics", T::block, "Choices of the discretisation."));
  s.add(one_of({"2", "4"},
               key("numerics.order", T::choice, "Order of accuracy of central differences.", "2")));
  s.add(one_of(
      {"central2", "upwind1", "vanleer", "weno5"},
      key("numerics.advection", T::choice,
          "How div(u*velocity) and advect(velocity, u) find the value at a face.", "upwind1")));

  SchemaEntry time = key("time", T::block, "Time stepping.");
  time.applies = [steady_models](const std::string& model, const std::string&) {
    return !is_in(steady_models, model);
  };
  s.add(time);
  std::vector<std::string> scheme_names = {"euler", "ssprk2", "ssprk3", "rk4", "rk32", "rk54"};
  scheme_names.insert(scheme_names.end(), implicit_schemes.begin(), implicit_schemes.end());
  s.add(one_of(scheme_names,
               key("time.scheme", T::choice,
                   "Time scheme; rk32 and rk54 find the step size by error control; those from "
                   "backward_euler on are implicit.",
                   "ssprk3")));
  s.add(one_of(
      {"auto"},
      above(0, key("time.step", T::number,
                   "Step size, or `auto`: from the stability limit times cfl. A size above the "
                   "limit is an error; one that does not divide the run is made a little smaller.",
                   "auto", "time"))));
  s.add(at_most(1, above(0, key("time.cfl", T::number,
                                "Part of the stability limit that `step: auto` uses.", "0.8"))));
  s.add(key("time.start", T::number, "Time of the initial state.", "0", "time"));
  s.add(key("time.end", T::number,
            "When the run ends; hit exactly. Required unless `convergence` is given.", "", "time"));
  s.add(at_least(1, key("time.max_steps", T::integer, "Most steps that are taken.", "1000000")));
  s.add(key("time.tolerance", T::block, "Error per step that rk32 and rk54 allow."));
  s.add(above(
      0, key("time.tolerance.relative", T::number, "Relative to the size of the field.", "1e-6")));
  s.add(above(0, key("time.tolerance.absolute", T::number, "Absolute.", "1e-9", "field")));

  s.add(key("convergence", T::block,
            "Stop when the solution is steady; exit code 5 when it is not by the end."));
  s.add(
      one_of({"rate", "change"},
             key("convergence.quantity", T::choice,
                 "What must become small: the time derivative, or the change from check to check.",
                 "rate"),
             {"residual"}));
  s.add(one_of({"l1", "l2", "linf"},
               key("convergence.norm", T::choice,
                   "Its norm: mean of |u|, root of the mean square, largest |u|.", "l2")));
  s.add(required(above(
      0, key("convergence.tolerance", T::number, "The run ends when the norm is below it."))));
  s.add(at_least(
      1, key("convergence.check_every", T::integer, "Steps between checks.", "50", "steps")));

  s.add(key("output", T::block, "Files that are written."));
  s.add(key("output.directory", T::text, "Folder for them; out/ and the input's name by default."));
  s.add(key("output.fields", T::list,
            "Fields in snapshots, all by default; also expressions of fields."));
  s.add(shorthand(
      "name", key("output.fields.#", T::block, "A field's name, or a name and an expression.")));
  s.add(required(
      key("output.fields.#.name", T::text, "Name of the dataset: letters, digits, underscore.")));
  s.add(in_time(
      key("output.fields.#.value", T::expression, "Expression of fields, coordinates and t.")));
  s.add(key("output.every", T::schedule,
            "When snapshots are written; the first and last state always are."));
  s.add(key("output.series", T::block, "A table over time, series.csv."));
  s.add(key("output.series.every", T::schedule, "When a line is written.", "10 steps"));
  s.add(key("output.series.columns", T::map, "Its columns."));
  s.add(in_time(key("output.series.columns.*", T::expression,
                    "Expression with one value, such as integral(u).")));

  s.add(key("checkpoint", T::block,
            "Files to go on from after an end before the end; see `--restart`."));
  s.add(key("checkpoint.every", T::schedule, "When one is written.", "30 min"));
  s.add(at_most(1000, at_least(1, key("checkpoint.keep", T::integer,
                                      "How many stay: the newest ones.", "2"))));
  s.add(key("checkpoint.at_end", T::boolean,
            "One is written of the last state, too, so that a finished run can be extended.",
            "false"));
  s.add(key("checkpoint.on_signal", T::boolean,
            "Do signals write one: TERM, INT and USR2 before the run stops, USR1 while it goes on? "
            "If not, they end the run at once.",
            "true"));

  s.add(key("run", T::block, "How it is computed."));
  s.add(key("run.backend", T::text, "auto, serial, openmp or cuda.", "auto"));
  s.add(one_of({"double", "float"},
               key("run.precision", T::choice, "Floating-point numbers of fields.", "double")));
  s.add(
      one_of({"auto"}, at_most(4096, at_least(1, key("run.threads", T::integer,
                                                     "Threads of the openmp backend.", "auto")))));
  s.add(at_most(most_exact_integer,
                at_least(0, key("run.seed", T::integer,
                                "Seed of uniform() and normal() in initial values.", "0"))));
  s.add(one_of({"auto"},
               at_least(1, items(1, 3,
                                 key("run.decomposition", T::integers,
                                     "Parts of the grid along x, y, z, whose product is the "
                                     "number of ranks, or `auto`: the fewest cells at cuts.",
                                     "auto")))));
  s.add(above(0, key("run.wall_time", T::duration,
                     "Wall time that the run may take: it stops in time to write a checkpoint and "
                     "ends with code 75. The end time of a Slurm job is respected by itself.",
                     "", "s")));

  s.add(shorthand("when", key("stop", T::block, "Ends the run when an expression becomes true.")));
  s.add(required(in_time(key("stop.when", T::expression,
                             "Expression with one value: the run ends when it is not 0."))));
  s.add(at_least(1, key("stop.check_every", T::integer, "Steps between checks.", "50", "steps")));

  s.add(key("exact", T::map, "Exact solutions; errors against them go into the report."));
  s.add(in_time(key("exact.*", T::expression, "Exact solution of the field of that name.")));
  s.add(key("verify", T::list, "Assertions; when one does not hold the exit code is 3."));
  s.add(key("verify.#", T::block, "One assertion."));
  s.add(required(key("verify.#.name", T::text, "What is asserted, in words.")));
  s.add(required(in_time(
      key("verify.#.expression", T::expression, "Expression with one value; 0 is a failure."))));
  s.add(one_of({"start", "end"}, key("verify.#.at", T::choice, "When it is looked at.", "end")));

  SchemaEntry linear =
      key("linear_solver", T::block, "How steady models and implicit time steps are solved.");
  linear.applies = [steady_models](const std::string& model, const std::string& scheme) {
    return is_in(steady_models, model) || is_in(implicit_schemes, scheme);
  };
  s.add(linear);
  s.add(one_of(
      {"auto", "multigrid", "cg", "bicgstab", "gmres"},
      key("linear_solver.method", T::choice,
          "multigrid, and cg with a multigrid cycle, for heat and poisson; bicgstab, gmres and "
          "cg otherwise; or auto.",
          "auto")));
  s.add(one_of(
      {"auto", "multigrid", "matrix"},
      key("linear_solver.preconditioner", T::choice,
          "Of bicgstab, gmres and their cg: multigrid cycles field by field; the matrix of the "
          "linearised right-hand sides on each rank, incompletely factorised, which knows "
          "couplings and coefficients that vary; or auto, multigrid where it applies.",
          "auto")));
  s.add(above(0, key("linear_solver.tolerance", T::number,
                     "Solved when the residual's l2 norm is this part of the first one: that of "
                     "the change in a "
                     "time step, of zero in a steady model.",
                     "1e-10")));
  s.add(at_most(1000000, at_least(1, key("linear_solver.check_every", T::integer,
                                         "Iterations of cg between looks at the residual.", "4",
                                         "iterations"))));
  s.add(at_most(1000000, at_least(1, key("linear_solver.max_iterations", T::integer,
                                         "Ends the run with code 5 when it is not solved then.",
                                         "500", "iterations"))));
  return s;
}

}  // namespace xp
