// Programs as text, for people who want to know what is computed.
#pragma once

#include <string>
#include <vector>

#include <xp/expr/expr.hpp>

namespace xp {

/// One line per instruction, "r1 = 0.16*laplacian(u) - r0", then where the outputs are. `arrays`
/// are the names of arrays, `outputs` those of outputs.
std::vector<std::string> listing(const Program& program, const std::vector<std::string>& arrays,
                                 const std::vector<std::string>& outputs);

/// "dx", "laplacian", "div(c grad)" along x, ...
std::string name_of(const Stencil& stencil);

}  // namespace xp
