// A coefficient at the faces of a grid from an expression of the coordinates.
#pragma once

#include <vector>

#include <xp/field/field.hpp>
#include <xp/operators/stencil_inputs.hpp>

namespace xp {

/// For each axis that exists an array: the harmonic mean of the coefficient at the centres on both
/// sides of a face (Patankar 1980, section 4.2-3), which is exact where it jumps at the face; at
/// walls the coefficient there. Face i lies below cell i. `inputs` are those of cell centres,
/// `arrays` one field per axis with ghost cells; allocates a field for the time of the call.
template <class Space, class Real>
void tabulate_faces(const Space& space, const Grid& grid, const DeviceProgram<Space>& coefficient,
                    const StencilInputs<Space, Real>& inputs,
                    const std::vector<Field<Space, Real>>& arrays);

}  // namespace xp
