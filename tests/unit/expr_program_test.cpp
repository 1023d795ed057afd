// Register programs: folding, allocation, reductions, and the same bits on the host and in kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <xp/expr/computation.hpp>
#include <xp/expr/device_program.hpp>
#include <xp/expr/expr.hpp>

namespace {

using Random = std::mt19937_64;

xp::Symbols all_symbols() {
  xp::Symbols symbols;
  symbols.parameters = {{"a", 2}, {"b", -0.75}};
  symbols.definitions = {{"wave", "sin(a*x) - b"}};
  symbols.fields = {"u", "v"};
  return symbols;
}
constexpr std::size_t slot_count = 6;  // x y z t u v

int below(Random& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

std::string random_leaf(Random& random) {
  static const char* const leaves[] = {"x",  "y", "z", "t", "u", "v",   "a",    "b",   "wave",
                                       "pi", "e", "0", "1", "2", "0.5", "1e-3", "3.7", "1e200"};
  return leaves[below(random, static_cast<int>(std::size(leaves)))];
}

std::string random_expression(Random& random, int depth) {
  if (depth == 0 || below(random, 8) == 0) return random_leaf(random);
  const auto part = [&] { return random_expression(random, depth - 1); };
  static const char* const binary[] = {"+",  "-",  "*",  "/",  "^",     "<",   ">",
                                       "<=", ">=", "==", "!=", " and ", " or "};
  static const char* const one[] = {"exp", "log",  "log10", "sqrt",  "cbrt", "sin",      "cos",
                                    "tan", "asin", "acos",  "atan",  "sinh", "cosh",     "tanh",
                                    "erf", "abs",  "sign",  "floor", "ceil", "heaviside"};
  static const char* const two[] = {"atan2", "mod", "min", "max", "hypot"};
  static const char* const three[] = {"if", "clamp", "max"};
  switch (below(random, 8)) {
    case 0:
      return "-" + ("(" + part() + ")");
    case 1:
      return "(not " + part() + ")";
    case 2:
      return std::string(one[below(random, static_cast<int>(std::size(one)))]) + "(" + part() + ")";
    case 3: {
      const char* const name = two[below(random, static_cast<int>(std::size(two)))];
      const std::string first = part();
      return std::string(name) + "(" + first + ", " + part() + ")";
    }
    case 4: {
      const char* const name = three[below(random, static_cast<int>(std::size(three)))];
      const std::string first = part(), second = part();
      return std::string(name) + "(" + first + ", " + second + ", " + part() + ")";
    }
    case 5:
      return "(" + part() + ")^2";
    default: {
      const char* const sign = binary[below(random, static_cast<int>(std::size(binary)))];
      const std::string first = part();
      return "(" + first + sign + part() + ")";
    }
  }
}

// One without a constant part that is not finite: those are refused.
std::string accepted_expression(Random& random, const xp::Symbols& symbols) {
  for (;;) {
    const std::string text = random_expression(random, 1 + below(random, 6));
    const xp::Compiled compiled = xp::compile(text, symbols, true);
    if (compiled || compiled.error.message.find("not a finite number") == std::string::npos)
      return text;
  }
}

double random_value(Random& random) {
  switch (below(random, 8)) {
    case 0:
      return 0;
    case 1:
      return below(random, 7) - 3;
    case 2:
      return -0.0;
    default:
      return std::uniform_real_distribution<double>(-3, 3)(random);
  }
}

// The same bits; which NaN it is may depend on the order of a sum's operands in the machine code.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

xp::Program compile_or_fail(const std::string& text, const xp::Symbols& symbols,
                            bool optimise = true) {
  xp::Compiled compiled = xp::compile(text, symbols, optimise);
  EXPECT_TRUE(compiled) << text << ": " << compiled.error.message;
  return compiled ? *compiled.program : xp::Program();
}

TEST(ExprProgram, OptimisedAgreesBitForBit) {
  const xp::Symbols symbols = all_symbols();
  Random random(20240611);
  int folded = 0;
  for (int n = 0; n < 6000; ++n) {
    const std::string text = accepted_expression(random, symbols);
    const xp::Program fast = compile_or_fail(text, symbols, true);
    const xp::Program plain = compile_or_fail(text, symbols, false);
    ASSERT_LE(fast.code.size(), plain.code.size());
    if (fast.code.size() < plain.code.size()) ++folded;
    for (int sample = 0; sample < 4; ++sample) {
      std::vector<double> slots(slot_count);
      for (double& slot : slots) slot = random_value(random);
      ASSERT_TRUE(same(fast(slots), plain(slots))) << text;
    }
  }
  EXPECT_GT(folded, 1000);
}

struct Inputs {
  static constexpr int most = 64;
  double values[8][most];  // the slots that are read, and some that are not

  KOKKOS_INLINE_FUNCTION double operator()(int slot, int lane) const { return values[slot][lane]; }
};

// In a kernel, all lanes at once and one at a time.
template <class Space, int W>
std::vector<double> run_in_kernel(const xp::Program& program, const Inputs& inputs, int lanes) {
  const xp::DeviceProgram<Space> device(program);
  std::vector<double> results(static_cast<std::size_t>(lanes));
  double* const out = results.data();
  Kokkos::parallel_for("expression test", Kokkos::RangePolicy<Space>(0, 1), [=](const int) {
    for (int first = 0; first < lanes; first += W) {
      double values[W];
      const int count = lanes - first < W ? lanes - first : W;
      device.template run<W>([&](int slot, int lane) { return inputs(slot, first + lane); }, count,
                             values);
      for (int lane = 0; lane < count; ++lane) out[first + lane] = values[lane];
    }
  });
  Space().fence();
  return results;
}

TEST(ExprProgram, KernelsAgreeWithTheHostBitForBit) {
  const xp::Symbols symbols = all_symbols();
  Random random(7);
  for (int n = 0; n < 1000; ++n) {
    const std::string text = accepted_expression(random, symbols);
    const xp::Program program = compile_or_fail(text, symbols);
    const int lanes = 1 + below(random, Inputs::most);
    Inputs inputs;
    for (auto& row : inputs.values)
      for (double& value : row) value = random_value(random);
    using Serial = Kokkos::Serial;
    using Host = Kokkos::DefaultHostExecutionSpace;
    const std::vector<double> results[] = {run_in_kernel<Serial, 64>(program, inputs, lanes),
                                           run_in_kernel<Serial, 1>(program, inputs, lanes),
                                           run_in_kernel<Host, 64>(program, inputs, lanes),
                                           run_in_kernel<Host, 7>(program, inputs, lanes),
                                           run_in_kernel<Host, 1>(program, inputs, lanes)};
    for (int lane = 0; lane < lanes; ++lane) {
      std::vector<double> slots(slot_count);
      for (std::size_t slot = 0; slot < slot_count; ++slot) slots[slot] = inputs.values[slot][lane];
      const double expected = program(slots);
      for (const std::vector<double>& result : results)
        ASSERT_TRUE(same(result[static_cast<std::size_t>(lane)], expected)) << text;
    }
  }
}

TEST(ExprProgram, WidthFollowsTheExecutionSpace) {
  EXPECT_EQ(xp::chunk_width<Kokkos::DefaultHostExecutionSpace>, 256);
  EXPECT_FALSE(xp::DeviceProgram<Kokkos::DefaultHostExecutionSpace>().has_program());
}

TEST(ExprProgram, FoldsConstantsOnly) {
  const xp::Symbols symbols = all_symbols();
  EXPECT_EQ(compile_or_fail("2*pi*sqrt(a)", symbols).code.size(), 0u);
  EXPECT_EQ(compile_or_fail("0*x", symbols).code.size(), 2u);
  EXPECT_EQ(compile_or_fail("x + 0", symbols).code.size(), 2u);
  EXPECT_EQ(compile_or_fail("(x^2)^0.5", symbols).code.size(), 3u);
  EXPECT_EQ(compile_or_fail("x/3", symbols).code.back().op, xp::Op::divide);
}

TEST(ExprProgram, SharesWhatIsEqual) {
  const xp::Symbols symbols = all_symbols();
  EXPECT_EQ(compile_or_fail("sin(x)*u + sin(x)", symbols).code.size(), 3u);
  // Small powers are products, whose parts are shared.
  EXPECT_EQ(compile_or_fail("u^4", symbols).code.size(), 2u);
  // A sum of products is one instruction for two operations.
  EXPECT_EQ(compile_or_fail("2*u + v", symbols).code.size(), 1u);
  EXPECT_EQ(compile_or_fail("2*u + v", symbols, false).code.size(), 2u);
}

TEST(ExprProgram, KnowsWhatItReads) {
  const xp::Symbols symbols = all_symbols();
  const xp::Program constant = compile_or_fail("a*pi", symbols);
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.constant_value(), 2 * 3.14159265358979323846);
  EXPECT_FALSE(constant.uses_coordinates);
  EXPECT_FALSE(constant.uses_time);

  const xp::Program all = compile_or_fail("v + u*wave - v + t", symbols);
  EXPECT_FALSE(all.is_constant());
  EXPECT_TRUE(all.uses_coordinates);
  EXPECT_TRUE(all.uses_time);
  EXPECT_EQ(all.fields, (std::vector<int>{0, 1}));
  EXPECT_EQ(compile_or_fail("v", symbols).fields, std::vector<int>{1});
}

xp::Computation compute_or_fail(const std::vector<std::string>& texts, const xp::Symbols& symbols,
                                const xp::CompileOptions& options) {
  std::vector<xp::Request> requests;
  for (const std::string& text : texts) requests.push_back({text, false, -1, {}, {}});
  xp::CompiledComputation compiled = xp::compile_all(requests, symbols, options);
  EXPECT_TRUE(compiled) << texts[0] << ": " << compiled.error.message;
  return compiled ? *compiled.computation : xp::Computation();
}

TEST(ExprComputation, ReductionsAreStepsOfTheirOwn) {
  xp::Symbols symbols = all_symbols();
  symbols.reductions = true;
  symbols.coordinates = false;
  const xp::Computation all = compute_or_fail(
      {"integral(u*x)/2 + max(min(v), norm(u - v)) + mean(1) + max(t)"}, symbols, {});
  ASSERT_EQ(all.steps.size(), 5u);
  using Kind = xp::Reduction::Kind;
  std::vector<double> slots = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const xp::Step& step : all.steps) {
    EXPECT_EQ(step.kind, xp::Step::Kind::reduction);
    double value = 0;
    if (step.reduction == Kind::integral) {
      EXPECT_EQ(step.program({3, 0, 0, 0, 5, 0}), 15);
      EXPECT_TRUE(step.program.uses_coordinates);
      value = 10;
    } else if (step.reduction == Kind::min) {
      value = 7;
    } else if (step.reduction == Kind::norm) {
      EXPECT_EQ(step.program.fields, (std::vector<int>{0, 1}));
      value = 8;
    } else if (step.reduction == Kind::mean) {
      EXPECT_TRUE(step.program.is_constant());
      value = 1;
    } else {
      value = 100;
    }
    slots[static_cast<std::size_t>(6 + step.number)] = value;
  }
  EXPECT_TRUE(all.is_number[0]);
  EXPECT_TRUE(all.last.fields.empty());
  EXPECT_EQ(all.last(slots), 114);
}

