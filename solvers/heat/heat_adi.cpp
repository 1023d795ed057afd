#include <xp/solvers/heat/heat_adi.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

bool moves(const BoundaryCondition& side) {
  return side.has_value() && side.value.uses_time;
}

void require_steady(const BoundaryCondition& side, Axis axis) {
  if (side.kind != BoundaryKind::robin) return;
  if (side.alpha.uses_time || side.beta.uses_time)
    throw Error(ErrorKind::input, std::string("alpha and beta of robin conditions along ") +
                                      letter(axis) + " must not depend on t with adi");
  if (moves(side) && !(side.alpha.is_constant() && side.beta.is_constant()))
    throw Error(ErrorKind::input, std::string("alpha and beta of robin conditions along ") +
                                      letter(axis) +
                                      " must be numbers with adi, where their value depends on t");
}

}  // namespace

// Where second differences along a wall are taken: at the ends of the domain those of the next
// cell, so that no value is asked for outside.
struct AlongWall {
  int first, last;  // cells that can be the middle
  double factor;    // step/2 / spacing^2, 0 for axes that do not count
};

// target = values - step/2 * (differences of values along the wall, with D of the cells next to
// it), in the ghost cells of a wall.
template <class Space, class Real>
void apply_later_factors(const Space& space, const Box& ghosts, const AlongWall (&along)[3],
                         int inwards_k, int inwards_j, int inwards_i,
                         const EllipticOperator<Space, Real>& diffusion,
                         const FieldView<Space, Real>& values,
                         const FieldView<Space, Real>& target) {
  const AlongWall x = along[0], y = along[1], z = along[2];
  for_each(
      space, "adi: walls", ghosts, KOKKOS_LAMBDA(int k, int j, int i) {
        const AlongWall axes[3] = {x, y, z};
        double sum = static_cast<double>(values(k, j, i));
        for (int a = 0; a < 3; ++a) {
          if (axes[a].factor == 0) continue;
          int at[3] = {i, j, k};
          at[a] = at[a] < axes[a].first  ? axes[a].first
                  : at[a] > axes[a].last ? axes[a].last
                                         : at[a];
          const Real* const middle = &values(at[2], at[1], at[0]);
          const std::int64_t stride = values.stride(static_cast<Axis>(a));
          double lower = diffusion.beta, upper = diffusion.beta;
          if (diffusion.coefficients != Coefficients::constant) {
            const FieldView<Space, Real>& faces = diffusion.faces[a];
            const Real* const face =
                &faces(at[2] + inwards_k, at[1] + inwards_j, at[0] + inwards_i);
            lower = static_cast<double>(face[0]);
            upper = static_cast<double>(face[faces.stride(static_cast<Axis>(a))]);
          }
          const double centre = static_cast<double>(middle[0]);
          sum -= axes[a].factor * (upper * (static_cast<double>(middle[stride]) - centre) -
                                   lower * (centre - static_cast<double>(middle[-stride])));
        }
        target(k, j, i) = static_cast<Real>(sum);
      });
}

template <class Space, class Real>
void store_value(const Space& space, const DeviceProgram<Space>& program,
                 const CellInputs<Space, Real>& inputs, const Box& box, double factor, bool adds,
                 const FieldView<Space, Real>& target) {
  evaluate(
      space, program, inputs, box, KOKKOS_LAMBDA(int k, int j, int i, double value) {
        const double before = adds ? static_cast<double>(target(k, j, i)) : 0;
        target(k, j, i) = static_cast<Real>(before + factor * value);
      });
}

template <class Space, class Real>
void add(const Space& space, const Box& box, const FieldView<Space, Real>& change,
         const FieldView<Space, Real>& u) {
  for_each(
      space, "adi: add", box,
      KOKKOS_LAMBDA(int k, int j, int i) { u(k, j, i) += change(k, j, i); });
}

template <class Space, class Real>
HeatAdi<Space, Real>::HeatAdi(const Grid& grid, const Communicator& communicator,
                              const BoundaryConditions& conditions,
                              const EllipticOperator<Space, Real>& diffusion)
    : grid_(grid), diffusion_(diffusion) {
  if (diffusion.alpha != 0 || diffusion.coefficients == Coefficients::faces_and_reaction)
    throw std::invalid_argument("xp::HeatAdi: an operator with a reaction");
  FieldInfo info;
  info.name = "adi: change";
  change_ = Field<Space, Real>(grid, info);
  lines_.reserve(3);
  for (const Axis axis : all_axes) {
    if (!grid.exists(axis)) continue;
    const auto& ends = conditions[static_cast<std::size_t>(index(axis))];
    for (const BoundaryCondition& side : ends) require_steady(side, axis);
    lines_.emplace_back(grid, communicator, axis, ends, diffusion);
    if (ends[0].kind == BoundaryKind::periodic) wraps_ |= axis_bit(axis);
  }
  find_walls(conditions);
}

