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

}  // namespace

const std::vector<Scheme>& explicit_schemes() {
  static const std::vector<Scheme> schemes = {euler(), ssprk2(), ssprk3(), rk4(), rk32(), rk54()};
  return schemes;
}

const Scheme& explicit_scheme(const std::string& name) {
  for (const Scheme& scheme : explicit_schemes())
    if (scheme.name == name) return scheme;
  throw std::logic_error("xp::explicit_scheme: no scheme '" + name + "'");
}

}  // namespace xp
