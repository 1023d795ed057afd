// One multigrid cycle for alpha - laplacian, as a part of preconditioners.
#pragma once

#include <array>
#include <memory>

#include <xp/solvers/linear/multigrid.hpp>

namespace xp {

/// Cycles are float whatever the precision of the fields.
template <class Space, class Real>
class HelmholtzCycle {
 public:
  /// The communicator must outlive the object. `alpha` must not be negative.
  HelmholtzCycle(const Grid& grid, const Communicator& communicator,
                 const BoundaryConditions& conditions, double alpha);

  static std::int64_t memory(const Grid& grid);
  bool keeps_mean() const { return multigrid_->keeps_mean(); }
  void set_alpha(double alpha) { multigrid_->set_alpha(alpha); }

  /// y = about factor * (alpha - laplacian)^-1 x on own cells, homogeneous conditions; values of
  /// x are about `size`. x and y may be the same array.
  void apply(const Space& space, const FieldView<Space, Real>& x, double size, double factor,
             const FieldView<Space, Real>& y);

  /// Public only because CUDA asks it of kernels.
  template <class From, class To>
  void copy(const Space& space, const FieldView<Space, From>& from, double factor,
            const FieldView<Space, To>& to) const;

 private:
  FieldView<Space, Real> moved(const FieldView<Space, Real>& view) const;

  Grid grid_;  ///< with one ghost cell
  std::array<int, 3> shift_{0, 0, 0};
  std::unique_ptr<Multigrid<Space, float>> multigrid_;
};

}  // namespace xp
