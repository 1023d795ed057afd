// Krylov methods for systems of fields or of plain vectors: the operator and the preconditioner are
// whatever takes arrays to arrays.
//
// Scalars stay in the memory of the execution space: an iteration waits for nothing, and the host
// looks at the residual every so many of them. On several ranks a dot product is summed by MPI, for
// which the host has to wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <xp/field/field.hpp>
#include <xp/runtime/communicator.hpp>
#include <xp/solvers/linear/linear_result.hpp>

namespace xp {

/// One array per field, all with the same own cells and a ghost layer of the grid's width.
template <class Space, class Real>
using SystemView = std::vector<FieldView<Space, Real>>;

/// Writes the own cells of `to` from `from`, whose ghost cells it may overwrite.
template <class Space, class Real>
using SystemMap =
    std::function<void(const SystemView<Space, Real>& from, const SystemView<Space, Real>& to)>;

/// A plain vector as a system of one field; valid as long as the vector's memory.
template <class Space, class Real>
SystemView<Space, Real> system_of(const Kokkos::View<Real*, Space>& vector) {
  const auto size = static_cast<std::int64_t>(vector.size());
  return {FieldView<Space, Real>(vector.data(), size, size)};
}

enum class KrylovMethod {
  cg,        ///< symmetric positive definite; preconditioned by any map (Notay 2000, algorithm 2.1)
  bicgstab,  ///< any (van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13, 631)
  gmres      ///< any; begun anew after `restart` iterations (Saad and Schultz 1986)
};

enum class KrylovSide {
  right,  ///< A M y = b, x = M y: the residual that is looked at is that of A x = b
  left    ///< M A x = M b: the residual that is looked at is the preconditioned one
};

struct KrylovOptions {
  KrylovMethod method = KrylovMethod::bicgstab;
  KrylovSide side = KrylovSide::right;  ///< makes no difference to cg
  double tolerance = 1e-10;  ///< of the residual's l2 norm, relative to the first one; positive
  int max_iterations = 500;
  int check_every = 1;  ///< iterations between looks at the residual; at least 1
  int restart = 30;     ///< of gmres: directions that are kept; at least 1
};

/// Solves on the own cells of one grid or for vectors of one length, any number of times. All
/// memory is allocated by the constructor. Collective, the same bits on any number of ranks and
/// threads.
template <class Space, class Real>
class Krylov {
 public:
  using View = SystemView<Space, Real>;
  using Map = SystemMap<Space, Real>;

  /// For fields. The communicator must live as long.
  Krylov(const Grid& grid, const Communicator& communicator, int fields,
         const KrylovOptions& options);
  /// For vectors, of which this rank has `size` numbers (see system_of); below 2^31.
  Krylov(int size, const Communicator& communicator, const KrylovOptions& options);
  ~Krylov();
  Krylov(const Krylov&) = delete;
  Krylov& operator=(const Krylov&) = delete;

  /// Arrays per field that the constructor allocates.
  static int vectors(const KrylovOptions& options);

  /// Of a singular operator: vectors that it takes to zero, orthogonal to each other. Their part is
  /// taken out of the right side's residual, which for a symmetric operator makes any right side
  /// compatible, and out of what the preconditioner gives. The arrays must live as long.
  void set_null_space(const Space& space, std::vector<View> basis);

  /// Solves map(x) = b from the x that is given; b is overwritten. `tolerance` in place of the
  /// options' one. An empty preconditioner is none. The result's `imbalance` is the size of what
  /// set_null_space took out of the first residual, relative to it.
  LinearResult solve(const Space& space, const Map& map, const Map& preconditioner, const View& x,
                     const View& b, double tolerance);
  LinearResult solve(const Space& space, const Map& map, const Map& preconditioner, const View& x,
                     const View& b) {
    return solve(space, map, preconditioner, x, b, options_.tolerance);
  }

  /// Sum over all fields and cells of a times b, on the host.
  double dot(const Space& space, const View& a, const View& b);
  /// to = ca * a + cb * b.
  void combine(const Space& space, double ca, const View& a, double cb, const View& b,
               const View& to) const;

 private:
  struct Solve;
  struct Sums;
  Krylov(const Box& own, const Communicator& communicator, const KrylovOptions& options);
  const View& vector(int number) const { return views_[static_cast<std::size_t>(number)]; }

  KrylovOptions options_;
  Box own_;
  std::vector<Field<Space, Real>> fields_;
  Kokkos::View<Real*, typename Space::memory_space> memory_;
  std::vector<View> views_, null_space_;
  std::vector<double> null_squares_;
  Kokkos::View<double*, typename Space::memory_space> numbers_;
  std::unique_ptr<Sums> sums_;
};

}  // namespace xp
