#include <xp/solvers/poisson/poisson.hpp>

#include <utility>

#include <xp/runtime/backend.hpp>
#include <xp/solvers/poisson/poisson_model.hpp>

namespace xp {

ModelFactory poisson_model() {
  ModelFactory factory;
  factory.name = "poisson";
  factory.help = "steady, -div(coefficient grad u) + reaction u = source; field u";
  factory.steady = true;
  factory.linear_methods = {"multigrid", "cg"};
  FieldInfo u;
  u.name = "u";
  u.description = "potential";
  factory.fields = {u};

  SchemaEntry block;
  block.path = "poisson";
  block.type = ValueType::block;
  block.help =
      "The model `poisson`: -div(coefficient grad u) + reaction u = source, field `u`; no `time`.";
  factory.schema.push_back(block);
  const auto key = [&](const char* name, const char* fallback, const char* help) {
    SchemaEntry entry;
    entry.path = std::string("poisson.") + name;
    entry.type = ValueType::expression;
    entry.fallback = fallback;
    entry.help = help;
    factory.schema.push_back(entry);
  };
  key("coefficient", "1", "A number, or an expression of the coordinates, positive everywhere.");
  key("reaction", "0", "A number, or an expression of the coordinates, not negative anywhere.");
  key("source", "0", "A number, or an expression of the coordinates.");

  factory.make = [u](const ModelSetup& setup) -> std::unique_ptr<Model> {
    PoissonInput input;
    input.coefficient = setup.compile("poisson.coefficient", false, false);
    input.reaction = setup.compile("poisson.reaction", false, false);
    input.source = setup.compile("poisson.source", false, false);
    return with_space(setup.backend, [&](auto space) -> std::unique_ptr<Model> {
      using Space = decltype(space);
      if (setup.precision == Precision::float_)
        return std::make_unique<PoissonModel<Space, float>>(setup, u, input);
      return std::make_unique<PoissonModel<Space, double>>(setup, u, input);
    });
  };
  return factory;
}

}  // namespace xp
