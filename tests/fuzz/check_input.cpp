#include "check_input.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include <xp/simulation/simulation.hpp>

namespace fuzz {
namespace {

// Is it UTF-8 without control characters, as a terminal and a log can take it?
bool is_printable(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      if ((lead < 32 && lead != '\n' && lead != '\t') || lead == 127) return false;
      ++at;
      continue;
    }
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || at + size > text.size()) return false;
    for (std::size_t n = 1; n < size; ++n)
      if ((static_cast<unsigned char>(text[at + n]) & 0xc0) != 0x80) return false;
    at += size;
  }
  return true;
}

void expect(bool is_right, const std::string& what) {
  if (!is_right) throw std::logic_error(what);
}

void check_message(const xp::Error& error) {
  expect(error.kind() == xp::ErrorKind::input,
         "not an error of the input: " + std::string(error.what()));
  expect(is_printable(error.what()), "a message that is no text");
  for (const xp::Diagnostic& diagnostic : error.diagnostics())
    expect(!diagnostic.message.empty(), "an empty message");
}

// Without diagnostics, or throws an Error with all of them, as the program does.
xp::Input read(const std::string& text, const std::vector<std::string>& overrides,
               const xp::Registry& registry, const xp::Schema& schema) {
  xp::Diagnostics diagnostics;
  xp::Input input = xp::read_input(text, "input.yaml", overrides, schema, diagnostics);
  if (!diagnostics.empty()) xp::read_settings(input, registry, diagnostics);
  diagnostics.throw_if_any();
  return input;
}

// One step, and every expression once.
void take_a_step(xp::Simulation& simulation) {
  const xp::Settings& settings = simulation.settings();
  const xp::Scheme& scheme = xp::find_scheme(settings.scheme);
  xp::Model& model = simulation.model();
  std::vector<int> arrays, numbers;
  for (const xp::OutputItem& item : settings.outputs)
    if (item.field < 0) arrays.push_back(model.add_expression(item.expression));
  for (const xp::SeriesColumn& column : settings.series)
    numbers.push_back(model.add_expression(column.expression));
  for (const xp::Assertion& assertion : settings.assertions)
    numbers.push_back(model.add_expression(assertion.expression));
  if (settings.stop) numbers.push_back(model.add_expression(settings.stop->expression));
  model.allocate(scheme.slots);
  model.initialise(settings.start);
  const double step = 1e-6;
  if (settings.steady) {
    model.solve_steady();
  } else {
    for (const xp::Stage& stage : scheme.first.empty() ? scheme.stages : scheme.first) {
      const double time = settings.start + stage.fraction * step;
      if (stage.implicit > 0) model.solve_stage(stage, time, step);
      if (!stage.outputs.empty()) model.evaluate(stage, time, step);
    }
  }
  for (const int handle : arrays) model.read_expression(handle, settings.start);
  for (const int handle : numbers) model.scalar(handle, settings.start);
  model.fence();
}

void check_good(const std::string& text, const xp::Registry& registry, const xp::Schema& schema) {
  xp::Input input = read(text, {}, registry, schema);
  const std::string resolved = input.config.resolved();
  xp::Diagnostics diagnostics;
  const xp::Settings settings = xp::read_settings(input, registry, diagnostics);
  diagnostics.throw_if_any();

  xp::Diagnostics of_resolved;
  const xp::Input again = xp::read_input(resolved, "input.resolved.yaml", {}, schema, of_resolved);
  expect(of_resolved.empty(), "the resolved input is refused:\n" +
                                  (of_resolved.empty() ? "" : xp::format(of_resolved.list()[0])));
  expect(again.config.resolved() == resolved, "the resolved input reads back as another");
  expect(again.config.differences(input.config).empty(), "the resolved input has other values");

  // Coefficients of the model heat are looked at in every cell, which takes its time.
  if (settings.model->name != "heat" ||
      settings.grid.cells[0] * settings.grid.cells[1] * settings.grid.cells[2] <= 4096)
    xp::Simulation(std::move(input), registry, MPI_COMM_SELF).forecast();
  const char* const few[] = {"[12]", "[8, 8]", "[6, 6, 6]"};
  xp::Simulation small(read(text, {std::string("grid.cells=") + few[settings.grid.dimensions - 1]},
                            registry, schema),
                       registry, MPI_COMM_SELF);
  take_a_step(small);
}

}  // namespace

void check_input(const std::string& text, const xp::Registry& registry) {
  static const xp::Schema schema = registry.schema();
  try {
    check_good(text, registry, schema);
  } catch (const xp::Error& error) {
    check_message(error);
  }
}

}  // namespace fuzz
