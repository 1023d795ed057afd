// Time indices over the snapshots of a run, for visualisation programs.
#pragma once

#include <string>
#include <vector>

#include <xp/io/snapshot.hpp>
#include <xp/mesh/grid.hpp>

namespace xp {

/// XDMF2 over the datasets of snapshot files: 3DCoRectMesh with origin and spacing
/// in z, y, x order, absent axes one cell thick. Opens in ParaView from 5.11 on and in VisIt.
std::string xdmf_index(const Grid& grid, const std::vector<SnapshotEntry>& files);

/// The `.series` file of newer ParaViews.
std::string series_index(const std::vector<SnapshotEntry>& files);

}  // namespace xp
