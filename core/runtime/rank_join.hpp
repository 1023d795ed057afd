// Joins one value of each rank to the same value on all.
#pragma once

#include <cstring>
#include <type_traits>

#include <xp/runtime/communicator.hpp>

namespace xp {

/// For a `Value` as Reducer takes it, whose join() must not depend on order. What MPI needs is made
/// by the constructor: calls allocate nothing here.
template <class Value>
class RankJoin {
 public:
  /// `communicator` must outlive the object.
  explicit RankJoin(const Communicator& communicator) : communicator_(communicator) {
    MPI_Type_contiguous(static_cast<int>(sizeof(Value)), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(&join, 1, &op_);
  }
  ~RankJoin() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    MPI_Op_free(&op_);
    MPI_Type_free(&type_);
  }
  RankJoin(const RankJoin&) = delete;
  RankJoin& operator=(const RankJoin&) = delete;

  /// Collective.
  Value operator()(Value value) const {
    if (communicator_.size() > 1)
      MPI_Allreduce(MPI_IN_PLACE, &value, 1, type_, op_, communicator_.get());
    return value;
  }

 private:
  static_assert(std::is_trivially_copyable_v<Value>);

  // MPI's buffers need not be aligned for a Value.
  static void join(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int n = 0; n < *length; ++n) {
      const std::size_t offset = static_cast<std::size_t>(n) * sizeof(Value);
      Value a, b;
      std::memcpy(&a, static_cast<const char*>(in) + offset, sizeof(Value));
      std::memcpy(&b, static_cast<const char*>(inout) + offset, sizeof(Value));
      b.join(a);
      std::memcpy(static_cast<char*>(inout) + offset, &b, sizeof(Value));
    }
  }

  const Communicator& communicator_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace xp
