#include "command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

#include <xp/runtime/error.hpp>

namespace {

const std::vector<std::string> command_names = {"run",  "check",  "explain",
                                                "info", "schema", "list"};
const std::vector<std::string> later_commands = {"doctor", "bench"};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The value of an option as YAML: what could be read as anything but a text is put in quotes.
std::string as_yaml(const std::string& value) {
  const bool plain = value.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-") ==
                     std::string::npos;
  if (plain && value != "null" && value != "-") return value;
  std::string result = "'";
  for (const char c : value) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

bool refuse(const std::string& message, const std::string& hint, int& code) {
  std::cerr
      << xp::Error(xp::ErrorKind::input, message, hint.empty() ? "see xpsim --help" : hint).what()
      << "\n";
  code = 2;
  return false;
}

// A first word that names neither a command nor a file.
bool is_misspelt_command(const std::string& word) {
  std::error_code error;
  return !word.empty() && word[0] != '-' && word.find_first_of("./") == std::string::npos &&
         !std::filesystem::exists(word, error);
}

// Options that are short for a key of the input.
struct Shortcut {
  const char *option, *path, *help;
};
constexpr Shortcut shortcuts[] = {
    {"--backend", "run.backend",
     "auto, serial, openmp or cuda; the same as --set run.backend=NAME"},
    {"--precision", "run.precision", "double or float"},
    {"--threads", "run.threads", "threads of the openmp backend"},
    {"--output", "output.directory", "folder for the files of the run"},
};

void add_input_options(CLI::App& app, CommandLine& result) {
  app.add_option("INPUT.yaml", result.input, "input file")->required();
  app.add_option("--set", result.overrides, "override a key of the input, as grid.cells=[512,512]")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  for (const Shortcut& shortcut : shortcuts)
    app.add_option_function<std::string>(
           shortcut.option,
           [&result, shortcut](const std::string& value) {
             result.overrides.push_back(std::string(shortcut.path) + "=" + as_yaml(value));
           },
           shortcut.help)
        ->type_name("VALUE");
}

// Options of the subcommand that was given, or of the program.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  };
  add(app);
  for (const CLI::App* command : app.get_subcommands()) add(*command);
  return names;
}

}  // namespace

bool parse_command_line(int argc, char** argv, CommandLine& result, int& code) {
  std::vector<std::string> arguments;
  for (int n = 1; n < argc; ++n) {
    const std::string argument = argv[n];
    if (argument.rfind("--kokkos-", 0) == 0)
      result.kokkos_arguments.push_back(argument);
    else
      arguments.push_back(argument);
  }
  // `xpsim INPUT.yaml` is `xpsim run INPUT.yaml`.
  const auto is_command = [](const std::string& word) {
    return is_one_of(word, command_names) || word == "--help" || word == "-h" ||
           word == "--version";
  };
  if (arguments.empty()) arguments = {"--help"};
  if (!is_command(arguments[0]) && is_misspelt_command(arguments[0])) {
    const std::string& word = arguments[0];
    if (is_one_of(word, later_commands))
      return refuse("the command '" + word + "' is not supported by this version of xpsim", "",
                    code);
    return refuse("'" + word + "' is neither a command nor a file",
                  xp::did_you_mean(word, command_names), code);
  }
  if (!is_command(arguments[0])) arguments.insert(arguments.begin(), "run");

  CLI::App app("xpsim solves partial differential equations on structured grids.", "xpsim");
  app.set_version_flag("--version", std::string("xpsim ") + XPSIM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "`xpsim INPUT.yaml` is short for `xpsim run INPUT.yaml`. `xpsim COMMAND --help` says more.\n"
      "Exit codes: 0 completed or converged, 1 failure at run time, 2 wrong usage or input,\n"
      "3 a verify assertion failed, 4 diverged, 5 not converged, 75 stopped with a checkpoint.");
  CLI::App* run = app.add_subcommand("run", "run an input");
  add_input_options(*run, result);
  bool dry_run = false;
  run->add_option("--report", result.report_file, "write report.json to this file too")
      ->type_name("FILE");
  run->add_option("--log-json", result.log_json_file,
                  "write the log to this file too, one JSON object per line")
      ->type_name("FILE");
  run->add_option("--progress", result.progress, "auto, plain or none")
      ->check(CLI::IsMember({"auto", "plain", "none"}))
      ->type_name("HOW");
  run->add_option("--restart", result.restart,
                  "go on from a checkpoint: `latest` of the output folder, or a file")
      ->type_name("latest|FILE");
  run->add_flag("--overwrite", result.overwrite, "replace the files of an earlier run");
  run->add_flag("--dry-run", dry_run, "check only, as `xpsim check`");
  run->add_flag("--quiet", result.quiet, "no progress and no summary; warnings and errors only");
  CLI::App* check = app.add_subcommand(
      "check", "all checks without a run: resolved input, memory, steps, output");
  add_input_options(*check, result);

  CLI::App* explain = app.add_subcommand(
      "explain", "what will be computed: passes, instructions, stencils, bytes, stability limit");
  add_input_options(*explain, result);
  CLI::App* info =
      app.add_subcommand("info", "versions and backends of this build, or the contents of a file");
  info->add_option("SNAPSHOT|CHECKPOINT", result.input, "a snapshot or a checkpoint");
  CLI::App* schema = app.add_subcommand("schema", "JSON Schema of the input, for editors");
  bool markdown = false;
  schema->add_flag("--markdown", markdown, "the input reference page of the manual instead");
  app.add_subcommand("list", "models, schemes, boundary conditions and functions");

  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      code = app.exit(error);
      return false;
    }
    std::string hint;
    for (const std::string& word : app.remaining(true)) {
      if (hint.empty() && word.rfind("--", 0) == 0)
        hint = xp::did_you_mean(word.substr(0, word.find('=')), option_names(app));
    }
    return refuse(error.what(), hint, code);
  }
  if (!result.restart.empty() && result.overwrite)
    return refuse("--restart goes on with the files of a run, --overwrite replaces them",
                  "give one of the two", code);
  if (*check || dry_run) result.command = Command::check;
  if (*explain) result.command = Command::explain;
  if (*info) result.command = Command::info;
  if (*schema) result.command = markdown ? Command::reference : Command::schema;
  if (app.got_subcommand("list")) result.command = Command::list;
  return true;
}
