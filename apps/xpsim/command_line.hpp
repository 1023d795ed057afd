// What the user asked for on the command line.
#pragma once

#include <string>
#include <vector>

enum class Command { run, check, explain, info, schema, list, reference };

struct CommandLine {
  Command command = Command::run;
  std::string input;                   ///< of run and check; of info a file, or empty
  std::vector<std::string> overrides;  ///< PATH=VALUE, those of --backend and the like included
  std::string report_file, log_json_file, restart;
  std::string progress = "auto";
  bool quiet = false, overwrite = false;
  std::vector<std::string> kokkos_arguments;
};

/// Parses the arguments. Returns false when the answer (help, version, a mistake) has been given,
/// with the exit code set.
bool parse_command_line(int argc, char** argv, CommandLine& result, int& code);
