// A communicator of one's own: a duplicate of the one that the caller gave.
#pragma once

#include <mpi.h>

namespace xp {

class Communicator {
 public:
  /// Duplicates `given`; MPI must be initialised. Collective.
  explicit Communicator(MPI_Comm given);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace xp
