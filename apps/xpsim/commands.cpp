#include "commands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include <xp/expr/expr.hpp>
#include <xp/io/describe.hpp>
#include <xp/io/files.hpp>
#include <xp/mesh/boundary.hpp>
#include <xp/runtime/communicator.hpp>
#include <xp/runtime/host.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/runtime/log.hpp>
#include <xp/runtime/version.hpp>
#include <xp/simulation/simulation.hpp>
#include <xp/solvers/linear/linear_choice.hpp>

#include "terminal.hpp"

namespace {

// A checked input with Kokkos running: what run and check start from.
struct Prepared {
  std::unique_ptr<xp::KokkosSession> kokkos;
  std::unique_ptr<xp::Simulation> simulation;
  std::string resolved;
};

// Ranks of a node that may use the same cores share them.
int threads_per_rank(const xp::Communicator& world) {
  if (world.node_size() == 1 || std::getenv("OMP_NUM_THREADS")) return 0;
  const std::string mine = xp::host_name() + " " + xp::core_set();
  const auto all = xp::broadcast(world, xp::gather(world, mine));
  const auto sharing = static_cast<int>(std::count(all.begin(), all.end(), mine));
  return std::max(1, xp::available_cores() / sharing);
}

Prepared prepare(const CommandLine& line, const xp::Registry& registry) {
  const xp::Communicator world(MPI_COMM_WORLD);
  std::string text;
  xp::on_root(world, [&] { text = xp::read_file(line.input); });
  text = xp::broadcast(world, std::move(text));
  xp::Diagnostics diagnostics;
  xp::Input input =
      xp::read_input(text, line.input, line.overrides, registry.schema(), diagnostics);
  Prepared prepared;
  int threads = threads_per_rank(world);
  if (diagnostics.empty() && !input.config.is_word("run.threads"))
    threads = static_cast<int>(input.config.integer("run.threads"));
  prepared.kokkos =
      std::make_unique<xp::KokkosSession>(threads, line.kokkos_arguments, world.node_rank());
  if (!diagnostics.empty()) {
    // What else is wrong is said in the same breath.
    xp::read_settings(input, registry, diagnostics);
    diagnostics.throw_if_any();
  }
  prepared.resolved = input.config.resolved();
  prepared.simulation =
      std::make_unique<xp::Simulation>(std::move(input), registry, MPI_COMM_WORLD);
  return prepared;
}

bool is_root() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

// Handlers do no more than note what came; the step loop looks. A second interrupt ends the program
// at once.
xp::StopSignals signals;

extern "C" void note_signal(int number) {
  if (number == SIGUSR1) {
    signals.checkpoint = 1;
    return;
  }
  if (signals.stop != 0 && number == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  signals.stop = number;
}

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaction(number, &action, nullptr);
}

std::string bytes(double n) {
  if (n < 1e4) return fmt::format("{:.0f} B", n);
  if (n < 1e7) return fmt::format("{:.1f} kB", n / 1e3);
  if (n < 1e10) return fmt::format("{:.1f} MB", n / 1e6);
  return fmt::format("{:.1f} GB", n / 1e9);
}

std::string number_or(double value, const char* otherwise) {
  return std::isfinite(value) && value > 0 ? fmt::format("{:.7g}", value) : otherwise;
}

std::string plural(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string times(const std::array<int, 3>& numbers, int dimensions) {
  std::string text;
  for (int a = 0; a < dimensions; ++a)
    text += (a > 0 ? " x " : "") + std::to_string(numbers[static_cast<std::size_t>(a)]);
  return text;
}

int count_of(const std::array<int, 3>& parts) {
  return parts[0] * parts[1] * parts[2];
}

std::string decomposition(const xp::RunForecast& forecast, int dimensions) {
  return plural(count_of(forecast.parts), "rank") + ": " + times(forecast.parts, dimensions) +
         " parts of at most " + times(forecast.largest_part, dimensions) + " cells";
}

std::string summary(const xp::RunForecast& forecast, const xp::Settings& settings) {
  const int ranks = count_of(forecast.parts);
  std::string text = fmt::format(
      "{}{} cells, {}, {} on {}, {} of memory", settings.title.empty() ? "" : settings.title + ": ",
      forecast.cells, xp::name(settings.precision), xp::name(settings.backend),
      plural(xp::threads(settings.backend), "thread") + (ranks > 1 ? " per rank" : ""),
      bytes(static_cast<double>(forecast.memory_bytes)) + (ranks > 1 ? " per rank" : ""));
  if (ranks > 1) text += "; " + decomposition(forecast, settings.grid.dimensions);
  return text;
}

}  // namespace

int run_command(const CommandLine& line, const xp::Registry& registry) {
  // A pipe whose reader has gone is a file that cannot be written, not the end of the run.
  std::signal(SIGPIPE, SIG_IGN);
  Terminal terminal(line.quiet, is_root());
  Prepared prepared = prepare(line, registry);
  xp::Simulation& simulation = *prepared.simulation;
  const xp::Settings& settings = simulation.settings();
  const bool restarts = !line.restart.empty();
  if (!line.log_json_file.empty())
    xp::on_root(xp::Communicator(MPI_COMM_WORLD),
                [&] { terminal.open_log(line.log_json_file, true, restarts); });
  if (settings.checkpoint.on_signal) handle_signals();

  xp::RunOptions options;
  options.overwrite = line.overwrite;
  options.restart = line.restart;
  options.signals = &signals;
  options.report_file = line.report_file;
  const std::string started = summary(simulation.forecast(), settings);
  options.started = [&] {
    terminal.open_log(settings.directory + "/run.log", false, restarts);
    xp::log_info(started);
  };
  if (!line.quiet) options.progress = terminal.progress(line.progress);
  const xp::RunReport report = simulation.run(options);
  terminal.end_line();

  const int code = xp::exit_code(report.status);
  if (!report.message.empty()) {
    // Steps that ran out before the end are no failure, but seldom what was meant.
    if (report.status == xp::RunStatus::completed && report.out_of_steps)
      xp::log_warning(report.message);
    else if (code == 0)
      xp::log_info(report.message);
    else
      xp::log_error(report.message);
  }
  xp::log_info(
      fmt::format("{}: {} steps to t = {:.6g} in {:.3g} s ({:.3g} cell updates/s); files in {}",
                  xp::name(report.status), report.steps, report.time, report.total_seconds,
                  xp::cell_updates_per_second(report), settings.directory));
  for (const auto& [field, norms] : report.errors)
    xp::log_info(fmt::format("error of {}: l1 {:.3e}, l2 {:.3e}, linf {:.3e}", field, norms.l1,
                             norms.l2, norms.linf));
  // The log is the root's; all ranks end with the same code.
  int failed = terminal.log_failed() ? 1 : 0;
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code == 0 && failed != 0 ? xp::exit_code(xp::RunStatus::failed) : code;
}

int check_command(const CommandLine& line, const xp::Registry& registry) {
  Terminal terminal(line.quiet, is_root());
  Prepared prepared = prepare(line, registry);
  const xp::RunForecast forecast = prepared.simulation->forecast();
  const xp::Settings& settings = prepared.simulation->settings();
  for (const std::string& warning : prepared.simulation->warnings()) xp::log_warning(warning);
  if (!is_root()) return 0;
  std::cout << prepared.resolved << "\n";
  const auto say = [](const char* what, const std::string& value) {
    std::cout << fmt::format("# {:<22}{}\n", what, value);
  };
  say("model", settings.model->name + ": " + settings.model->help);
  say("backend", xp::name(settings.backend) + ", " + xp::name(settings.precision) + ", " +
                     plural(xp::threads(settings.backend), "thread"));
  say("cells", std::to_string(forecast.cells));
  say("decomposition", decomposition(forecast, settings.grid.dimensions));
  say("memory per rank", bytes(static_cast<double>(forecast.memory_bytes)));
  if (const xp::LinearReport linear = prepared.simulation->model().linear(); !linear.method.empty())
    say("linear solver", linear.method + ": " + linear.why);
  if (!settings.steady) {
    say("stability limit", number_or(forecast.stable_step, "none"));
    say("step", number_or(forecast.step, "by error control"));
    say("steps", forecast.steps >= 0 ? std::to_string(forecast.steps) : "not known before the run");
  }
  say("snapshots",
      forecast.snapshots >= 0 ? std::to_string(forecast.snapshots) : "not known before the run");
  if (forecast.output_bytes >= 0) say("output", bytes(forecast.output_bytes));
  say("files in", settings.directory);
  return 0;
}

int explain_command(const CommandLine& line, const xp::Registry& registry) {
  Terminal terminal(line.quiet, is_root());
  Prepared prepared = prepare(line, registry);
  std::ostringstream text;
  explain(text, *prepared.simulation);
  for (const std::string& warning : prepared.simulation->warnings()) xp::log_warning(warning);
  if (is_root()) std::cout << text.str();
  return 0;
}

int info_command(const CommandLine& line) {
  if (!line.input.empty()) {
    std::cout << xp::describe_file(line.input);
    return 0;
  }
  const xp::KokkosSession kokkos(0, line.kokkos_arguments);
  const xp::BuildInfo build = xp::build_info();
  std::cout << "xpsim " << build.version << " (" << build.build_type << ", " << build.compiler
            << ", " << build.flags << ")\n";
  std::cout << "Kokkos " << build.kokkos << ", " << build.mpi << ", HDF5 " << build.hdf5
            << " (parallel)\n";
  for (const xp::Backend backend : xp::available_backends()) {
    std::cout << "backend " << xp::name(backend);
    const std::string device = xp::device_name(backend);
    if (device.empty())
      std::cout << ", threads " << xp::threads(backend) << "\n";
    else
      std::cout << ", " << device << "\n";
  }
  return 0;
}

int schema_command(const xp::Registry& registry, bool markdown) {
  std::cout << (markdown ? xp::reference_page(registry.schema())
                         : xp::json_schema(registry.schema()));
  return 0;
}

int list_command(const xp::Registry& registry) {
  const auto line = [](const std::string& name, const std::string& help) {
    std::cout << fmt::format("  {:<46} {}\n", name, help);
  };
  std::cout << "models\n";
  for (const xp::ModelFactory& model : registry.models()) line(model.name, model.help);
  std::cout << "time schemes\n";
  for (const xp::Scheme& scheme : xp::schemes()) line(scheme.name, scheme.help);
  std::cout << "linear solvers\n";
  for (const auto& [name, help] : xp::linear_method_help()) line(name, help);
  std::cout << "boundary conditions\n";
  for (const xp::BoundaryHelp& help : xp::boundary_help()) line(help.form, help.help);
  std::cout << "functions of expressions\n";
  for (const xp::FunctionHelp& help : xp::function_help()) line(help.signature, help.help);
  return 0;
}
