// The program: commands only, no physics. Errors become messages and exit codes here.

#include <iostream>

#include <mpi.h>

#include <xp/runtime/error.hpp>
#include <xp/solvers/solvers.hpp>

#include "command_line.hpp"
#include "commands.hpp"

namespace {

int dispatch(const CommandLine& line) {
  const xp::Registry registry = xp::builtin_models();
  switch (line.command) {
    case Command::check:
      return check_command(line, registry);
    case Command::info:
      return info_command(line);
    case Command::schema:
      return schema_command(registry, false);
    case Command::reference:
      return schema_command(registry, true);
    case Command::list:
      return list_command(registry);
    default:
      return run_command(line, registry);
  }
}

bool needs_mpi(const CommandLine& line) {
  return line.command == Command::run || line.command == Command::check;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  int code = 0;
  if (!parse_command_line(argc, argv, line, code)) return code;
  if (needs_mpi(line)) MPI_Init(nullptr, nullptr);
  try {
    code = dispatch(line);
  } catch (const xp::Error& error) {
    std::cerr << error.what() << "\n";
    code = static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
    code = 1;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    code = 1;
  }
  if (needs_mpi(line)) MPI_Finalize();
  return code;
}
