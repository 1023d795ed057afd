// The program: commands only, no physics. Errors become messages and exit codes here.

#include <cstdlib>
#include <iostream>
#include <string>

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
    case Command::explain:
      return explain_command(line, registry);
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
  return line.command == Command::run || line.command == Command::check ||
         line.command == Command::explain;
}

// What struck one rank alone: the others may wait for it for ever.
[[noreturn]] void end_all_ranks(const std::string& message, int code) {
  std::cerr << message << "\n" << std::flush;
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  // Answers and mistakes of the command line come before MPI starts: said once by what launchers
  // say.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name); value && std::string(value) != "0") {
      std::cerr.setstate(std::ios::failbit);
      std::cout.setstate(std::ios::failbit);
      break;
    }
  CommandLine line;
  int code = 0, rank = 0, ranks = 1;
  if (!parse_command_line(argc, argv, line, code)) return code;
  std::cerr.clear();
  std::cout.clear();
  if (needs_mpi(line)) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  const auto fail = [&](const std::string& message, int with, bool everywhere) {
    code = with;
    if (!everywhere) end_all_ranks(message + " (on rank " + std::to_string(rank) + ")", code);
    if (rank == 0) std::cerr << message << "\n";
  };
  try {
    code = dispatch(line);
  } catch (const xp::Error& error) {
    // Mistakes of the input are found on all ranks alike.
    fail(error.what(), static_cast<int>(error.kind()),
         error.kind() == xp::ErrorKind::input || error.is_everywhere(ranks));
  } catch (const std::bad_alloc&) {
    fail("error: out of memory", 1, ranks == 1);
  } catch (const std::exception& error) {
    fail(std::string("error: ") + error.what(), 1, ranks == 1);
  }
  if (needs_mpi(line)) MPI_Finalize();
  return code;
}
