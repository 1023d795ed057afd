// A model without space: u' = f(u, t) in every cell. It shows how a model is added from outside the
// library, and lets time schemes be tested against exact solutions.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include <xp/runtime/backend.hpp>
#include <xp/simulation/field_model.hpp>

namespace test {

enum class Ode { decay, forced, relax, square, swing };

template <class Space, class Real>
struct OdeRate {
  xp::FieldView<Space, Real> u;
  Ode kind;
  Real t, swing;  ///< the time and its cosine

  KOKKOS_INLINE_FUNCTION Real operator()(int k, int j, int i) const {
    const Real v = u(k, j, i);
    switch (kind) {
      case Ode::decay:
        return -v;
      case Ode::forced:
        return -v + t;
      case Ode::relax:
        return Real(1) - v;
      case Ode::square:
        return v * v;
      default:
        return v * swing;
    }
  }
};

template <class Space, class Real>
class OdeModel final : public xp::FieldModel<Space, Real> {
 public:
  OdeModel(const xp::ModelSetup& setup, const xp::FieldInfo& u, Ode kind)
      : xp::FieldModel<Space, Real>(setup, {u}, {setup.compile("ode.initial", false, false)}),
        kind_(kind) {}

  double decay_rate(double) override { return 0; }
  void rate(const xp::Stage& stage, double time, double step, const xp::Box& box) override {
    xp::StageTarget<Space, Real> targets[xp::max_stage_outputs];
    const int count = this->targets(stage, 0, step, targets);
    const OdeRate<Space, Real> rate{this->view(stage.in, 0), kind_, static_cast<Real>(time),
                                    static_cast<Real>(std::cos(time))};
    xp::apply_stage(this->space(), "ode: rate", box, rate, targets, count);
  }

 private:
  Ode kind_;
};

inline xp::ModelFactory ode_model() {
  xp::ModelFactory factory;
  factory.name = "ode";
  factory.help = "u' = f(u, t)";
  xp::FieldInfo u;
  u.name = "u";
  factory.fields = {u};
  const auto entry = [&](const char* path, xp::ValueType type, const char* fallback) {
    xp::SchemaEntry e;
    e.path = path;
    e.type = type;
    e.fallback = fallback;
    e.help = path;
    factory.schema.push_back(e);
  };
  entry("ode", xp::ValueType::block, "");
  entry("ode.initial", xp::ValueType::expression, "0");
  entry("ode.kind", xp::ValueType::choice, "decay");
  factory.schema.back().choices = {"decay", "forced", "relax", "square", "swing"};
  factory.make = [u](const xp::ModelSetup& setup) -> std::unique_ptr<xp::Model> {
    const std::string name = setup.config.text("ode.kind");
    const Ode kind = name == "decay"    ? Ode::decay
                     : name == "forced" ? Ode::forced
                     : name == "relax"  ? Ode::relax
                     : name == "square" ? Ode::square
                                        : Ode::swing;
    return xp::with_space(setup.backend, [&](auto space) -> std::unique_ptr<xp::Model> {
      using Space = decltype(space);
      if (setup.precision == xp::Precision::float_)
        return std::make_unique<OdeModel<Space, float>>(setup, u, kind);
      return std::make_unique<OdeModel<Space, double>>(setup, u, kind);
    });
  };
  return factory;
}

inline xp::Registry with_ode() {
  xp::Registry registry;
  registry.add(ode_model());
  return registry;
}

}  // namespace test
