#include <limits>
#include <stdexcept>
#include <utility>

#include <xp/simulation/model.hpp>

namespace xp {

void Model::take_euler_steps(double, double, int) {
  throw std::logic_error("xp::Model: this model takes single steps");
}

Solved Model::solve_stage(const Stage&, double, double) {
  throw std::logic_error("xp::Model: this model has no implicit schemes");
}

Solved Model::solve_steady() {
  throw std::logic_error("xp::Model: this model is not steady");
}

double Model::stable_step(const Scheme& scheme, double time) {
  const double rate = decay_rate(time);
  return rate > 0 ? scheme.limit * 2 / rate : std::numeric_limits<double>::infinity();
}

void Registry::add(ModelFactory factory) {
  if (find(factory.name))
    throw std::logic_error("xp::Registry: two models are named '" + factory.name + "'");
  models_.push_back(std::move(factory));
}

const ModelFactory* Registry::find(const std::string& name) const {
  for (const ModelFactory& model : models_)
    if (model.name == name) return &model;
  return nullptr;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> result;
  for (const ModelFactory& model : models_) result.push_back(model.name);
  return result;
}

Schema Registry::schema() const {
  std::vector<std::string> steady;
  for (const ModelFactory& model : models_)
    if (model.steady) steady.push_back(model.name);
  Schema schema = core_schema(steady);
  for (const ModelFactory& model : models_)
    for (SchemaEntry entry : model.schema) {
      entry.of_model = entry.path == model.name;
      schema.add(entry);
    }
  return schema;
}

}  // namespace xp
