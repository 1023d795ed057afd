// Heat conduction: u_t = div(diffusivity grad u) + source.
#pragma once

#include <xp/simulation/model.hpp>

namespace xp {

/// The model `heat`: block `heat` with `diffusivity`, `source` and `initial`; field `u`.
///
/// Second order: fluxes at faces, with the harmonic mean of a variable diffusivity between the
/// cells on both sides (Patankar 1980, eq. 4.9) and its value at the wall there; conserves the
/// integral of u to rounding. Fourth order: D laplacian(u) + grad(D).grad(u) by central
/// differences.
ModelFactory heat_model();

}  // namespace xp
