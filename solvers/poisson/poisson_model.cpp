#include <xp/solvers/poisson/poisson_model.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>
#include <xp/solvers/linear/face_coefficients.hpp>

namespace xp {

template <class Space, class Real>
PoissonModel<Space, Real>::PoissonModel(const ModelSetup& setup, const FieldInfo& u,
                                        const PoissonInput& input)
    : Base(setup, {u}, {Program::of(0)}),
      communicator_(setup.communicator),
      conditions_(setup.boundaries[0]),
      coefficient_(input.coefficient),
      reaction_(input.reaction),
      source_(input.source) {
  if (setup.order != Order::second) {
    Diagnostic diagnostic;
    diagnostic.where = setup.config.position("numerics.order");
    diagnostic.message = "the model poisson is of order 2 only";
    throw Error(ErrorKind::input, {diagnostic});
  }
  check(setup, "poisson.coefficient", input.coefficient, Sign::positive);
  check(setup, "poisson.reaction", input.reaction, Sign::not_negative);
  check(setup, "poisson.source", input.source, Sign::any);
  const bool varies = !input.coefficient.is_constant(), reacts = !input.reaction.is_constant();
  op_.coefficients = reacts   ? Coefficients::faces_and_reaction
                     : varies ? Coefficients::faces
                              : Coefficients::constant;
  if (!varies) op_.beta = input.coefficient.constant_value();
  if (!reacts) op_.alpha = input.reaction.constant_value();
  linear_ = choose_elliptic(setup.linear, op_.coefficients != Coefficients::constant);
}

template <class Space, class Real>
void PoissonModel<Space, Real>::check(const ModelSetup& setup, const char* key,
                                      const Program& program, Sign sign) {
  constexpr std::int64_t most = std::int64_t{1} << 33;
  double least = 0;
  bool finite = true;
  if (program.is_constant()) {
    least = program.constant_value();
    finite = std::isfinite(least);
  } else {
    const Sums sums = this->extrema(DeviceProgram<Space>(program), this->inputs(0), most);
    least = sums.min;
    finite = sums.not_finite == 0;
  }
  if (finite && (sign == Sign::any || (sign == Sign::positive ? least > 0 : least >= 0))) return;
  Diagnostic diagnostic;
  diagnostic.where = setup.config.position(key);
  diagnostic.message = std::string(key) + (!finite ? " is not a finite number everywhere"
                                           : sign == Sign::positive ? " is not positive everywhere"
                                                                    : " is negative somewhere");
  throw Error(ErrorKind::input, {diagnostic});
}

template <class Space, class Real>
int PoissonModel<Space, Real>::arrays() const {
  const int dimensions = this->grid().dimensions();
  const int coefficients = op_.coefficients == Coefficients::constant ? 0
                           : op_.coefficients == Coefficients::faces  ? dimensions
                                                                      : dimensions + 1;
  return 1 + coefficients;
}

template <class Space, class Real>
std::int64_t PoissonModel<Space, Real>::memory(int slots) const {
  return Base::memory(slots) + arrays() * Field<Space, Real>::bytes(this->grid(), FieldInfo()) +
         EllipticSolver<Space, Real>::memory(this->grid(), op_.coefficients, linear_.options);
}

template <class Space, class Real>
void PoissonModel<Space, Real>::allocate(int slots) {
  Base::allocate(slots);
  const Grid& grid = this->grid();
  const Box own = grid.cells(Region::own);
  const auto array = [&](const char* name) {
    FieldInfo info;
    info.name = name;
    return Field<Space, Real>(grid, info);
  };
  right_side_ = array("poisson: source");
  evaluate_into(this->space(), source_, this->inputs(0), own, right_side_.view());
  if (op_.coefficients != Coefficients::constant) {
    for (int n = 0; n < grid.dimensions(); ++n) faces_.push_back(array("poisson: coefficient"));
    tabulate_faces(this->space(), grid, coefficient_, this->inputs(0), faces_);
    for (int n = 0; n < grid.dimensions(); ++n)
      op_.faces[n] = faces_[static_cast<std::size_t>(n)].view();
  }
  if (op_.coefficients == Coefficients::faces_and_reaction) {
    alpha_ = array("poisson: reaction");
    evaluate_into(this->space(), reaction_, this->inputs(0), own, alpha_.view());
    op_.reaction = alpha_.view();
  }
  solver_ = std::make_unique<EllipticSolver<Space, Real>>(grid, communicator_, conditions_, op_,
                                                          linear_.options);
}

template <class Space, class Real>
Solved PoissonModel<Space, Real>::solve_steady() {
  const LinearResult result = solver_->solve(this->space(), this->view(0, 0), right_side_.view(),
                                             [&] { this->fill_ghosts(0, 0); });
  Solved solved = note(result, linear_);
  // To rounding, and what a discrete source is off by.
  if (solved.converged && result.imbalance > 1e-10)
    solved.message = fmt::format(
        "the source and the fluxes through the walls do not quite balance: their mean, {:.3g} of "
        "their size, was taken out",
        result.imbalance);
  return solved;
}

template <class Space, class Real>
void PoissonModel<Space, Real>::rate(const Stage&, double, double, const Box&) {
  throw std::logic_error("xp::PoissonModel: a steady model has no rate");
}

#define XP_POISSON_MODEL(Space, Real) template class PoissonModel<Space, Real>;
XP_INSTANTIATE(XP_POISSON_MODEL)
#undef XP_POISSON_MODEL

}  // namespace xp
