// `xpsim explain`: what will be computed, in which passes, and what it costs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include <xp/expr/listing.hpp>
#include <xp/simulation/simulation.hpp>

#include "commands.hpp"

namespace {

// Arrays that a program reads, at the cell or around it.
std::set<int> arrays_read(const xp::Program& program) {
  std::set<int> arrays(program.fields.begin(), program.fields.end());
  for (const xp::Instruction& instruction : program.code)
    if (instruction.op == xp::Op::stencil)
      for (const xp::Operand* operand : {&instruction.a, &instruction.b})
        if (operand->kind == xp::Operand::Kind::array) arrays.insert(operand->index);
  return arrays;
}

class Explanation {
 public:
  Explanation(std::ostream& out, const xp::Config& config, const xp::Settings& settings,
              const xp::Computation& computation)
      : out_(out),
        settings_(settings),
        computation_(computation),
        bytes_(xp::bytes_of(settings.precision)) {
    for (const xp::FieldInfo& field : settings.fields) {
      names_.push_back(field.name);
      lines_.push_back(line_of(config, field.name));
    }
    for (const xp::Temporary& temporary : computation.temporaries)
      names_.push_back("[" + temporary.text + "]");
  }

  void print(const std::vector<std::string>& texts) {
    out_ << "equations\n";
    for (const std::string& text : texts) out_ << "  " << text << "\n";
    out_ << "behind each instruction: the lines of the equations that need it\n";
    int pass = 0;
    for (const xp::Step& step : computation_.steps) {
      std::vector<std::string> outputs;
      std::vector<std::uint32_t> needed_by;
      const char* const when = step.is_static ? "once" : "per stage";
      if (step.kind == xp::Step::Kind::arrays) {
        for (const int array : step.targets) {
          outputs.push_back(name(array));
          needed_by.push_back(temporary(array).needed_by);
        }
        out_ << fmt::format("pass {} ({}): {}\n", ++pass, when, step.text);
        const std::int64_t cost = traffic(step.program, step.targets.size());
        if (!step.is_static) total_ += cost;
        print_program(step.program, outputs, needed_by, cost);
        for (const int array : step.targets) print_ghosts(array);
      } else {
        outputs.push_back("number " + std::to_string(step.number));
        needed_by.push_back(step.needed_by);
        const bool reduction = step.kind == xp::Step::Kind::reduction;
        out_ << fmt::format("{} ({}): {}\n", reduction ? "reduction over the grid" : "number", when,
                            step.text);
        const std::int64_t cost = reduction ? traffic(step.program, 0) : 0;
        total_ += cost;
        print_program(step.program, outputs, needed_by, cost);
      }
    }
    std::vector<std::string> rates;
    std::vector<std::uint32_t> needed_by;
    for (const xp::FieldInfo& field : settings_.fields) {
      needed_by.push_back(std::uint32_t{1} << rates.size());
      rates.push_back("d/dt " + field.name);
    }
    out_ << "last pass (per stage): the equations, and the stage of " << settings_.scheme << "\n";
    const std::int64_t cost = traffic(computation_.last, rates.size());
    total_ += cost;
    print_program(computation_.last, rates, needed_by, cost);
    const auto least = static_cast<std::int64_t>(2 * settings_.fields.size()) * bytes_;
    out_ << fmt::format(
        "memory traffic          {} bytes per cell and stage; each field read and written once: "
        "{}\n",
        total_, least);
  }

 private:
  const std::string& name(int array) const { return names_[static_cast<std::size_t>(array)]; }
  const xp::Temporary& temporary(int array) const {
    return computation_.temporaries[static_cast<std::size_t>(array - computation_.fields)];
  }

  // The line of a component's equation, with its file if it is not the input.
  static std::string line_of(const xp::Config& config, const std::string& field) {
    const bool is_scalar = config.given("equations." + field);
    const std::string name = is_scalar ? field : field.substr(0, field.rfind('_'));
    const xp::Position where = config.position("equations." + name + ".explicit");
    const std::string line = std::to_string(where.line);
    return where.file == config.position("").file ? line : where.file + ":" + line;
  }