template <class Space, class Real>
void HeatAdi<Space, Real>::find_walls(const BoundaryConditions& conditions) {
  bool any = false;
  for (const Axis axis : all_axes) {
    if (!grid_.exists(axis)) continue;
    for (const bool upper : {false, true}) {
      const auto a = static_cast<std::size_t>(index(axis));
      const BoundaryCondition& side = conditions[a][upper ? 1 : 0];
      if (!moves(side)) continue;
      any = true;
      if (!grid_.at_end(axis, upper)) continue;
      double alpha = side.kind == BoundaryKind::dirichlet ? 1 : 0, beta = 1 - alpha;
      if (side.kind == BoundaryKind::robin) {
        alpha = side.alpha.constant_value();
        beta = side.beta.constant_value();
      }
      const WallStencil stencil = wall_stencil(Order::second);
      const Box own = grid_.cells(Region::own);
      const int ghost = upper ? own.upper[a] : own.lower[a] - 1;
      Wall wall{axis,
                upper,
                DeviceProgram<Space>(side.value),
                1 / ghost_weight(stencil, alpha, beta, grid_.spacing(axis)),
                own.with_range(axis, ghost, ghost + 1),
                own.with_range(axis, ghost, ghost + 1)};
      for (const Axis later : all_axes) {
        if (later <= axis || !grid_.exists(later)) continue;
        const bool wraps = (wraps_ & axis_bit(later)) != 0;
        wall.ghosts = wall.ghosts.grown(later, wraps || !grid_.at_end(later, false) ? 1 : 0,
                                        wraps || !grid_.at_end(later, true) ? 1 : 0);
      }
      walls_.push_back(std::move(wall));
    }
  }
  if (!any) return;
  for (const Axis axis : all_axes)
    for (int part = 0; part < grid_.decomposition().parts(axis); ++part)
      if (grid_.is_cut(axis) && grid_.decomposition().cells(axis, part) < 2)
        throw Error(
            ErrorKind::input,
            std::string("adi with boundary values that depend on t needs two cells along ") +
                letter(axis) + " on every rank");
  FieldInfo info;
  info.name = "adi: walls";
  values_ = Field<Space, Real>(grid_, info);
}

template <class Space, class Real>
std::int64_t HeatAdi<Space, Real>::memory() const {
  std::int64_t bytes = change_.bytes();
  if (values_.memory().data() != nullptr) bytes += values_.bytes();
  for (const auto& lines : lines_) bytes += lines.memory();
  return bytes;
}

template <class Space, class Real>
void HeatAdi<Space, Real>::change_walls(const Space& space, const Wall& wall, double time,
                                        double step) {
  CellInputs<Space, Real> inputs;
  inputs.geometry = grid_.geometry();
  AlongWall along[3] = {};
  int inwards[3] = {0, 0, 0};
  for (const Axis axis : all_axes) {
    const int a = index(axis);
    inputs.cells[a] = grid_.cells(axis);
    inputs.wraps[a] = (wraps_ & axis_bit(axis)) != 0;
    if (axis <= wall.axis || wall.ghosts.size(a) < 3) continue;
    along[a] = {wall.ghosts.lower[a] + 1, wall.ghosts.upper[a] - 2,
                0.5 * step / (grid_.spacing(axis) * grid_.spacing(axis))};
  }
  inwards[index(wall.axis)] = wall.upper ? -1 : 1;
  // Cells are ghost cells here: their inner faces are the wall.
  inputs.move_to_wall(wall.axis, !wall.upper);
  const auto values = values_.view();
  inputs.time = time + step;
  store_value(space, wall.value, inputs, wall.ghosts, wall.factor, false, values);
  inputs.time = time;
  store_value(space, wall.value, inputs, wall.ghosts, -wall.factor, true, values);
  apply_later_factors(space, wall.own, along, inwards[2], inwards[1], inwards[0], diffusion_,
                      values, change_.view());
}

template <class Space, class Real>
void HeatAdi<Space, Real>::step(const Space& space, const FieldView<Space, Real>& u,
                                const FieldView<Space, Real>& source, double time, double step) {
  if (step != step_)
    for (auto& lines : lines_) lines.factor(space, 1, 0.5 * step);
  step_ = step;
  const auto change = change_.view();
  diffusion_.residual(space, grid_, u, source, step, change);
  int axis = 0;
  for (auto& lines : lines_) {
    for (const Wall& wall : walls_)
      if (index(wall.axis) == axis) change_walls(space, wall, time, step);
    lines.solve(space, change, change, change);
    ++axis;
  }
  add(space, grid_.cells(Region::own), change, u);
}

#define XP_HEAT_ADI(Space, Real) template class HeatAdi<Space, Real>;
XP_INSTANTIATE(XP_HEAT_ADI)
#undef XP_HEAT_ADI

}  // namespace xp
