#include <xp/solvers/linear/level_coefficients.hpp>

#include <xp/operators/measure.hpp>
#include <xp/runtime/backend.hpp>

namespace xp {
namespace detail {

// Fills ghost cells of arrays of coefficients, edges and corners included.
template <class Space, class Real>
class CoefficientGhosts {
 public:
  CoefficientGhosts(const LevelShape& shape, const Communicator& communicator)
      : grid_(shape.grid()), wraps_(shape.ends.wraps) {
    if (shape.decomposition.ranks() > 1)
      halo_ = std::make_unique<HaloExchange<Space, Real>>(
          grid_, communicator, std::vector<FieldEnds>{{wraps_, 0}}, true);
  }
  // Beyond walls values stay as they are, or become those of the cells at the wall.
  void fill(const Space& space, const FieldView<Space, Real>& values, bool extend) const {
    const Box all = grid_.cells(Region::ghosted), own = grid_.cells(Region::own);
    for (const Axis axis : all_axes) {
      if (!grid_.exists(axis)) continue;
      const bool wraps = (wraps_ & axis_bit(axis)) != 0;
      if (wraps ? grid_.is_cut(axis) : !extend) continue;
      const int a = index(axis), last = own.size(a) - 1;
      const std::int64_t stride = values.stride(axis);
      const bool lower = wraps || grid_.at_end(axis, false);
      const bool upper = wraps || grid_.at_end(axis, true);
      for_each(
          space, "multigrid: wrap", all.with_range(axis, own.lower[a], own.lower[a] + 1),
          KOKKOS_LAMBDA(int k, int j, int i) {
            Real* const first = &values(k, j, i);
            if (lower) first[-stride] = first[wraps ? last * stride : 0];
            if (upper) first[(last + 1) * stride] = first[wraps ? 0 : last * stride];
          });
    }
    if (!halo_) return;
    const std::vector<FieldView<Space, Real>> fields{values};
    halo_->start(space, fields);
    halo_->finish(space, fields);
  }

 private:
  Grid grid_;
  AxisSet wraps_;
  std::unique_ptr<HaloExchange<Space, Real>> halo_;
};

// An axis that is coarsened. The centre of a coarse cell lies between two of its children, this
// one and the next: `offset` of the way from one to the other.
struct CoarsenedAxis {
  Children children;
  int axis;
  bool wall[2];        // does this rank's part end there?
  double offset[2];    // of the coarse cell below the first, and of the last
  double lone_factor;  // of links, where there is one coarse cell that is its own neighbour

  CoarsenedAxis(const LevelShape& shape, const Grid& fine, const Grid& coarse, Axis of)
      : children(fine.cells(Region::own), coarse.cells(Region::own)), axis(index(of)) {
    const LevelAxis& cells = shape.axes[static_cast<std::size_t>(axis)];
    const bool wraps = (shape.ends.wraps & axis_bit(of)) != 0;
    const bool antiperiodic = (shape.ends.antiperiodic & axis_bit(of)) != 0;
    for (const bool upper : {false, true}) wall[upper] = !wraps && fine.at_end(of, upper);
    // Of three children the middle one lies below the centre, or at it.
    const double last = cells.cells() % 2 != 0 ? 0 : 0.5;
    offset[0] = wraps && fine.at_end(of, false) ? last : 0.5;
    offset[1] = fine.at_end(of, true) ? last : 0.5;
    lone_factor = coarse.cells(of) > 1 || !wraps ? 1 : antiperiodic ? 2 : 0;
  }
  KOKKOS_INLINE_FUNCTION int first(int coarse) const { return children.first(axis, coarse); }
  KOKKOS_INLINE_FUNCTION int upper() const { return children.coarse.upper[axis]; }
  KOKKOS_INLINE_FUNCTION bool has_three(int coarse) const {
    return coarse + 1 == upper() && children.fine.upper[axis] - first(coarse) == 3;
  }
  // The child at or below the centre, and how far above it the centre is.
  KOKKOS_INLINE_FUNCTION int node(int coarse) const {
    return first(coarse) + (has_three(coarse) ? 1 : 0);
  }
  KOKKOS_INLINE_FUNCTION double part(int coarse) const {
    if (coarse < children.coarse.lower[axis]) return offset[0];
    return coarse + 1 == upper() ? offset[1] : 0.5;
  }
  KOKKOS_INLINE_FUNCTION bool at_lower_wall(int coarse) const {
    return wall[0] && coarse == children.coarse.lower[axis];
  }
  KOKKOS_INLINE_FUNCTION bool at_upper_wall(int coarse) const {
    return wall[1] && coarse + 1 >= upper();
  }
};

constexpr double least_conductance = 1e-200;

KOKKOS_INLINE_FUNCTION double resistance(double conductance) {
  return 1 / (conductance > least_conductance ? conductance : least_conductance);
}

// Along the axis: resistances in series.
template <class Space, class Real>
void join_in_series(const Space& space, const CoarsenedAxis& line,
                    const FieldView<Space, Real>& fine, const FieldView<Space, Real>& coarse) {
  Box box = line.children.coarse;
  // The face above the last cell belongs to a wall, or is a neighbour's.
  if (line.wall[1]) ++box.upper[line.axis];
  const std::int64_t stride = fine.stride(static_cast<Axis>(line.axis));
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k}, a = line.axis, I = at[a];
        int base[3];
        for (int b = 0; b < 3; ++b) base[b] = line.children.first(b, at[b]);
        base[a] = 0;
        const Real* const faces = &fine(base[2], base[1], base[0]);
        const int last = I == line.upper() ? line.first(I) : line.node(I);
        double sum = 0;
        if (!line.at_lower_wall(I))
          sum += (1 - line.part(I - 1)) * resistance(faces[(line.first(I) - 1) * stride]);
        for (int f = line.first(I); f <= last; ++f) sum += resistance(faces[f * stride]);
        if (I < line.upper()) sum += line.part(I) * resistance(faces[(last + 1) * stride]);
        coarse(k, j, i) =
            sum * least_conductance < 0.1 ? static_cast<Real>(line.lone_factor / sum) : Real(0);
      });
}