  std::string lines_of(std::uint32_t needed_by) const {
    std::string text;
    std::set<std::string> seen;
    for (std::size_t n = 0; n < lines_.size(); ++n)
      if ((needed_by >> n & 1) != 0 && seen.insert(lines_[n]).second)
        text += (text.empty() ? "" : ", ") + lines_[n];
    return text;
  }

  // Arrays read and written, each once: the cache is expected to hold the rows around a cell.
  std::int64_t traffic(const xp::Program& program, std::size_t written) const {
    return static_cast<std::int64_t>(arrays_read(program).size() + written) * bytes_;
  }

  void print_program(const xp::Program& program, const std::vector<std::string>& outputs,
                     const std::vector<std::uint32_t>& outputs_needed_by,
                     std::int64_t bytes) const {
    std::vector<std::uint32_t> needed_by = program.needed_by;
    needed_by.insert(needed_by.end(), outputs_needed_by.begin(), outputs_needed_by.end());
    const std::vector<std::string> texts = xp::listing(program, names_, outputs);
    for (std::size_t n = 0; n < texts.size(); ++n)
      out_ << fmt::format("    {:<44}  {}\n", texts[n], lines_of(needed_by[n]));
    std::string stencils;
    for (const xp::Stencil& stencil : program.stencils)
      stencils +=
          fmt::format("{}{} ({} on each side)", stencils.empty() ? "" : ", ", xp::name_of(stencil),
                      xp::reach(stencil, settings_.order, settings_.advection));
    out_ << fmt::format("  {} instructions, {} registers{}{}{}\n", program.code.size(),
                        program.registers, stencils.empty() ? "" : "; stencils: ", stencils,
                        bytes > 0 ? fmt::format("; {} bytes per cell", bytes) : "");
  }

  void print_ghosts(int array) const {
    const xp::Temporary& made = temporary(array);
    if (!made.is_read_around) return;
    out_ << "  ghost cells of " << name(array) << ": "
         << (made.is_pointwise         ? "computed from those of the fields"
             : made.conditions.empty() ? "copied from the other end"
                                       : "from boundary_conditions." + made.conditions)
         << "\n";
  }

  std::ostream& out_;
  const xp::Settings& settings_;
  const xp::Computation& computation_;
  std::int64_t bytes_, total_ = 0;
  std::vector<std::string> names_, lines_;  // of arrays; of the equations of the fields
};

}  // namespace

void explain(std::ostream& out, xp::Simulation& simulation) {
  const xp::Config& config = simulation.config();
  const xp::Settings& settings = simulation.settings();
  const xp::RunForecast forecast = simulation.forecast();
  const auto say = [&](const char* what, const std::string& value) {
    out << fmt::format("{:<24}{}\n", what, value);
  };
  say("model", settings.model->name + ": " + settings.model->help);
  if (settings.equations) {
    std::vector<std::string> texts;
    for (const std::string& field : config.keys("equations")) {
      const std::string path = "equations." + field + ".explicit";
      const xp::Position where = config.position(path);
      texts.push_back(
          fmt::format("d/dt {} = {}   ({}:{})", field, config.text(path), where.file, where.line));
    }
    for (const std::string& name : config.keys("definitions")) {
      const xp::Position where = config.position("definitions." + name);
      texts.push_back(fmt::format("{} = {}   ({}:{})", name, config.text("definitions." + name),
                                  where.file, where.line));
    }
    Explanation(out, config, settings, settings.equations->computation).print(texts);
  }
  say("ghost cells",
      fmt::format("{}{}", settings.grid.ghosts, settings.corners ? ", corners too" : ""));
  if (const xp::LinearReport linear = simulation.model().linear(); !linear.method.empty())
    say("linear solver", linear.method + ": " + linear.why);
  if (settings.steady) return;
  say("time scheme", settings.scheme + ": " + xp::find_scheme(settings.scheme).help);
  say("stability limit",
      std::isfinite(forecast.stable_step) ? fmt::format("{:.7g}", forecast.stable_step) : "none");
  if (forecast.step > 0) say("step", fmt::format("{:.7g}", forecast.step));
}
