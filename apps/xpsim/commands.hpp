// The commands of the program; each returns its exit code.
#pragma once

#include <xp/simulation/model.hpp>

#include "command_line.hpp"

int run_command(const CommandLine& line, const xp::Registry& registry);
int check_command(const CommandLine& line, const xp::Registry& registry);
int info_command(const CommandLine& line);
int schema_command(const xp::Registry& registry, bool markdown);
int list_command(const xp::Registry& registry);
