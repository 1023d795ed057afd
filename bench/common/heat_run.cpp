#include <common/heat_run.hpp>

#include <algorithm>
#include <set>

#include <xp/runtime/error.hpp>
#include <xp/solvers/solvers.hpp>

namespace bench {
namespace {

const xp::Registry& models() {
  static const xp::Registry registry = xp::builtin_models();
  return registry;
}

xp::Input read(const std::string& text) {
  xp::Diagnostics diagnostics;
  xp::Input input = xp::read_input(text, "bench.yaml", {}, models().schema(), diagnostics);
  diagnostics.throw_if_any();
  return input;
}

}  // namespace

std::int64_t HeatCase::cell_count() const {
  std::int64_t count = 1;
  for (const int n : cells) count *= n;
  return count;
}

std::string HeatCase::input() const {
  const std::size_t axes = cells.size();
  const auto list = [&](const auto& entry) {
    std::string text = "[";
    for (std::size_t a = 0; a < axes; ++a) text += (a ? ", " : "") + entry(a);
    return text + "]";
  };
  std::string mode;
  for (std::size_t a = 0; a < axes; ++a)
    mode += std::string(a ? "*" : "") + "sin(pi*" + "xyz"[a] + ")";
  const std::string coefficient = std::to_string(diffusivity) + (variable ? "*(1 + 0.5*x*y)" : "");
  const std::string diffusion =
      variable ? "div(" + coefficient + "*grad(u))" : coefficient + "*laplacian(u)";
  return "xpsim: 1\n"
         "grid:\n"
         "  lower: " +
         list([](std::size_t) { return std::string("0"); }) +
         "\n"
         "  upper: " +
         list([](std::size_t) { return std::string("1"); }) +
         "\n"
         "  cells: " +
         list([&](std::size_t a) { return std::to_string(cells[a]); }) + "\n" +
         (as_equation ? "model: equations\n"
                        "fields:\n"
                        "  u: \"" +
                            mode +
                            "\"\n"
                            "equations:\n"
                            "  u: \"" +
                            diffusion + "\"\n"
                      : "model: heat\n"
                        "heat:\n"
                        "  diffusivity: \"" +
                            coefficient +
                            "\"\n"
                            "  initial: \"" +
                            mode + "\"\n") +
         "boundary_conditions:\n"
         "  u:\n"
         "    all: {dirichlet: 0}\n"
         "numerics: {order: " +
         std::to_string(order) +
         "}\n"
         "time: {scheme: " +
         scheme +
         ", step: auto, end: 1}\n"
         "run: {backend: " +
         name(backend) + ", precision: " + name(precision) + "}\n";
}

ModelRun::ModelRun(const std::string& input, const std::string& scheme)
    : simulation_(read(input), models(), MPI_COMM_SELF), scheme_(xp::find_scheme(scheme)) {
  model().allocate(scheme_.slots);
  model().initialise(0);
  model().fence();
}

void ModelRun::step() {
  for (const xp::Stage& stage : scheme_.stages)
    model().evaluate(stage, time_ + stage.fraction * step_, step_);
  if (scheme_.result != 0) model().swap(0, scheme_.result);
  time_ += step_;
}

void ModelRun::steps(long count, bool single) {
  const int most = single || !scheme_.is_euler() ? 1 : model().steps_at_once();
  while (count > 0) {
    const int taken = static_cast<int>(std::min<long>(count, most));
    if (taken == 1) {
      step();
    } else {
      model().take_euler_steps(time_, step_, taken);
      time_ += taken * step_;
    }
    count -= taken;
  }
}

HeatRun::HeatRun(const HeatCase& heat) : ModelRun(heat.input(), heat.scheme), case_(heat) {
  set_time_step(part_of_limit * model().stable_step(scheme(), 0));
}

double HeatRun::least_bytes() const {
  const int axes = static_cast<int>(case_.cells.size());
  const int coefficients = !case_.variable ? 0 : case_.order == 4 ? 1 + axes : axes;
  int arrays = 0;
  for (const xp::Stage& stage : scheme().stages) {
    std::set<int> read = {stage.in}, written;
    for (const xp::StageOutput& output : stage.outputs) {
      written.insert(output.slot);
      for (const auto& term : output.terms) read.insert(term.first);
    }
    const auto allocated = std::count_if(written.begin(), written.end(),
                                         [&](int slot) { return read.count(slot) == 0; });
    arrays += static_cast<int>(read.size() + written.size() + allocated) + coefficients;
  }
  return static_cast<double>(arrays) * case_.value_bytes() *
         static_cast<double>(case_.cell_count());
}

}  // namespace bench
