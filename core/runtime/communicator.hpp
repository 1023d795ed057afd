// A communicator of one's own: a duplicate of the one that the caller gave; and how ranks stay
// together when one of them fails.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

  /// This rank's place among those of its node, and how many there are.
  int node_rank() const { return node_rank_; }
  int node_size() const { return node_size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, node_rank_ = 0, node_size_ = 1;
};

/// Calls `f` on every rank; when it throws on any of them, all throw: an Error of the same kind and
/// text as that of the lowest rank that failed. Collective. What can fail on one rank alone (files,
/// memory) is called through this before any other communication.
void everywhere(const Communicator& communicator, const std::function<void()>& f);

/// Calls `f` on the root only; when it throws there, all throw. Collective.
void on_root(const Communicator& communicator, const std::function<void()>& f);

/// The root's text, or texts, on every rank. Collective.
std::string broadcast(const Communicator& communicator, std::string text);
std::vector<std::string> broadcast(const Communicator& communicator,
                                   std::vector<std::string> texts);

/// The texts of all ranks in their order, on the root; empty elsewhere. Collective.
std::vector<std::string> gather(const Communicator& communicator, const std::string& text);

}  // namespace xp
