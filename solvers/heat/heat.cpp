#include <xp/solvers/heat/heat.hpp>

#include <utility>

#include <xp/runtime/backend.hpp>
#include <xp/solvers/heat/heat_model.hpp>

namespace xp {

ModelFactory heat_model() {
  ModelFactory factory;
  factory.name = "heat";
  factory.implicit_schemes = {"backward_euler", "crank_nicolson", "bdf2", "imex", "imex3", "adi"};
  factory.linear_methods = {"multigrid", "cg"};
  factory.help = "heat conduction, u_t = div(diffusivity grad u) + source; field u";
  FieldInfo u;
  u.name = "u";
  u.description = "temperature";
  factory.fields = {u};

  SchemaEntry block;
  block.path = "heat";
  block.type = ValueType::block;
  block.help = "The model `heat`: u_t = div(diffusivity grad u) + source, field `u`.";
  factory.schema.push_back(block);
  const auto key = [&](const char* name, const char* fallback, const char* units,
                       const char* help) {
    SchemaEntry entry;
    entry.path = std::string("heat.") + name;
    entry.type = ValueType::expression;
    entry.fallback = fallback;
    entry.units = units;
    entry.in_time = std::string(name) == "source";
    entry.random = std::string(name) == "initial";
    entry.help = help;
    factory.schema.push_back(entry);
  };
  key("diffusivity", "1", "length^2/time",
      "D in div(D grad u): a number, or an expression of the coordinates, not negative anywhere.");
  key("source", "0", "u/time", "Source: a number, or an expression of the coordinates and t.");
  key("initial", "0", "u",
      "Value of u at the start: a number, or an expression of the coordinates, with random numbers "
      "uniform(a, b) and normal(mean, sd).");

  factory.make = [u](const ModelSetup& setup) -> std::unique_ptr<Model> {
    HeatInput input;
    input.diffusivity = setup.compile("heat.diffusivity", false, false);
    input.source = setup.compile("heat.source", true, false);
    input.initial = setup.compile("heat.initial", false, true);
    input.diffusivity_position = setup.config.position("heat.diffusivity");
    return with_space(setup.backend, [&](auto space) -> std::unique_ptr<Model> {
      using Space = decltype(space);
      if (setup.precision == Precision::float_)
        return std::make_unique<HeatModel<Space, float>>(setup, u, input);
      return std::make_unique<HeatModel<Space, double>>(setup, u, input);
    });
  };
  return factory;
}

}  // namespace xp