TEST(ExprComputation, EquationsShareOnePass) {
  xp::Symbols symbols = all_symbols();
  symbols.operators = true;
  xp::CompileOptions options;
  options.repeated = true;
  const xp::Computation gray_scott = compute_or_fail(
      {"a*laplacian(u) - u*v^2 + b*(1 - u)", "b*laplacian(v) + u*v^2 - a*v"}, symbols, options);
  EXPECT_TRUE(gray_scott.steps.empty());
  EXPECT_EQ(gray_scott.last.outputs.size(), 2u);
  EXPECT_EQ(gray_scott.last.stencils.size(), 1u);
  EXPECT_LE(gray_scott.last.code.size(), 7u);

  // A derivative of a derivative is a pass of its own; what is costly and static is kept.
  options.walls = false;
  const xp::Computation nested = compute_or_fail(
      {"laplacian(u^3 - u - laplacian(u))", "sin(pi*x)*v*cos(t)"}, symbols, options);
  ASSERT_EQ(nested.temporaries.size(), 2u);
  EXPECT_FALSE(nested.temporaries[0].is_pointwise);
  EXPECT_TRUE(nested.temporaries[0].is_read_around);
  EXPECT_TRUE(nested.temporaries[1].is_static);
  ASSERT_EQ(nested.steps.size(), 3u);
  EXPECT_TRUE(nested.steps[0].is_static);
  EXPECT_EQ(nested.steps[1].kind, xp::Step::Kind::number);
  EXPECT_EQ(nested.steps[2].targets, std::vector<int>{2});
}

