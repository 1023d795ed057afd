// Time schemes against exact solutions of ordinary differential equations (ACCEPTANCE 6 to 9), and
// the counting of steps and times.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <xp/runtime/error.hpp>
#include <xp/time/control.hpp>
#include <xp/time/scheme.hpp>

#include "ode_model.hpp"
#include "run_input.hpp"

namespace {

std::string ode(const std::string& kind, const std::string& initial, const std::string& rest) {
  return "xpsim: 1\ngrid: {cells: [5], periodic: x}\nmodel: ode\node: {kind: " + kind +
         ", initial: " + initial + "}\n" + rest;
}

test::Run run(const std::string& text, std::vector<std::string> overrides = {}) {
  return test::run(text, std::move(overrides), test::with_ode());
}

// A scheme's table on one number: u' = u cos(t), whose solution is exp(sin t). This part of the
// right-hand side is implicit to schemes that have such a part.
double by_table(const xp::Scheme& scheme, int steps, double end, double implicit = 0) {
  std::vector<double> slots(static_cast<std::size_t>(scheme.slots), 0.0);
  slots[0] = 1;
  const double h = end / steps;
  for (int n = 0; n < steps; ++n) {
    for (const xp::Stage& stage : n == 0 && !scheme.first.empty() ? scheme.first : scheme.stages) {
      const double growth = std::cos((n + stage.fraction) * h);
      if (stage.implicit > 0)
        slots[stage.in] = slots[stage.right_side] / (1 - stage.implicit * h * implicit * growth);
      const double part = stage.part == xp::Part::all         ? 1
                          : stage.part == xp::Part::implicit_ ? implicit
                                                              : 1 - implicit;
      const double rate = part * slots[stage.in] * growth;
      std::vector<std::pair<int, double>> results;
      for (const xp::StageOutput& output : stage.outputs) {
        double sum = output.rate * h * rate;
        for (const auto& [slot, factor] : output.terms) sum += factor * slots[slot];
        results.emplace_back(output.slot, sum);
      }
      for (const auto& [slot, value] : results) slots[slot] = value;
    }
    std::swap(slots[0], slots[scheme.result]);
  }
  return slots[0];
}

class EveryScheme : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheme, TableHasItsOrder) {
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  const double exact = std::exp(std::sin(1.0));
  double before = 0;
  for (const int steps : {20, 40, 80}) {
    const double error = std::abs(by_table(scheme, steps, 1.0) - exact);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), scheme.order, 0.1) << steps;
    }
    before = error;
  }
}

TEST_P(EveryScheme, NoStageWritesWhatItsStencilReads) {
  for (const xp::Stage& stage : xp::find_scheme(GetParam()).stages)
    for (const xp::StageOutput& output : stage.outputs) {
      EXPECT_NE(output.slot, stage.in);
      EXPECT_LE(output.terms.size() + 1, static_cast<std::size_t>(xp::max_stage_terms));
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes, EveryScheme,
                         testing::Values("euler", "ssprk2", "ssprk3", "rk4", "rk32", "rk54"));

class ImplicitScheme : public testing::TestWithParam<std::string> {};

TEST_P(ImplicitScheme, TableHasItsOrderHoweverTermsAreDivided) {
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  const double exact = std::exp(std::sin(1.0));
  for (const double implicit : {0.0, 0.3, 1.0, 1.5}) {
    double before = 0;
    for (const int steps : {320, 640, 1280}) {
      const double error = std::abs(by_table(scheme, steps, 1.0, implicit) - exact);
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / error), scheme.order, 0.15) << implicit << " " << steps;
      }
      before = error;
    }
  }
}

