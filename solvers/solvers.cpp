#include <xp/solvers/heat/heat.hpp>
#include <xp/solvers/pde/pde.hpp>
#include <xp/solvers/poisson/poisson.hpp>
#include <xp/solvers/solvers.hpp>

namespace xp {

Registry builtin_models() {
  Registry registry;
  registry.add(heat_model());
  registry.add(poisson_model());
  registry.add(equations_model());
  return registry;
}

}  // namespace xp
