// Krylov methods for systems of fields: the operator and the preconditioner are whatever takes
// arrays to arrays.
#pragma once

#include <functional>
#include <vector>

#include <xp/operators/measure.hpp>
#include <xp/solvers/linear/linear_result.hpp>

namespace xp {

/// One array per field, all with the same own cells and a ghost layer of the grid's width.
template <class Space, class Real>
using SystemView = std::vector<FieldView<Space, Real>>;

/// Writes the own cells of `to` from `from`, whose ghost cells it may overwrite.
template <class Space, class Real>
using SystemMap =
    std::function<void(const SystemView<Space, Real>& from, const SystemView<Space, Real>& to)>;

enum class KrylovMethod {
  cg,        ///< symmetric positive definite; preconditioned by any map (Notay 2000, algorithm 2.1)
  bicgstab,  ///< any (van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13, 631), preconditioned right
  gmres      ///< any; begun anew after `restart` iterations (Saad and Schultz 1986), preconditioned
             ///< right
};

struct KrylovOptions {
  KrylovMethod method = KrylovMethod::bicgstab;
  double tolerance = 1e-10;  ///< of the residual's l2 norm, relative to the first one
  int max_iterations = 500;
  int check_every = 1;  ///< iterations between looks at the residual
  int restart = 30;     ///< of gmres: directions that are kept
};

/// Solves on the own cells of one grid, any number of times. All memory is allocated by the
/// constructor. Collective, the same bits on any number of ranks and threads.
template <class Space, class Real>
class Krylov {
 public:
  using View = SystemView<Space, Real>;
  using Map = SystemMap<Space, Real>;

  /// The communicator must live as long.
  Krylov(const Grid& grid, const Communicator& communicator, int fields,
         const KrylovOptions& options);

  /// Arrays per field that the constructor allocates.
  static int vectors(const KrylovOptions& options);

  /// Solves map(x) = b from the x that is given; b is overwritten. `tolerance` in place of the
  /// options' one.
  LinearResult solve(const Space& space, const Map& map, const Map& preconditioner, const View& x,
                     const View& b, double tolerance);
  LinearResult solve(const Space& space, const Map& map, const Map& preconditioner, const View& x,
                     const View& b) {
    return solve(space, map, preconditioner, x, b, options_.tolerance);
  }

  /// Sum over all fields and cells of a times b.
  double dot(const Space& space, const View& a, const View& b);
  /// to = ca * a + cb * b.
  void combine(const Space& space, double ca, const View& a, double cb, const View& b,
               const View& to) const;

 private:
  struct Solve;
  const View& vector(int number) const { return views_[static_cast<std::size_t>(number)]; }

  KrylovOptions options_;
  std::vector<Field<Space, Real>> fields_;
  std::vector<View> views_;
  Box own_;
  Measure<Space, Real> measure_;
};

}  // namespace xp
