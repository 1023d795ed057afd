// The implicit part of equations: v - gamma h I(v) = r by Newton's method, whose linear systems are
// solved by a Krylov method with multigrid as preconditioner, or with an incomplete factorisation
// of the Jacobian where multigrid does not apply.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <xp/expr/linearise.hpp>
#include <xp/operators/measure.hpp>
#include <xp/simulation/model.hpp>
#include <xp/solvers/linear/helmholtz_cycle.hpp>
#include <xp/solvers/linear/krylov.hpp>
#include <xp/solvers/linear/map_matrix.hpp>

namespace xp {

/// What an operator is to waves of the wave number k: a + b k^2 + c k^4.
struct WavePolynomial {
  double a = 1, b = 0, c = 0;
};
/// That of 1 - part * I for one field, from the linearised terms that couple it to itself. Terms of
/// odd order and above the fourth are left out; of coefficients that vary the middle counts; where
/// axes differ their mean does.
WavePolynomial wave_polynomial(const std::vector<LinearTerm>& terms, int field, double part,
                               int dimensions);

template <class Space, class Real>
class ImplicitEquations {
 public:
  using View = SystemView<Space, Real>;
  /// to = v - part * I(v) on own cells, at the stage's time, where v may get its ghost cells.
  using Value = std::function<void(const View& v, double part, const View& to)>;

  /// The communicator must outlive the object.
  ImplicitEquations(const ModelSetup& setup);

  std::int64_t memory() const;
  void allocate();
  const LinearReport& report() const { return report_; }

  /// Terms of the linearised implicit part, for the preconditioner.
  void set_terms(std::vector<LinearTerm> terms);

  /// Solves v - part * I(v) = r for v, a first guess, where `part` is gamma h.
  Solved solve(const Space& space, double part, const Value& value, const View& v, const View& r);

  /// Public only because CUDA asks it of kernels.
  void add_constant(const Space& space, double value, const FieldView<Space, Real>& field) const;

 private:
  void keep_means(const Space& space, const View& v);
  void prepare(double part);
  void precondition(const Space& space, const View& x, const View& y);
  double largest(const Space& space, const View& v);
  std::array<int, 3> reach() const;  // cells that values depend on
  // Throws an Error of kind not_converged on all ranks.
  void factorise(const Space& space, const SystemMap<Space, Real>& map, double unit);

  // (p - q laplacian)(s - t laplacian), of one factor or none where others are 0.
  struct Block {
    std::unique_ptr<HelmholtzCycle<Space, Real>> factors[2];
    int count = 0;
    double scale = 1;
  };

  const Communicator& communicator_;
  Grid grid_;
  std::vector<BoundaryConditions> conditions_;
  bool linear_ = false;
  LinearSettings settings_;
  KrylovOptions options_;
  LinearReport report_;
  std::string why_;  ///< the method was chosen
  std::vector<LinearTerm> terms_;
  double part_ = 0;            ///< that the preconditioner is for
  double fastest_ = 0;         ///< of the polynomials, for the shortest waves
  double size_ = 1;            ///< of the vectors
  bool changes_ = false;       ///< do coefficients depend on fields or the time?
  bool by_matrix_ = false;     ///< is the preconditioner that of a matrix?
  double factorised_for_ = 0;  ///< part
  std::unique_ptr<MapMatrix<Space, Real>> probe_;
  std::unique_ptr<MatrixPreconditioner<Space, Real>> factors_;
  Kokkos::View<Real*, Space> packed_, solved_;
  std::vector<Block> blocks_;
  std::unique_ptr<Krylov<Space, Real>> krylov_;
  Measure<Space, Real> measure_;
  std::vector<Field<Space, Real>> fields_;
  View residual_, change_, moved_, value_, image_;
};

}  // namespace xp
