// Programs with stencils and arrays on the way: the same bits whether they are optimised or not.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <xp/operators/calculator.hpp>

#include "operators_testing.hpp"

namespace {

using xp_test::make_field;
using Random = std::mt19937_64;

const char* pick(Random& random, const std::vector<const char*>& list) {
  return list[random() % list.size()];
}

// With operators nested at most `operators` deep.
std::string random_expression(Random& random, int depth, int operators) {
  const auto part = [&](int inside) { return random_expression(random, depth - 1, inside); };
  if (depth == 0) return pick(random, {"u", "v", "u", "v", "x", "t", "0.3", "2", "a"});
  const std::uint64_t choice = random() % 10;
  if (choice < 4 && operators > 0) {
    const char* const name = pick(
        random, {"dx", "dy", "dxx", "dyy", "dxy", "laplacian", "diffusion", "flux", "advection"});
    const std::string which = name, of = part(operators - 1);
    if (which == "diffusion") return "div((" + part(operators - 1) + ")*grad(" + of + "))";
    if (which == "flux") return "div((" + of + ")*[v, 0.4])";
    if (which == "advection") return "advect([v - 0.1, " + part(0) + "], " + of + ")";
    return which + "(" + of + ")";
  }
  const std::string first = part(operators);
  if (choice == 4) return "-(" + first + ")";
  if (choice == 5) return "sin(" + first + ")";
  if (choice == 6) return "(" + first + ")^3";
  return "(" + first + pick(random, {" + ", " - ", "*"}) + part(operators) + ")";
}

template <class Kind>
class ExprStencils : public testing::Test {};
TYPED_TEST_SUITE(ExprStencils, xp_test::DoubleKinds);

TYPED_TEST(ExprStencils, OptimisedAgreesBitForBit) {
  using Space = typename TypeParam::Space;
  xp::GridSpec spec;
  spec.cells = {19, 11, 1};
  spec.dimensions = 2;
  spec.periodic = {true, true, false};
  spec.ghosts = xp::most_ghosts;
  const xp::Grid grid(spec);
  const xp::Communicator self(MPI_COMM_SELF);
  Random random(31);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<xp::Field<Space, double>> fields;
  std::vector<xp::FieldView<Space, double>> views;
  for (const char* name : {"u", "v"}) {
    fields.push_back(make_field<Space, double>(grid, name));
    xp_test::set(fields.back(), grid, xp::Region::own,
                 [&](int, const double*) { return uniform(random); });
    xp_test::fill_periodic(grid, xp::Order::second, fields.back());
    views.push_back(fields.back().view());
  }
  xp::Symbols symbols;
  symbols.dimensions = 2;
  symbols.operators = true;
  symbols.parameters = {{"a", -0.75}};
  symbols.fields = {"u", "v"};

  const auto evaluate = [&](const std::string& text, bool optimise, xp::Advection advection) {
    xp::CompileOptions options;
    options.walls = false;
    options.repeated = true;
    options.optimise = optimise;
    const xp::CompiledComputation compiled =
        xp::compile_all({{text, false, -1, {}, {}}}, symbols, options);
    std::vector<double> values;
    if (!compiled) return values;  // too large without what is shared
    xp::CalculatorSetup setup;
    setup.grid = &grid;
    setup.communicator = &self;
    setup.advection = advection;
    const Space space;
    xp::Calculator<Space, double> calculator(*compiled.computation, setup);
    calculator.allocate();
    calculator.prepare(space, views, 0.625);
    const auto result = make_field<Space, double>(grid, "result", 1, false);
    calculator.write(space, result.view());
    space.fence();
    const auto host = xp::host_mirror(result);
    for (int j = 0; j < spec.cells[1]; ++j)
      for (int i = 0; i < spec.cells[0]; ++i) values.push_back(host(0, 0, j, i));
    return values;
  };

  const xp::Advection schemes[] = {xp::Advection::central2, xp::Advection::upwind1,
                                   xp::Advection::vanleer, xp::Advection::weno5};
  int compared = 0, moving = 0;
  for (int n = 0; n < 2500; ++n) {
    const std::string text = random_expression(random, 2 + static_cast<int>(random() % 4), 2);
    const xp::Advection advection = schemes[n % 4];
    const std::vector<double> fast = evaluate(text, true, advection),
                              plain = evaluate(text, false, advection);
    if (plain.empty()) continue;
    ASSERT_EQ(fast.size(), plain.size()) << text;
    ++compared;
    if (fast.front() != fast.back()) ++moving;
    for (std::size_t m = 0; m < fast.size(); ++m)
      ASSERT_TRUE(std::bit_cast<std::uint64_t>(fast[m]) == std::bit_cast<std::uint64_t>(plain[m]) ||
                  (std::isnan(fast[m]) && std::isnan(plain[m])))
          << text << ", cell " << m << ": " << fast[m] << " and " << plain[m];
  }
  EXPECT_GT(compared, 2000);
  EXPECT_GT(moving, 1500);
}

}  // namespace
