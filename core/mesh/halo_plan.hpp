// Which ghost cells of a rank are which cells of which other: boxes of indices, no data.
#pragma once

#include <vector>

#include <xp/mesh/grid.hpp>

namespace xp {

/// A box of cells that go into, or come out of, a message as (k, j, i) in this order.
struct HaloPiece {
  Box box;                  ///< local indices
  AxisSet crossed = 0;      ///< axes whose ends the piece goes around: for fields that do so only
  AxisSet walled = 0;       ///< axes whose wall ghosts it holds: for fields with walls there only
  std::int64_t offset = 0;  ///< of its first value in the message
};

/// All that goes to one rank, or comes from it.
struct HaloMessage {
  int rank = 0;
  std::vector<HaloPiece> pieces;
  std::int64_t values = 0;  ///< per field
};

/// Messages in both directions; the pieces of a message are in the same order on both ranks.
struct HaloPlan {
  std::vector<HaloMessage> send, receive;
};

/// The plan for axes along which the grid is cut; along `wraps` the first and the last part are
/// neighbours, for one field at least. Ghost cells of other axes are the sender's business: with
/// corners they go along, and have to be filled before. Without corners only cells that differ from
/// own ones along one axis are exchanged. A part may be thinner than the ghost layer, which then
/// comes from several ranks.
HaloPlan plan_halo(const Grid& grid, AxisSet wraps, bool corners);

/// Own cells by what a stencil as wide as the ghost layer reads around them: the interior needs no
/// cell of another rank, the outskirts (disjoint boxes, some may be empty) do. Rows stay whole:
/// where they are cut there is no interior.
struct OwnCells {
  Box interior;
  std::vector<Box> outskirts;
};
OwnCells split_own_cells(const Grid& grid, AxisSet wraps);

}  // namespace xp
