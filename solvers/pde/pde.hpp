// Equations that the input gives: du/dt = an expression of fields, coordinates and time.
#pragma once

#include <xp/simulation/model.hpp>

namespace xp {

/// The model `equations`: the blocks `fields` and `equations` of the input.
ModelFactory equations_model();

}  // namespace xp