// The weight of the coarse neighbour's value at each fine cell: its share of the resistance.
template <class Space, class Real>
void share_resistances(const Space& space, const CoarsenedAxis& line,
                       const FieldView<Space, Real>& fine, const FieldView<Space, Real>& coarse,
                       const FieldView<Space, Real>& far) {
  for_each(
      space, "multigrid: weights", line.children.fine, KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k}, a = line.axis;
        const int I = line.children.parent(a, at[a]), node = line.node(I);
        const auto fine_face = [&](int f) {
          return resistance(
              static_cast<double>(fine(a == 2 ? f : k, a == 1 ? f : j, a == 0 ? f : i)));
        };
        int to[3] = {i, j, k};
        to[a] = at[a] > node ? I + 1 : I;
        double distance = 0;
        if (at[a] > node) {
          distance = (1 - line.part(I)) * fine_face(node + 1);
        } else if (at[a] < node || !line.has_three(I)) {
          // The middle one of three is taken to be at the centre.
          for (int f = at[a] + 1; f <= node; ++f) distance += fine_face(f);
          distance += line.part(I) * fine_face(node + 1);
        }
        const double share = distance * static_cast<double>(coarse(to[2], to[1], to[0]));
        far(k, j, i) = static_cast<Real>(share < 2 ? share : 2);
      });
}

// Calls use(fine cell, part) for the cells that take a part of the value of coarse cell `at`, which
// is given by local indices; `part` is made of far(cell).
template <class Far, class Use>
KOKKOS_INLINE_FUNCTION void for_each_taker(const CoarsenedAxis& line, int I, const Far& far,
                                           const Use& use) {
  const int begin = line.first(I), end = line.first(I + 1), node = line.node(I);
  if (!line.at_lower_wall(I)) use(begin - 1, far(begin - 1));
  for (int c = begin; c < end; ++c) {
    const bool to_wall = c > node ? line.at_upper_wall(I) : line.at_lower_wall(I);
    use(c, to_wall ? 1 : 1 - far(c));
  }
  if (!line.at_upper_wall(I)) use(end, far(end));
}

