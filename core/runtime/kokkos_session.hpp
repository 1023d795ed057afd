// Starting and ending Kokkos from a program: only arguments that begin with --kokkos- reach it.
#pragma once

#include <string>
#include <vector>

namespace xp {

/// Initialises Kokkos with so many threads (0: its own choice) and the given --kokkos-* arguments,
/// quietly, on the device whose number is the rank's within its node, counted round; finalises it
/// at the end of its life. Leaves a Kokkos that is initialised already alone.
class KokkosSession {
 public:
  KokkosSession(int threads, const std::vector<std::string>& arguments, int node_rank = 0);
  ~KokkosSession();
  KokkosSession(const KokkosSession&) = delete;
  KokkosSession& operator=(const KokkosSession&) = delete;

 private:
  bool owner_ = false;
};

}  // namespace xp
