#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <xp/time/scheme.hpp>

namespace xp {
namespace {

Scheme euler() {
  return {"euler", "forward Euler, order 1", 1, 2, 1, {{0, 0, {{1, 1, {{0, 1}}}}}}, 1};
}

// Shu and Osher 1988, eq. 2.16; SSP coefficient 1.
Scheme ssprk2() {
  return {"ssprk2", "strong-stability preserving Runge-Kutta, 2 stages, order 2",           2, 2,
          0,        {{0, 0, {{1, 1, {{0, 1}}}}}, {1, 1, {{0, 0.5, {{0, 0.5}, {1, 0.5}}}}}}, 1};
}

// Shu and Osher 1988, eq. 2.18; SSP coefficient 1.
Scheme ssprk3() {
  return {"ssprk3",
          "strong-stability preserving Runge-Kutta, 3 stages, order 3",
          3,
          3,
          0,
          {{0, 0, {{1, 1, {{0, 1}}}}},
           {1, 1, {{2, 0.25, {{0, 0.75}, {1, 0.25}}}}},
           {2, 0.5, {{0, 2. / 3, {{0, 1. / 3}, {2, 2. / 3}}}}}},
          1};
}

// The classical scheme of Kutta 1901, with the final sum kept running in slot 2. Real-axis
// stability interval 2.785293563 (Hairer and Wanner II, table IV.2.1).
Scheme rk4() {
  return {"rk4",
          "classical Runge-Kutta, 4 stages, order 4",
          4,
          4,
          0,
          {{0, 0, {{1, 1. / 2, {{0, 1}}}, {2, 1. / 6, {{0, 1}}}}},
           {1, 0.5, {{3, 1. / 2, {{0, 1}}}, {2, 1. / 3, {{2, 1}}}}},
           {3, 0.5, {{1, 1, {{0, 1}}}, {2, 1. / 3, {{2, 1}}}}},
           {1, 1, {{0, 1. / 6, {{2, 1}}}}}},
          2.785293563 / 2};
}

// Bogacki and Shampine 1989: order 3 with an embedded order 2; the new state is summed in slot 2,
// the difference of both in slot 3. Real-axis interval of order 3 in 3 stages: 2.512745327.
Scheme rk32() {
  return {"rk32",
          "Bogacki-Shampine 3(2), step size by error control",
          3,
          5,
          2,
          {{0, 0, {{1, 1. / 2, {{0, 1}}}, {2, 2. / 9, {{0, 1}}}, {3, -5. / 72, {}}}},
           {1, 0.5, {{4, 3. / 4, {{0, 1}}}, {2, 1. / 3, {{2, 1}}}, {3, 1. / 12, {{3, 1}}}}},
           {4, 0.75, {{2, 4. / 9, {{2, 1}}}, {3, 1. / 9, {{3, 1}}}}},
           {2, 1, {{3, -1. / 8, {{3, 1}}}}}},
          2.512745327 / 2,
          3,
          2};
}

// Dormand and Prince 1980, table 2 (RK5(4)7M). Slot 0 the state, 1 and 2 stage values in turn, 2+i
// the increment step*k_i of stage i (1 to 6), 9 the error. Real-axis interval 3.3066.
Scheme rk54() {
  static const double a[6][6] = {
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static const double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  static const double e[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                              -17253. / 339200, 22. / 525, -1. / 40};
  Scheme scheme{
      "rk54", "Dormand-Prince 5(4), step size by error control", 5, 10, 2, {}, 3.3066 / 2, 9, 4};
  const auto increment = [](int stage) { return 3 + stage; };
  for (int s = 0; s < 6; ++s) {
    Stage stage{s == 0 ? 0 : 1 + (s + 1) % 2, c[s], {}};
    StageOutput next{1 + s % 2, a[s][s], {{0, 1}}};
    for (int m = 0; m < s; ++m)
      if (a[s][m] != 0) next.terms.push_back({increment(m), a[s][m]});
    stage.outputs.push_back(next);
    stage.outputs.push_back({increment(s), 1, {}});
    scheme.stages.push_back(stage);
  }
  StageOutput error{9, e[6], {}};
  for (int m = 0; m < 6; ++m)
    if (e[m] != 0) error.terms.push_back({increment(m), e[m]});
  scheme.stages.push_back({2, c[6], {error}});
  return scheme;
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Combines slots, and adds the rate of the terms that are not implicit.
Stage explicit_stage(int in, double fraction, std::vector<StageOutput> outputs) {
  return {in, fraction, std::move(outputs), Part::explicit_, 0, 0};
}
Stage implicit_stage(int in, double fraction, double implicit, int right_side,
                     std::vector<StageOutput> outputs = {}) {
  return {in, fraction, std::move(outputs), Part::explicit_, implicit, right_side};
}

// With terms that are not implicit by forward Euler (Ascher, Ruuth and Spiteri 1997, section 2.1).
Scheme backward_euler() {
  return {"backward_euler",
          "backward Euler, order 1, L-stable",
          1,
          3,
          1,
          {explicit_stage(0, 0, {{2, 1, {{0, 1}}}}), implicit_stage(1, 1, 1, 2)},
          unlimited};
}

// The trapezoidal rule (Crank and Nicolson 1947); other terms by Adams and Bashforth's rule of
// order 2 (Ascher, Ruuth and Wetton 1995, eq. 9 and 11). Slot 3 keeps their increment.
Scheme crank_nicolson() {
  const Stage half{0, 0, {{2, 0.5, {{0, 1}}}}, Part::implicit_, 0, 0};
  const Stage solve = implicit_stage(1, 1, 0.5, 2);
  Scheme scheme{"crank_nicolson",
                "Crank-Nicolson, order 2, A-stable; explicit parts by Adams-Bashforth",
                2,
                4,
                1,
                {half, explicit_stage(0, 0, {{2, 1.5, {{2, 1}, {3, -0.5}}}, {3, 1, {}}}), solve},
                unlimited};
  scheme.history = {3};
  scheme.first = {half, explicit_stage(0, 0, {{2, 1, {{2, 1}}}, {3, 1, {}}}), solve};
  return scheme;
}

// Two-step backward differences (Curtiss and Hirschfelder 1952); other terms are extrapolated
// (Ascher, Ruuth and Wetton 1995, eq. 13). Slot 1 keeps the state before, 3 the increment of the
// other terms. The first step is one of order 1.
Scheme bdf2() {
  Scheme scheme{
      "bdf2",
      "backward differences over two steps, order 2, L-stable",
      2,
      4,
      1,
      {explicit_stage(0, 0, {{2, 4. / 3, {{0, 4. / 3}, {1, -1. / 3}, {3, -2. / 3}}}, {3, 1, {}}}),
       implicit_stage(1, 1, 2. / 3, 2)},
      unlimited};
  scheme.history = {1, 3};
  scheme.first = {explicit_stage(0, 0, {{2, 1, {{0, 1}}}, {3, 1, {}}}), implicit_stage(1, 1, 1, 2)};
  return scheme;
}

// Ascher, Ruuth and Spiteri 1997, section 2.6: ARS(2,2,2). The right sides of both stages are made
// in slots 1 and 2; increments of implicit terms are what a stage's solution differs from its right
// side.
Scheme imex() {
  const double gamma = 1 - std::sqrt(0.5), delta = 1 - 1 / (2 * gamma);
  const double other = (1 - gamma) / gamma;
  return {"imex",
          "implicit-explicit Runge-Kutta ARS(2,2,2), order 2, L-stable",
          2,
          4,
          1,
          {explicit_stage(0, 0, {{1, gamma, {{0, 1}}}, {2, delta, {{0, 1}}}}),
           implicit_stage(3, gamma, gamma, 1, {{2, 1 - delta, {{2, 1}, {3, other}, {1, -other}}}}),
           implicit_stage(1, 1, gamma, 2)},
          unlimited};
}

// Ascher, Ruuth and Spiteri 1997, section 2.8: ARS(4,4,3).
Scheme imex3() {
  const auto add = [](int slot, double rate, double implicit, int from) {
    return StageOutput{slot, rate, {{slot, 1}, {5, 2 * implicit}, {from, -2 * implicit}}};
  };
  return {"imex3",
          "implicit-explicit Runge-Kutta ARS(4,4,3), order 3, L-stable",
          3,
          6,
          5,
          {explicit_stage(0, 0,
                          {{1, 1. / 2, {{0, 1}}},
                           {2, 11. / 18, {{0, 1}}},
                           {3, 5. / 6, {{0, 1}}},
                           {4, 1. / 4, {{0, 1}}}}),
           implicit_stage(5, 1. / 2, 1. / 2, 1,
                          {add(2, 1. / 18, 1. / 6, 1), add(3, -5. / 6, -1. / 2, 1),
                           add(4, 7. / 4, 3. / 2, 1)}),
           implicit_stage(5, 2. / 3, 1. / 2, 2,
                          {add(3, 1. / 2, 1. / 2, 2), add(4, 3. / 4, -3. / 2, 2)}),
           implicit_stage(5, 1. / 2, 1. / 2, 3, {add(4, -7. / 4, 1. / 2, 3)}),
           implicit_stage(5, 1, 1. / 2, 4)},
          unlimited};
}

// The model takes the step from slot 0 to 1 by a method of its own.
Scheme adi() {
  return {"adi",    "alternating directions (Douglas and Gunn), order 2, for heat",
          2,        2,
          1,        {implicit_stage(1, 1, 1, 0)},
          unlimited};
}

}  // namespace

bool Scheme::implicit() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return stage.implicit > 0; });
}

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all = {euler(), ssprk2(), ssprk3(),         rk4(),
                                          rk32(),  rk54(),   backward_euler(), crank_nicolson(),
                                          bdf2(),  imex(),   imex3(),          adi()};
  return all;
}

const Scheme& find_scheme(const std::string& name) {
  for (const Scheme& scheme : schemes())
    if (scheme.name == name) return scheme;
  throw std::logic_error("xp::find_scheme: no scheme '" + name + "'");
}

}  // namespace xp