// Across the axis, or for cells (across < 0): shared as the interpolation shares values.
template <class Space, class Real>
void share_among_takers(const Space& space, const CoarsenedAxis& line, int across,
                        const FieldView<Space, Real>& far, const FieldView<Space, Real>& fine,
                        const FieldView<Space, Real>& coarse) {
  Box box = line.children.coarse;
  if (across >= 0) ++box.upper[across];
  const int dk = across == 2 ? 1 : 0, dj = across == 1 ? 1 : 0, di = across == 0 ? 1 : 0;
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k}, a = line.axis;
        int base[3];
        for (int b = 0; b < 3; ++b)
          base[b] = at[b] + line.children.fine.lower[b] - line.children.coarse.lower[b];
        const auto weight = [&](int c) {
          const int z = a == 2 ? c : base[2], y = a == 1 ? c : base[1], x = a == 0 ? c : base[0];
          return 0.5 * (static_cast<double>(far(z, y, x)) +
                        static_cast<double>(far(z - dk, y - dj, x - di)));
        };
        double sum = 0;
        for_each_taker(line, at[a], weight, [&](int c, double part) {
          sum += part * static_cast<double>(
                            fine(a == 2 ? c : base[2], a == 1 ? c : base[1], a == 0 ? c : base[0]));
        });
        coarse(k, j, i) = static_cast<Real>(sum);
      });
}

// Where the weights of two rows differ, values that differ along the axis make a flux between the
// rows: added to the conductance along the axis.
template <class Space, class Real>
void add_leaks(const Space& space, const CoarsenedAxis& line, int across,
               const FieldView<Space, Real>& far, const FieldView<Space, Real>& fine,
               const FieldView<Space, Real>& coarse) {
  Box box = line.children.coarse;
  if (line.wall[1]) ++box.upper[line.axis];
  const std::int64_t stride = fine.stride(static_cast<Axis>(across));
  const std::int64_t far_stride = far.stride(static_cast<Axis>(across));
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k}, a = line.axis, I = at[a];
        const int begin = line.first(I) - 1;
        const int end = I == line.upper() ? begin : line.node(I);
        double sum = 0;
        for (int c = begin; c <= end; ++c) {
          const int z = a == 2 ? c : k, y = a == 1 ? c : j, x = a == 0 ? c : i;
          const Real* const face = &fine(z, y, x);
          const Real* const weight = &far(z, y, x);
          const auto own = static_cast<double>(weight[0]);
          const double below = own - static_cast<double>(weight[-far_stride]);
          const double above = own - static_cast<double>(weight[far_stride]);
          sum += static_cast<double>(face[0]) * below * below +
                 static_cast<double>(face[stride]) * above * above;
        }
        coarse(k, j, i) += static_cast<Real>(0.5 * line.lone_factor * sum);
      });
}

// One axis. Ghosts of `fine` are filled, then those of `coarse`.
template <class Space, class Real>
void coarsen_along(const Space& space, const Communicator& communicator, const LevelShape& shape,
                   Axis axis, const LevelCoefficients<Space, Real>& fine,
                   const LevelCoefficients<Space, Real>& coarse,
                   const FieldView<Space, Real>& far) {
  const LevelShape next = shape.coarsened(axis_bit(axis));
  const CoefficientGhosts<Space, Real> fine_ghosts(shape, communicator);
  const CoefficientGhosts<Space, Real> coarse_ghosts(next, communicator);
  const int a = index(axis);
  const CoarsenedAxis line(shape, shape.grid(), next.grid(), axis);
  join_in_series(space, line, fine.faces[a], coarse.faces[a]);
  coarse_ghosts.fill(space, coarse.faces[a], false);
  share_resistances(space, line, fine.faces[a], coarse.faces[a], far);
  fine_ghosts.fill(space, far, true);
  for (int b = 0; b < shape.dimensions; ++b) {
    if (b == a) continue;
    share_among_takers(space, line, b, far, fine.faces[b], coarse.faces[b]);
    add_leaks(space, line, b, far, fine.faces[b], coarse.faces[a]);
  }
  for (int b = 0; b < shape.dimensions; ++b) coarse_ghosts.fill(space, coarse.faces[b], false);
  if (fine.reaction.data() != nullptr) {
    share_among_takers(space, line, -1, far, fine.reaction, coarse.reaction);
    coarse_ghosts.fill(space, coarse.reaction, false);
  }
  space.fence();
}

}  // namespace detail

template <class Space, class From, class Real>
double largest_jump(const Space& space, const Communicator& communicator, const Grid& grid,
                    const FieldView<Space, From> (&faces)[3],
                    const FieldView<Space, Real>& scratch) {
  const Box own = grid.cells(Region::own);
  const int dimensions = grid.dimensions();
  const FieldView<Space, From> along[3] = {faces[0], faces[1], faces[2]};
  for_each(
      space, "multigrid: jumps", own, KOKKOS_LAMBDA(int k, int j, int i) {
        double largest = 1;
        for (int a = 0; a < dimensions; ++a) {
          const From* const face = &along[a](k, j, i);
          const auto below = static_cast<double>(face[0]);
          const auto above = static_cast<double>(face[along[a].stride(static_cast<Axis>(a))]);
          const double ratio = below > above ? below / above : above / below;
          largest = ratio > largest ? ratio : largest;
        }
        scratch(k, j, i) = static_cast<Real>(largest);
      });
  return Measure<Space, Real>(own, communicator).sums(space, scratch, Want::largest).largest;
}

