// How the blocks of a grid get into one file: they are sent to a few ranks, which write long
// pieces.
//
// This is what MPI-IO does, but for failures: Open MPI 4.1's reports success for a write that the
// disk had no space for, and waits for ever when a file can be opened on some ranks only.
#pragma once

#include <cstdint>
#include <functional>

#include <xp/mesh/grid.hpp>
#include <xp/runtime/communicator.hpp>

namespace xp {

/// Does something with a piece of an array: the `bytes` from `offset` on. Empty on ranks that do
/// not hold the file.
using Piece = std::function<void(std::int64_t offset, char* data, std::int64_t bytes)>;

/// Gives the values of all ranks' blocks, (z, y, x) of the whole grid, to `write`. Collective; what
/// that throws on one rank is thrown by all.
void collect(const Communicator& communicator, const Grid& grid, int bytes_per_cell,
             const void* values, const Piece& write);

/// The way back: has `read` fill pieces, and fills the values of this rank's block.
void distribute(const Communicator& communicator, const Grid& grid, int bytes_per_cell,
                void* values, const Piece& read);

}  // namespace xp
