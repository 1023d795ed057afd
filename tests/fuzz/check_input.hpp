// What fuzzing and its corpus do with a text: all that `xpsim check` does, and the first step of a
// run on a few cells.
#pragma once

#include <string>

#include <xp/simulation/model.hpp>

namespace fuzz {

/// Takes a text for an input. Returns when it is a good one, or when it is refused as users are to
/// be told; throws for anything else, such as an exception of another kind, a message that is no
/// text, or a resolved input that does not read back. Writes no files. MPI and Kokkos have to be
/// initialised.
void check_input(const std::string& text, const xp::Registry& registry);

}  // namespace fuzz
