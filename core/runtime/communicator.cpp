#include <xp/runtime/communicator.hpp>

namespace xp {

Communicator::Communicator(MPI_Comm given) {
  MPI_Comm_dup(given, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm_);
}

}  // namespace xp