TEST_P(ImplicitScheme, NoStageWritesWhatItReads) {
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  EXPECT_TRUE(scheme.implicit());
  for (const std::vector<xp::Stage>* stages : {&scheme.stages, &scheme.first})
    for (const xp::Stage& stage : *stages) {
      EXPECT_LE(stage.outputs.size(), static_cast<std::size_t>(xp::max_stage_outputs));
      if (stage.implicit > 0) {
        EXPECT_NE(stage.in, stage.right_side);
      }
      for (const xp::StageOutput& output : stage.outputs) {
        EXPECT_NE(output.slot, stage.in);
        EXPECT_LE(output.terms.size() + 1, static_cast<std::size_t>(xp::max_stage_terms));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitScheme,
                         testing::Values("backward_euler", "crank_nicolson", "bdf2", "imex",
                                         "imex3"));

class SchemeOfEqualSteps : public testing::TestWithParam<std::string> {};

TEST_P(SchemeOfEqualSteps, KernelsDoWhatTheTableSays) {
  const xp::Scheme& scheme = xp::find_scheme(GetParam());
  for (const std::string& backend : test::backend_names()) {
    const test::Run result =
        run(ode("swing", "1", "time: {step: 0.05, end: 1, scheme: " + GetParam() + "}"),
            {"run.backend=" + backend});
    EXPECT_EQ(result.report.steps, 20);
    for (const double value : result.u)
      EXPECT_NEAR(value, by_table(scheme, 20, 1.0), 1e-14) << backend;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, SchemeOfEqualSteps,
                         testing::Values("euler", "ssprk2", "ssprk3", "rk4"));

TEST(Time, ForcedDecayWithSsprk3) {  // ACCEPTANCE 6
  const double exact = 1 + std::exp(-2.0);
  const double expected[3] = {-1.06e-4, -1.22e-5, -1.47e-6};
  const int steps[3] = {10, 20, 40};
  for (int n = 0; n < 3; ++n)
    for (const std::string& backend : test::backend_names()) {
      const test::Run result =
          run(ode("forced", "0", fmt::format("time: {{step: 2/{}, end: 2}}", steps[n])),
              {"run.backend=" + backend});
      EXPECT_EQ(result.report.steps, steps[n]);
      EXPECT_NEAR(result.u[0] - exact, expected[n], 0.006 * std::abs(expected[n])) << steps[n];
    }
}

TEST(Time, EulerTakesExactlyTheSteps) {  // ACCEPTANCE 7
  for (const std::string& backend : test::backend_names()) {
    const std::vector<std::string> on_it = {"run.backend=" + backend};
    const test::Run many =
        run(ode("decay", "1", "time: {scheme: euler, step: 1e-3, end: 2}"), on_it);
    EXPECT_EQ(many.report.steps, 2000);
    EXPECT_EQ(many.report.time, 2.0);
    EXPECT_NEAR(many.u[0], 0.1351999253975, 1e-13);
    EXPECT_NEAR(many.u[0], std::pow(1 - 1e-3, 2000), 1e-14);
    const test::Run three =
        run(ode("decay", "1", "time: {scheme: euler, step: 0.1, end: 0.3}"), on_it);
    EXPECT_EQ(three.report.steps, 3);
    EXPECT_EQ(three.report.time, 0.3);
    EXPECT_NEAR(three.u[0], std::pow(0.9, 3), 1e-15);
  }
}

TEST(Time, AdaptiveSchemesKeepTheTolerance) {
  const double exact = std::exp(std::sin(3.0));
  for (const std::string scheme : {"rk32", "rk54"})
    for (const std::string& backend : test::backend_names()) {
      double before = 1;
      for (const std::string tolerance : {"1e-5", "1e-7", "1e-9"}) {
        const test::Run result =
            run(ode("swing", "1",
                    "time: {scheme: " + scheme + ", end: 3, tolerance: {relative: " + tolerance +
                        ", absolute: " + tolerance + "}}"),
                {"run.backend=" + backend});
        EXPECT_EQ(result.report.time, 3.0);
        const double error = std::abs(result.u[0] - exact);
        EXPECT_LT(error, 20 * std::stod(tolerance)) << scheme;
        EXPECT_LT(error, before);
        before = error;
      }
    }
}

TEST(Time, BlowUpIsFollowedAndThenReported) {  // ACCEPTANCE 8
  const std::string text = "time: {scheme: rk54, end: 0.9, step: 1e-3}";
  const test::Run good = run(ode("square", "1", text));
  EXPECT_NEAR(good.u[0], 10, 1e-4);
  for (const std::string scheme : {"rk32", "rk54"}) {
    const test::Run bad = run(ode("square", "1", text), {"time.end=2", "time.scheme=" + scheme});
    EXPECT_EQ(bad.report.status, xp::RunStatus::diverged) << bad.report.message;
    EXPECT_NEAR(bad.report.time, 1, 1e-3);
    EXPECT_NE(bad.report.message.find("'u'"), std::string::npos) << bad.report.message;
    EXPECT_NE(bad.report.message.find("t = "), std::string::npos) << bad.report.message;
    EXPECT_NE(bad.report.message.find("step "), std::string::npos) << bad.report.message;
  }
  const test::Run fixed = run(ode("square", "1", "time: {scheme: rk4, end: 2, step: 1e-3}"));
  EXPECT_EQ(fixed.report.status, xp::RunStatus::diverged);
}

TEST(Time, SteadyStateIsFoundAtTheSameTimeWhateverTheStep) {  // ACCEPTANCE 9
  for (const std::string step : {"0.1", "0.01", "0.003"})
    for (const std::string& backend : test::backend_names()) {
      const test::Run result = run(ode("relax", "2",
                                       "time: {scheme: rk4, step: " + step +
                                           "}\nconvergence: {tolerance: 1e-3, check_every: 1}"),
                                   {"run.backend=" + backend});
      EXPECT_EQ(result.report.status, xp::RunStatus::converged);
      EXPECT_GE(result.report.time, std::log(1000.0) - 1e-4);
      EXPECT_LE(result.report.time, std::log(1000.0) + std::stod(step) + 1e-4);
      EXPECT_LT(result.report.convergence_value, 1e-3);
      EXPECT_EQ(result.report.convergence_checks, result.report.steps);
    }
}

TEST(Time, TheLastStepIsCheckedWhateverTheInterval) {
  for (const std::string tolerance : {"0.4", "1e-3"}) {
    // After 7 steps the rate is -(1 - 0.125)^7 = -0.39.
    const test::Run result = run(ode("relax", "2",
                                     "time: {scheme: euler, step: 0.125, end: 0.875}\n"
                                     "convergence: {check_every: 50, tolerance: " +
                                         tolerance + "}"));
    EXPECT_EQ(result.report.status,
              tolerance == "0.4" ? xp::RunStatus::converged : xp::RunStatus::not_converged);
    EXPECT_EQ(result.report.convergence_checks, 1);
    EXPECT_NEAR(result.report.convergence_value, std::pow(0.875, 7), 1e-14);
  }
}

TEST(Time, ConvergenceQuantitiesAndNorms) {
  const std::string text = "time: {scheme: euler, step: 0.125, end: 1}\n";
  for (const std::string norm : {"l1", "l2", "linf"}) {
    // All cells are alike, so that all norms are; the change over 4 steps is a geometric sum.
    const test::Run change = run(ode("decay", "1",
                                     text +
                                         "convergence: {quantity: change, tolerance: 1e-9, "
                                         "check_every: 4, norm: " +
                                         norm + "}"));
    EXPECT_EQ(change.report.status, xp::RunStatus::not_converged);
    EXPECT_EQ(change.report.convergence_checks, 2);
    EXPECT_NEAR(change.report.convergence_value, std::pow(0.875, 4) - std::pow(0.875, 8), 1e-15);
    const test::Run rate = run(ode(
        "decay", "1", text + "convergence: {tolerance: 1e-9, check_every: 4, norm: " + norm + "}"));
    EXPECT_NEAR(rate.report.convergence_value, std::pow(0.875, 8), 1e-15);
  }
}

TEST(EqualSteps, RoundingMakesNoExtraStep) {
  EXPECT_EQ(xp::equal_steps(0.3, 0.1), 3);
  EXPECT_EQ(xp::equal_steps(1.1, 0.1), 11);
  EXPECT_EQ(xp::equal_steps(0.7, 0.1), 7);
  EXPECT_EQ(xp::equal_steps(2, 1e-3), 2000);
  EXPECT_EQ(xp::equal_steps(1, 0.3), 4);
  EXPECT_EQ(xp::equal_steps(1, 10), 1);
  EXPECT_THROW(xp::equal_steps(1, 1e-300), xp::Error);
}

TEST(EqualSteps, TimesAreCountedAndTheEndIsExact) {
  const xp::EqualSteps steps(0.1, 0.7, 0.1);
  ASSERT_EQ(steps.last(), 6);
  EXPECT_EQ(steps.time(6), 0.7);
  for (int n = 0; n < 6; ++n) EXPECT_EQ(steps.time(n), 0.1 + n * steps.step());
  // A whole number of steps goes into 0.25: 3 of at most 0.1.
  const xp::EqualSteps aligned(0, 1, 0.1, 0.25);
  EXPECT_EQ(aligned.last(), 12);
  EXPECT_EQ(aligned.time(3), 0.25);
  EXPECT_EQ(xp::EqualSteps(1, 1, 0.1).last(), 0);
}

TEST(Schedule, DueTimesAreCounted) {
  xp::ScheduleSpec spec;
  spec.unit = xp::ScheduleSpec::Unit::time;
  spec.interval = 0.1;
  xp::Schedule schedule(spec, 0);
  int due = 0;
  for (int n = 0; n <= 1000; ++n)
    if (schedule.due(n, n * 0.001, 0)) ++due;
  EXPECT_EQ(due, 11);
  // A step over many intervals is due once, and the next time lies ahead.
  EXPECT_TRUE(schedule.due(1001, 1e6 + 0.05, 0));
  EXPECT_FALSE(schedule.due(1002, 1e6 + 0.06, 0));
  EXPECT_NEAR(schedule.next_time(), 1e6 + 0.1, 1e-6);
}

TEST(Schedule, StepsSecondsAndTimes) {
  xp::ScheduleSpec spec;
  spec.unit = xp::ScheduleSpec::Unit::steps;
  spec.steps = 50;
  xp::Schedule steps(spec, 0);
  EXPECT_TRUE(steps.due(0, 0, 0));
  EXPECT_FALSE(steps.due(49, 0, 0));
  EXPECT_TRUE(steps.due(50, 0, 0));
  spec.unit = xp::ScheduleSpec::Unit::seconds;
  spec.interval = 10;
  xp::Schedule seconds(spec, 0);
  seconds.due(0, 0, 0);
  EXPECT_FALSE(seconds.due(1, 0, 9.9));
  EXPECT_TRUE(seconds.due(2, 0, 10.1));
  EXPECT_FALSE(seconds.due(3, 0, 10.2));
  spec.unit = xp::ScheduleSpec::Unit::times;
  spec.times = {0.5, 0.7};
  xp::Schedule times(spec, 0);
  EXPECT_FALSE(times.due(0, 0, 0));
  EXPECT_EQ(times.next_time(), 0.5);
  EXPECT_TRUE(times.due(1, 0.5, 0));
  EXPECT_TRUE(times.due(2, 0.8, 0));
  EXPECT_TRUE(std::isinf(times.next_time()));
}

TEST(Schedule, IntervalsBeyondCountingAreEveryStep) {
  for (const auto unit : {xp::ScheduleSpec::Unit::time, xp::ScheduleSpec::Unit::seconds}) {
    xp::ScheduleSpec spec;
    spec.unit = unit;
    spec.interval = 1e-300;
    xp::Schedule schedule(spec, 0);
    for (const int step : {0, 1, 2})
      EXPECT_TRUE(schedule.due(step, 0.1 * step, 0.1 * step)) << step;
    EXPECT_EQ(schedule.next_time(), std::numeric_limits<double>::infinity());
  }
}

TEST(EqualSteps, AlignmentBeyondCountingIsNone) {
  EXPECT_EQ(xp::EqualSteps(0, 1, 0.1, 1e-300).last(), 10);
  EXPECT_EQ(xp::EqualSteps(0, 1, 1e-15, 1e-15).last(), 1000000000000000);
}

}  // namespace
