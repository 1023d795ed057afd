// Memory of large arrays.
#pragma once

#include <cstddef>

namespace xp {

/// Asks the system to back fresh memory of the host by huge pages, before it is first written: rows
/// of neighbouring planes are far apart, and small pages end hardware prefetching at each 4 kB and
/// miss the TLB. Advice only: does nothing where there is no such thing.
void advise_huge_pages(void* data, std::size_t bytes);

}  // namespace xp
