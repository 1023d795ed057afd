// Counts what crosses between the memory of an execution space and the host. Every crossing is
// counted, also where both are the same memory: what would cost on a GPU is then seen on any
// machine.
#pragma once

#include <cstdint>

namespace xp {

struct TransferCount {
  std::int64_t count = 0, bytes = 0;
};

/// Since the start of the process.
struct Transfers {
  TransferCount to_host, to_device;  ///< fields and other arrays
  TransferCount scalars_to_host;     ///< results of reductions that the host has to know
  TransferCount halo;                ///< messages with ghost cells that went to other ranks
};

Transfers transfers();
void count_to_host(std::int64_t bytes);
void count_to_device(std::int64_t bytes);
void count_scalar_to_host(std::int64_t bytes);
void count_halo(std::int64_t messages, std::int64_t bytes);

/// While one lives, a field's crossing throws std::logic_error: for tests and for loops that must
/// not copy.
class ForbidTransfers {
 public:
  ForbidTransfers();
  ~ForbidTransfers();
  ForbidTransfers(const ForbidTransfers&) = delete;
  ForbidTransfers& operator=(const ForbidTransfers&) = delete;
};

}  // namespace xp
