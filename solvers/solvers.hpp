// All built-in models.
#pragma once

#include <xp/simulation/model.hpp>

namespace xp {

/// A registry with every model of the library; add your own to it.
Registry builtin_models();

}  // namespace xp
