// The model `poisson`: -div(coefficient grad u) + reaction u = source, steady.
#pragma once

#include <xp/simulation/model.hpp>

namespace xp {

ModelFactory poisson_model();

}  // namespace xp
