// The commands of the program; each returns its exit code.
#pragma once

#include <iosfwd>

#include <xp/simulation/simulation.hpp>

#include "command_line.hpp"

int run_command(const CommandLine& line, const xp::Registry& registry);
int check_command(const CommandLine& line, const xp::Registry& registry);
int explain_command(const CommandLine& line, const xp::Registry& registry);
int info_command(const CommandLine& line);
/// Writes what a run would compute; on every rank.
void explain(std::ostream& out, xp::Simulation& simulation);
int schema_command(const xp::Registry& registry, bool markdown);
int list_command(const xp::Registry& registry);