TEST(ExprComputation, ConservativeFormsAreFound) {
  xp::Symbols symbols = all_symbols();
  symbols.operators = true;
  symbols.dimensions = 2;
  using Kind = xp::StencilKind;
  const auto kinds = [&](const std::string& text) {
    std::vector<Kind> result;
    for (const xp::Stencil& stencil : compute_or_fail({text}, symbols, {}).stencils())
      result.push_back(stencil.kind);
    return result;
  };
  EXPECT_EQ(kinds("div(grad(u))"), std::vector<Kind>{Kind::laplacian});
  EXPECT_EQ(kinds("div(-3*grad(u))"), std::vector<Kind>{Kind::laplacian});
  EXPECT_EQ(kinds("div((1 + x)*grad(u))"), (std::vector<Kind>{Kind::diffusion, Kind::diffusion}));
  EXPECT_EQ(kinds("div([v*dx(u), 0])"), std::vector<Kind>{Kind::diffusion});
  EXPECT_EQ(kinds("div(u*[v, 1])"), (std::vector<Kind>{Kind::flux, Kind::flux}));
  EXPECT_EQ(kinds("div([u, v])"), (std::vector<Kind>{Kind::first, Kind::first}));
  EXPECT_EQ(kinds("advect([1, 0], u)"), std::vector<Kind>{Kind::upwind});
  EXPECT_EQ(kinds("dx(u) + dxy(v)"), (std::vector<Kind>{Kind::first, Kind::mixed}));
  EXPECT_TRUE(kinds("dx(a) + laplacian(cos(t))").empty());
}

TEST(ExprProgram, NeedsFewRegisters) {
  const auto name = [](int n) { return std::string("d").append(std::to_string(n)); };
  xp::Symbols symbols = all_symbols();
  // Two sums in one instruction have three operands.
  EXPECT_EQ(compile_or_fail("x + (y + (z + (t + u*v)))", symbols).registers, 3);
  EXPECT_EQ(compile_or_fail("x + y + z + t + u*v", symbols).registers, 3);
  symbols.definitions["d0"] = "x";
  for (int n = 1; n <= 12; ++n) {
    const std::string before = name(n - 1);
    symbols.definitions[name(n)] = before + " + " + before;
  }
  // What is equal is made once.
  const xp::Program shared = compile_or_fail("d12", symbols);
  EXPECT_EQ(shared.registers, 1);
  EXPECT_EQ(shared.code.size(), 13u);
  EXPECT_EQ(shared({0.5}), 2048);
}

}  // namespace
