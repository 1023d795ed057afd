#include <xp/solvers/pde/pde.hpp>

#include <xp/runtime/backend.hpp>
#include <xp/solvers/pde/pde_model.hpp>

namespace xp {

ModelFactory equations_model() {
  ModelFactory factory;
  factory.name = "equations";
  factory.implicit_schemes = {"backward_euler", "crank_nicolson", "bdf2", "imex", "imex3"};
  factory.linear_methods = {"bicgstab", "gmres", "cg"};
  factory.help = "the equations of the input: d/dt of each field as an expression";

  const auto key = [&](const char* path, ValueType type, const char* help,
                       const char* fallback = "") {
    SchemaEntry entry;
    entry.path = path;
    entry.type = type;
    entry.help = help;
    entry.fallback = fallback;
    return entry;
  };
  using T = ValueType;
  const auto add = [&](SchemaEntry entry) { factory.schema.push_back(std::move(entry)); };
  add(key("fields", T::map, "The fields that equations are for."));
  SchemaEntry field = key("fields.*", T::block, "A field, or its initial value alone.");
  field.shorthand = "initial";
  add(field);
  add(key("fields.*.initial", T::expression,
          "Value at the start: an expression of the coordinates, with random numbers uniform(a, b) "
          "and normal(mean, sd); [a, b] for a vector; 0 where it is not given."));
  SchemaEntry rank = key("fields.*.rank", T::choice,
                         "One number per cell, or a vector with one component per axis.", "scalar");
  rank.choices = {"scalar", "vector"};
  add(rank);
  add(key("fields.*.units", T::text, "Its units."));
  add(key("fields.*.description", T::text, "What it is."));
  add(key("equations", T::map, "d/dt of each field."));
  SchemaEntry equation = key("equations.*", T::block, "d/dt of the field of that name.");
  equation.shorthand = "explicit";
  add(equation);
  SchemaEntry rate = key("equations.*.explicit", T::expression,
                         "The part that explicit schemes take: an expression of fields, "
                         "coordinates, t and differential operators.");
  rate.in_time = true;
  add(rate);
  SchemaEntry stiff =
      key("equations.*.implicit", T::expression,
          "The part that implicit schemes solve for. Where no equation has one, all terms are "
          "implicit to backward_euler, crank_nicolson and bdf2.");
  stiff.in_time = true;
  add(stiff);

  factory.make = [](const ModelSetup& setup) -> std::unique_ptr<Model> {
    return with_space(setup.backend, [&](auto space) -> std::unique_ptr<Model> {
      using Space = decltype(space);
      if (setup.precision == Precision::float_)
        return std::make_unique<PdeModel<Space, float>>(setup);
      return std::make_unique<PdeModel<Space, double>>(setup);
    });
  };
  return factory;
}

}  // namespace xp