template <class Space, class From, class Real>
void set_conductances(const Space& space, const LevelView<Space, Real>& level, const Grid& grid,
                      Axis axis, const FieldView<Space, From>& from, double factor) {
  const int a = index(axis);
  const FieldView<Space, Real> to = level.faces[a];
  const Real* const link = level.link[a];
  for_each(
      space, "multigrid: coefficients", grid.faces(axis), KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k};
        to(k, j, i) = static_cast<Real>(factor * static_cast<double>(link[at[a]]) *
                                        static_cast<double>(from(k, j, i)));
      });
}

template <class Space, class From, class Real>
void copy_scaled(const Space& space, const Box& box, const FieldView<Space, From>& from,
                 double factor, const FieldView<Space, Real>& to) {
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        to(k, j, i) = static_cast<Real>(factor * static_cast<double>(from(k, j, i)));
      });
}

template <class Space, class Real>
void coarsen_coefficients(const Space& space, const Communicator& communicator,
                          const LevelShape& shape, AxisSet axes,
                          const LevelCoefficients<Space, Real>& fine,
                          const LevelCoefficients<Space, Real>& coarse,
                          const FarWeights<Space, Real>& far) {
  const detail::CoefficientGhosts<Space, Real> ghosts(shape, communicator);
  for (int a = 0; a < shape.dimensions; ++a) ghosts.fill(space, fine.faces[a], false);
  if (fine.reaction.data() != nullptr) ghosts.fill(space, fine.reaction, false);
  LevelShape from = shape;
  LevelCoefficients<Space, Real> known = fine;
  std::vector<Field<Space, Real>> kept;  // of the grids between the two
  for (const Axis axis : all_axes) {
    if ((axes & axis_bit(axis)) == 0) continue;
    const LevelShape to = from.coarsened(axis_bit(axis));
    LevelCoefficients<Space, Real> next = coarse;
    if ((axes >> index(axis) >> 1) != 0) {
      const Grid grid = to.grid();
      const auto array = [&] {
        FieldInfo info;
        info.name = "multigrid: coefficients";
        kept.emplace_back(grid, info);
        return kept.back().view();
      };
      for (int a = 0; a < shape.dimensions; ++a) next.faces[a] = array();
      if (fine.reaction.data() != nullptr) next.reaction = array();
    }
    detail::coarsen_along(space, communicator, from, axis, known, next, far.far[index(axis)]);
    from = to;
    known = next;
  }
}

#define XP_COEFFICIENTS(Space, Real)                                                             \
  template double largest_jump(const Space&, const Communicator&, const Grid&,                   \
                               const FieldView<Space, float>(&)[3],                              \
                               const FieldView<Space, Real>&);                                   \
  template double largest_jump(const Space&, const Communicator&, const Grid&,                   \
                               const FieldView<Space, double>(&)[3],                             \
                               const FieldView<Space, Real>&);                                   \
  template void set_conductances(const Space&, const LevelView<Space, Real>&, const Grid&, Axis, \
                                 const FieldView<Space, float>&, double);                        \
  template void set_conductances(const Space&, const LevelView<Space, Real>&, const Grid&, Axis, \
                                 const FieldView<Space, double>&, double);                       \
  template void copy_scaled(const Space&, const Box&, const FieldView<Space, float>&, double,    \
                            const FieldView<Space, Real>&);                                      \
  template void copy_scaled(const Space&, const Box&, const FieldView<Space, double>&, double,   \
                            const FieldView<Space, Real>&);                                      \
  template void coarsen_coefficients(const Space&, const Communicator&, const LevelShape&,       \
                                     AxisSet, const LevelCoefficients<Space, Real>&,             \
                                     const LevelCoefficients<Space, Real>&,                      \
                                     const FarWeights<Space, Real>&);
XP_INSTANTIATE(XP_COEFFICIENTS)
#undef XP_COEFFICIENTS

}  // namespace xp
