// What is computed on a multigrid level, as functors and kernels over rows.
//
// The operator of a level is the sum over the faces of a cell of area * beta * link * (u - u of the
// neighbour), plus alpha * volume * u, all times the scale of the level's numbers: fluxes through
// the surface of the cell. Beyond walls u is 0, and the condition is part of the face's link.
#pragma once

#include <xp/field/field.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {

/// How the coefficients of an elliptic operator are given.
enum class Coefficients {
  constant,            ///< two numbers
  faces,               ///< beta by faces
  faces_and_reaction,  ///< alpha by cells as well
};

/// Calls use.operator()<dimensions>().
template <class Use>
void with_dimensions(int dimensions, const Use& use) {
  if (dimensions == 1) return use.template operator()<1>();
  if (dimensions == 2) return use.template operator()<2>();
  use.template operator()<3>();
}

/// Calls use.operator()<dimensions, coefficients>().
template <class Use>
void with_kind(int dimensions, Coefficients coefficients, const Use& use) {
  with_dimensions(dimensions, [&]<int count>() {
    switch (coefficients) {
      case Coefficients::constant:
        return use.template operator()<count, Coefficients::constant>();
      case Coefficients::faces:
        return use.template operator()<count, Coefficients::faces>();
      case Coefficients::faces_and_reaction:
        return use.template operator()<count, Coefficients::faces_and_reaction>();
    }
  });
}

/// A level as kernels see it. Numbers by axis are at local indices, as cells are.
template <class Space, class Real>
struct LevelView {
  const Real* width[3];             ///< of cells
  const Real* link[3];              ///< of the face below a cell, where beta is constant
  Real beta, alpha;                 ///< scaled, where they are constant
  FieldView<Space, Real> faces[3];  ///< scaled beta * area * link, of the face below a cell
  FieldView<Space, Real> reaction;  ///< scaled alpha * volume
  int alike[2];                     ///< cells along x that have the same width and links
  Box own;
  int parity;  ///< of the global indices of cell (0, 0, 0), summed
};

/// The operator along one row, at indices i of the cells.
template <int dimensions, Coefficients coefficients, class Space, class Real>
struct LevelRow {
  const Real *width_x, *link_x;
  int alike[2];
  const Real *face_x, *lower_y, *upper_y, *lower_z, *upper_z, *reaction_x;
  Real along_x, south, north, bottom, top, reaction;

  KOKKOS_INLINE_FUNCTION LevelRow(const LevelView<Space, Real>& level, int k, int j)
      : width_x(level.width[0]), link_x(level.link[0]), alike{level.alike[0], level.alike[1]} {
    const Real wy = dimensions > 1 ? level.width[1][j] : Real(1);
    const Real wz = dimensions > 2 ? level.width[2][k] : Real(1);
    reaction = level.alpha * (wy * wz);
    if constexpr (coefficients == Coefficients::constant) {
      along_x = level.beta * (wy * wz);
      if constexpr (dimensions > 1) {
        south = level.beta * level.link[1][j] * wz;
        north = level.beta * level.link[1][j + 1] * wz;
      }
      if constexpr (dimensions > 2) {
        bottom = level.beta * level.link[2][k] * wy;
        top = level.beta * level.link[2][k + 1] * wy;
      }
    } else {
      face_x = &level.faces[0](k, j, 0);
      if constexpr (dimensions > 1) {
        lower_y = &level.faces[1](k, j, 0);
        upper_y = &level.faces[1](k, j + 1, 0);
      }
      if constexpr (dimensions > 2) {
        lower_z = &level.faces[2](k, j, 0);
        upper_z = &level.faces[2](k + 1, j, 0);
      }
      if constexpr (coefficients == Coefficients::faces_and_reaction)
        reaction_x = &level.reaction(k, j, 0);
    }
  }

  /// Calls use(sum, diagonal) with what the neighbours of cell i add, and the cell's own factor:
  /// the operator's value is diagonal * u - sum. `u` is the row; sy and sz lead to the next ones.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void at(const Real* u, std::int64_t sy, std::int64_t sz, int i,
                                      const Use& use) const {
    at_as(u, sy, sz, i, i, use);
  }
  /// Calls use(i, sum, diagonal) for a range of cells, for those at the ends of an axis twice: the
  /// second call counts.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void over(const Real* u, std::int64_t sy, std::int64_t sz, int first,
                                        int last, const Use& use) const {
    const auto one_by_one = [&](int begin, int end) {
      for (int i = begin; i < end; ++i) at(u, sy, sz, i, [&](Real sum, Real d) { use(i, sum, d); });
    };
    if constexpr (!is_host_space<Space>) {
      one_by_one(first, last);
    } else if constexpr (coefficients == Coefficients::constant) {
      // The numbers of one cell for all: nothing is read but values, and vectors are whole.
      const int one = alike[0];
      XP_VECTORISE
      for (int l = first; l < last; ++l)
        at_as(u, sy, sz, l, one, [&](Real sum, Real d) { use(l, sum, d); });
      one_by_one(first, alike[0] < last ? alike[0] : last);
      one_by_one(alike[1] > first ? alike[1] : first, last);
    } else {
      XP_VECTORISE
      for (int l = first; l < last; ++l)
        at(u, sy, sz, l, [&](Real sum, Real d) { use(l, sum, d); });
    }
  }

 private:
  // With the numbers by axis of cell n.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void at_as(const Real* u, std::int64_t sy, std::int64_t sz, int i,
                                         int n, const Use& use) const {
    constexpr bool constant = coefficients == Coefficients::constant;
    const Real west = constant ? along_x * link_x[n] : face_x[i];
    const Real east = constant ? along_x * link_x[n + 1] : face_x[i + 1];
    Real sum = west * u[i - 1] + east * u[i + 1], diagonal = west + east;
    if constexpr (dimensions > 1) {
      const Real s = constant ? south * width_x[n] : lower_y[i];
      const Real t = constant ? north * width_x[n] : upper_y[i];
      sum += s * u[i - sy] + t * u[i + sy];
      diagonal += s + t;
    }
    if constexpr (dimensions > 2) {
      const Real b = constant ? bottom * width_x[n] : lower_z[i];
      const Real t = constant ? top * width_x[n] : upper_z[i];
      sum += b * u[i - sz] + t * u[i + sz];
      diagonal += b + t;
    }
    const Real r =
        coefficients == Coefficients::faces_and_reaction ? reaction_x[i] : reaction * width_x[n];
    use(sum, diagonal + r);
  }
};

namespace detail {

template <class Space>
inline constexpr int level_chunk = is_host_space<Space> ? 256 : 1;

// 1, 0, 1, 0, ... for a chunk, whichever it begins with.
template <class Real>
struct Alternating {
  static constexpr int size = level_chunk<Kokkos::DefaultHostExecutionSpace> + 1;
  Real values[size];
  constexpr Alternating() : values() {
    for (int n = 0; n < size; ++n) values[n] = n % 2 == 0 ? Real(1) : Real(0);
  }
};
template <class Real>
inline constexpr Alternating<Real> alternating{};

// Asks for a part of a row, for the second-level cache.
template <class Space, class Real>
void prefetch(const FieldView<Space, Real>& values, int k, int j, int first, int last) {
  constexpr int line = 64 / sizeof(Real);
  const Real* const row = &values(k, j, 0);
  for (int i = first; i < last; i += line) __builtin_prefetch(row + i, 0, 2);
}

}  // namespace detail

/// Calls use(box) for boxes that together are a box but for another one inside it.
template <class Use>
void for_each_beside(const Box& inside, const Box& box, const Use& use) {
  Box rest = box;
  for (const Axis axis : {Axis::z, Axis::y, Axis::x}) {
    const int a = index(axis);
    use(rest.with_range(axis, box.lower[a], inside.lower[a]));
    use(rest.with_range(axis, inside.upper[a], box.upper[a]));
    rest = rest.with_range(axis, inside.lower[a], inside.upper[a]);
  }
}

/// Which half sweeps a kernel makes: one; or, for arrays beyond the caches, a wave of several, each
/// some planes and one row behind the one before, of which this is one step.
struct HalfSweeps {
  Box box;                 ///< its cells, of a wave those of one more after the last
  int colour = 0;          ///< of the first one
  bool from_zero = false;  ///< the first one takes u for zero and sets all of it
  int stages = 0;          ///< of a wave; 0: one half sweep
  int plane = 0, lag = 0;  ///< of the wave: where its first one is, and planes from one to the next
  int rows[2] = {0, 0};    ///< of the wave: those of its first one
  int less[3][2] = {};     ///< of the wave: cells that each has less at an end than the next one

  /// The cells of a half sweep of a wave.
  KOKKOS_INLINE_FUNCTION Box cells(int stage) const {
    Box cells = box;
    for (int a = 0; a < 3; ++a) {
      cells.lower[a] += less[a][0] * (stages - stage);
      cells.upper[a] -= less[a][1] * (stages - stage);
    }
    return cells;
  }
};

/// Half sweeps of red-black Gauss-Seidel with over-relaxation: cells whose indices' sum has the
/// parity of the colour. All cells of a row are computed and every other one is kept, which lets
/// rows be vectorised; no cell is read in the half sweep that writes it.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void smooth(const Space& space, const LevelView<Space, Real>& level,
            const FieldView<Space, Real>& u, const FieldView<Space, Real>& b, Real omega,
            const HalfSweeps& half_sweeps) {
  // For the host only. Not a constant, which CUDA would look for on the device.
  const Real* alternating = detail::alternating<Real>.values;
  const HalfSweeps wave = half_sweeps;
  Box box = wave.box;
  if (wave.stages > 0) {
    // All half sweeps of a row together: they share its neighbours, and a thread keeps its rows.
    box = box.with_range(Axis::y, 0, wave.stages)
              .with_range(Axis::z, std::max(wave.rows[0] - wave.stages + 1, box.lower[1]),
                          std::min(wave.rows[1], box.upper[1]));
  }
  for_each_row(
      space, "multigrid: smooth", box, KOKKOS_LAMBDA(int m, int n, int begin, int end) {
        const int stage = wave.stages > 0 ? n : 0;
        const int j = wave.stages > 0 ? m : n;
        const int k = wave.stages > 0 ? wave.plane - stage * wave.lag : m;
        int first = begin, last = end;
        if (wave.stages > 0) {
          const Box cells = wave.cells(stage);
          first = first < cells.lower[0] ? cells.lower[0] : first;
          last = last > cells.upper[0] ? cells.upper[0] : last;
          if (k < cells.lower[2] || k >= cells.upper[2] || j < cells.lower[1] ||
              j >= cells.upper[1] || j < wave.rows[0] - stage || j >= wave.rows[1] - stage)
            return;
        }
        const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
        Real* const x = &u(k, j, 0);
        const Real* const f = &b(k, j, 0);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        // Captured here, as CUDA's compiler wants it: not where the width decides.
        const int shift = j + k + level.parity + wave.colour + stage;
        const bool from_zero = wave.from_zero && stage == 0;
        const Real weight = omega;
        [[maybe_unused]] const Real* const every_other = alternating;
        constexpr int width = detail::level_chunk<Space>;
        if constexpr (width == 1) {
          if (((first + shift) & 1) != 0) {
            if (from_zero) x[first] = 0;
            return;
          }
          row.at(x, sy, sz, first, [&](Real sum, Real diagonal) {
            const Real old = from_zero ? Real(0) : x[first];
            const Real around = from_zero ? Real(0) : sum;
            x[first] = old + weight * ((f[first] + around) * (1 / diagonal) - old);
          });
        } else {
          if (wave.stages > 0 && stage == 0 && k + 2 < level.own.upper[2]) {
            // What the next step reads first. Rows of planes that take turns are too short for
            // processors to see it coming.
            detail::prefetch(u, k + 2, j, first, last);
            detail::prefetch(b, k + 1, j, first, last);
            if constexpr (coefficients != Coefficients::constant) {
              detail::prefetch(level.faces[0], k + 1, j, first, last);
              detail::prefetch(level.faces[1], k + 1, j, first, last);
              detail::prefetch(level.faces[2], k + 2, j, first, last);
            }
          }
          Real values[width];
          for (int chunk = first; chunk < last; chunk += width) {
            const int lanes = last - chunk < width ? last - chunk : width;
            const Real* const kept = every_other + ((chunk + shift) & 1);
            Real* const out = x + chunk;
            if (from_zero) {
              row.over(x, sy, sz, chunk, chunk + lanes, [&](int i, Real, Real diagonal) {
                values[i - chunk] = f[i] * (1 / diagonal);
              });
              // The sum gives zeros the sign that they have elsewhere.
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l) out[l] = Real(0) + kept[l] * weight * values[l];
            } else {
              row.over(x, sy, sz, chunk, chunk + lanes, [&](int i, Real sum, Real diagonal) {
                values[i - chunk] = (f[i] + sum) * (1 / diagonal);
              });
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l) out[l] += kept[l] * weight * (values[l] - out[l]);
            }
          }
        }
      });
}

/// step = keep * step + weight * residual / diagonal.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void make_step(const Space& space, const LevelView<Space, Real>& level,
               const FieldView<Space, Real>& u, const FieldView<Space, Real>& b, Real keep,
               Real weight, const FieldView<Space, Real>& step) {
  for_each_row(
      space, "multigrid: step", level.own, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
        const Real* const x = &u(k, j, 0);
        const Real* const f = &b(k, j, 0);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        const Real kept = keep, part = weight;
        constexpr int width = detail::level_chunk<Space>;
        Real values[width];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          row.over(x, sy, sz, chunk, chunk + lanes, [&](int i, Real sum, Real diagonal) {
            values[i - chunk] = (f[i] + sum) * (1 / diagonal) - x[i];
          });
          Real* const out = &step(k, j, chunk);
          XP_VECTORISE
          for (int l = 0; l < lanes; ++l) out[l] = kept * out[l] + part * values[l];
        }
      });
}

template <class Space, class Real>
void add_step(const Space& space, const Box& box, const FieldView<Space, Real>& step,
              const FieldView<Space, Real>& u) {
  for_each(
      space, "multigrid: step", box,
      KOKKOS_LAMBDA(int k, int j, int i) { u(k, j, i) += step(k, j, i); });
}

/// Where the cells of a level lie in those of the next, by axis: two by two, and a last one with
/// what is left.
struct Children {
  Box fine, coarse;
  int by[3];

  Children(const Box& of, const Box& in) : fine(of), coarse(in) {
    for (int a = 0; a < 3; ++a) by[a] = of.size(a) > in.size(a) ? 2 : 1;
  }
  /// First child of a coarse cell; at the end of the coarse box the end of the fine one.
  KOKKOS_INLINE_FUNCTION int first(int axis, int cell) const {
    return cell == coarse.upper[axis] ? fine.upper[axis]
                                      : fine.lower[axis] + by[axis] * (cell - coarse.lower[axis]);
  }
  KOKKOS_INLINE_FUNCTION int parent(int axis, int cell) const {
    const int place = coarse.lower[axis] + (cell - fine.lower[axis]) / by[axis];
    return place < coarse.upper[axis] ? place : coarse.upper[axis] - 1;
  }
  /// The end of the coarse cells whose children and these children's neighbours are all below a
  /// fine cell.
  int end_of_those_below(int axis, int cell) const {
    if (cell >= fine.upper[axis]) return coarse.upper[axis];
    const int whole = std::max(0, cell - 1 - fine.lower[axis]) / by[axis];
    return std::min(coarse.lower[axis] + whole, coarse.upper[axis] - 1);
  }
  /// The neighbour that takes part in interpolation to a cell beside its parent.
  KOKKOS_INLINE_FUNCTION int other(int axis, int cell, int parent) const {
    return cell == first(axis, parent) ? parent - 1 : parent + 1;
  }
};

/// The residual of a level, summed over the cells of each coarse one in a box.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void restrict_residual(const Space& space, const LevelView<Space, Real>& level,
                       const FieldView<Space, Real>& u, const FieldView<Space, Real>& b,
                       const LevelView<Space, Real>& coarse, const FieldView<Space, Real>& target,
                       const Box& box) {
  const Children children(level.own, coarse.own);
  for_each_row(
      space, "multigrid: restrict", box, KOKKOS_LAMBDA(int K, int J, int first, int last) {
        constexpr int width = is_host_space<Space> ? detail::level_chunk<Space> / 2 : 1;
        const int k0 = children.first(2, K), k1 = children.first(2, K + 1);
        const int j0 = children.first(1, J), j1 = children.first(1, J + 1);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        Real buffers[2][2 * width + 1];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          const int i0 = children.first(0, chunk), i1 = children.first(0, chunk + lanes);
          Real *sums = buffers[0], *next = buffers[1];
          XP_VECTORISE
          for (int l = 0; l < i1 - i0; ++l) sums[l] = Real(0);
          for (int k = k0; k < k1; ++k)
            for (int j = j0; j < j1; ++j) {
              const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
              const Real* const x = &u(k, j, 0);
              const Real* const f = &b(k, j, 0);
              row.over(x, sy, sz, i0, i1, [&](int i, Real sum, Real diagonal) {
                next[i - i0] = sums[i - i0] + (f[i] - (diagonal * x[i] - sum));
              });
              Real* const old = sums;
              sums = next;
              next = old;
            }
          Real* const out = &target(K, J, chunk);
          if (children.by[0] == 1) {
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l) out[l] = sums[l];
          } else {
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l) out[l] = sums[2 * l] + sums[2 * l + 1];
            if (i1 - i0 > 2 * lanes) out[lanes - 1] += sums[2 * lanes];
          }
        }
      });
}

/// Weights of linear interpolation by axis (LevelAxis::Weights), at local indices of the fine
/// level.
template <class Real>
struct InterpolationView {
  const Real* near[3];
  const Real* far[3];
};

/// What the coarse cells around a fine row contribute to it, where beta is constant: the weights
/// are those of the axes.
template <int dimensions, class Space, class Real>
struct InterpolationRow {
  const Real *rows[4], *near, *far;
  Real parts[4];

  KOKKOS_INLINE_FUNCTION InterpolationRow(const InterpolationView<Real>& weights, int k, int j,
                                          const FieldView<Space, Real>& source, const int (&K)[2],
                                          const int (&J)[2])
      : near(weights.near[0]), far(weights.far[0]) {
    for (int n = 0; n < 4; ++n) {
      rows[n] = &source(K[n / 2], J[n % 2], 0);
      parts[n] = (n / 2 == 0 ? weights.near[2] : weights.far[2])[k] *
                 (n % 2 == 0 ? weights.near[1] : weights.far[1])[j];
    }
  }
  /// At coarse index I of the row.
  KOKKOS_FORCEINLINE_FUNCTION Real between(int I) const {
    constexpr int count = dimensions == 1 ? 1 : dimensions == 2 ? 2 : 4;
    Real value = parts[0] * rows[0][I];
    for (int n = 1; n < count; ++n) value += parts[n] * rows[n][I];
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION Real at(int i, Real own, Real other) const {
    return near[i] * own + far[i] * other;
  }
};

/// Weights that follow the coefficients (LevelCoefficients): of the neighbour along an axis, on the
/// grid coarsened along the axes before it.
template <class Space, class Real>
struct FarWeights {
  FieldView<Space, Real> far[3];
};

/// The same with weights that follow the coefficients.
template <int dimensions, class Space, class Real>
struct WeightedRow {
  const Real *rows[4], *far_x, *far_y, *far_z[2];

  KOKKOS_INLINE_FUNCTION WeightedRow(const FarWeights<Space, Real>& weights, int k, int j,
                                     const FieldView<Space, Real>& source, const int (&K)[2],
                                     const int (&J)[2])
      : far_x(&weights.far[0](k, j, 0)) {
    for (int n = 0; n < 4; ++n) rows[n] = &source(K[n / 2], J[n % 2], 0);
    if constexpr (dimensions > 1) far_y = &weights.far[1](k, j, 0);
    if constexpr (dimensions > 2)
      for (int n = 0; n < 2; ++n) far_z[n] = &weights.far[2](k, J[n], 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION Real between(int I) const {
    Real own = rows[0][I];
    if constexpr (dimensions > 2) own += far_z[0][I] * (rows[2][I] - own);
    if constexpr (dimensions > 1) {
      Real other = rows[1][I];
      if constexpr (dimensions > 2) other += far_z[1][I] * (rows[3][I] - other);
      own += far_y[I] * (other - own);
    }
    return own;
  }
  KOKKOS_FORCEINLINE_FUNCTION Real at(int i, Real own, Real other) const {
    return own + far_x[i] * (other - own);
  }
};

/// The residual of a level.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void residual(const Space& space, const LevelView<Space, Real>& level,
              const FieldView<Space, Real>& u, const FieldView<Space, Real>& b,
              const FieldView<Space, Real>& target) {
  for_each_row(
      space, "multigrid: residual", level.own, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
        const Real* const x = &u(k, j, 0);
        const Real* const f = &b(k, j, 0);
        Real* const out = &target(k, j, 0);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        row.over(x, sy, sz, first, last,
                 [&](int i, Real sum, Real diagonal) { out[i] = f[i] - (diagonal * x[i] - sum); });
      });
}

/// The transpose of the interpolation whose weights follow the coefficients. Where a coarse axis
/// has one cell that has no neighbours.
template <int dimensions, class Space, class Real>
void restrict_weighted(const Space& space, const LevelView<Space, Real>& level,
                       const FieldView<Space, Real>& residual,
                       const FarWeights<Space, Real>& weights, const LevelView<Space, Real>& coarse,
                       const FieldView<Space, Real>& target, AxisSet lone) {
  const Children children(level.own, coarse.own);
  for_each_row(
      space, "multigrid: restrict", coarse.own, KOKKOS_LAMBDA(int K, int J, int first, int last) {
        // Captured here, as CUDA's compiler wants it: not where the dimensions decide.
        const Children& cells = children;
        const FarWeights<Space, Real>& parts = weights;
        const FieldView<Space, Real>& from = residual;
        constexpr int width = is_host_space<Space> ? detail::level_chunk<Space> / 2 : 1;
        // Fine cells that take part along an axis: the children and one on each side.
        const auto takes = [&](int axis) {
          return axis < dimensions && cells.by[axis] == 2 && (lone >> axis & 1u) == 0 ? 1 : 0;
        };
        const int k0 = cells.first(2, K), k1 = cells.first(2, K + 1), more_k = takes(2);
        const int j0 = cells.first(1, J), j1 = cells.first(1, J + 1), more_j = takes(1);
        const bool more_i = takes(0) == 1;
        Real sums[width], line[width];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          for (int l = 0; l < lanes; ++l) sums[l] = Real(0);
          for (int k = k0 - more_k; k < k1 + more_k; ++k) {
            const bool inside_k = k >= k0 && k < k1;
            for (int l = 0; l < lanes; ++l) line[l] = Real(0);
            for (int j = j0 - more_j; j < j1 + more_j; ++j) {
              const bool inside_j = j >= j0 && j < j1;
              const Real* const r = &from(k, j, 0);
              const Real* const far = &parts.far[0](k, j, 0);
              const auto along_x = [&](int begin, int end) {
                Real value = 0;
                for (int i = begin; i < end; ++i) value += (1 - far[i]) * r[i];
                if (more_i) value += far[begin - 1] * r[begin - 1] + far[end] * r[end];
                return value;
              };
              const Real* far_y = nullptr;
              if constexpr (dimensions > 1) far_y = &parts.far[1](k, j, chunk);
              const auto part_y = [&](int l) {
                if constexpr (dimensions > 1) return inside_j ? 1 - far_y[l] : far_y[l];
                return Real(1);
              };
              const int by = cells.by[0], start = cells.first(0, chunk);
              const int whole =
                  cells.first(0, chunk + lanes) - start == by * lanes ? lanes : lanes - 1;
              XP_VECTORISE
              for (int l = 0; l < whole; ++l) {
                const int begin = start + by * l;
                line[l] += part_y(l) * along_x(begin, begin + by);
              }
              for (int l = whole; l < lanes; ++l)
                line[l] += part_y(l) * along_x(start + by * l, start + by * l + 3);
            }
            if constexpr (dimensions > 2) {
              const Real* const far_z = &parts.far[2](k, J, chunk);
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l)
                sums[l] += (inside_k ? 1 - far_z[l] : far_z[l]) * line[l];
            } else {
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l) sums[l] += line[l];
            }
          }
          Real* const out = &target(K, J, chunk);
          XP_VECTORISE
          for (int l = 0; l < lanes; ++l) out[l] = sums[l];
        }
      });
}

/// Adds the coarse level's values to the cells in a box, interpolated along each axis that is
/// coarsened: with weights of the axes or of the cells.
template <int dimensions, class Row, class Weights, class Space, class Real>
void prolong(const Space& space, const LevelView<Space, Real>& level,
             const FieldView<Space, Real>& u, const Weights& weights,
             const LevelView<Space, Real>& coarse, const FieldView<Space, Real>& source,
             const Box& box) {
  const Children children(level.own, coarse.own);
  for_each_row(
      space, "multigrid: prolong", box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        // Captured here, as CUDA's compiler wants it: not where the dimensions decide.
        const Children& cells = children;
        const Box& to = cells.coarse;
        // The rows around this one.
        int rows_k[2] = {to.lower[2], to.lower[2]}, rows_j[2] = {to.lower[1], to.lower[1]};
        if constexpr (dimensions > 2) {
          rows_k[0] = cells.parent(2, k);
          rows_k[1] = cells.other(2, k, rows_k[0]);
        }
        if constexpr (dimensions > 1) {
          rows_j[0] = cells.parent(1, j);
          rows_j[1] = cells.other(1, j, rows_j[0]);
        }
        const Row row(weights, k, j, source, rows_k, rows_j);
        Real* const out = &u(k, j, 0);
        constexpr int width = detail::level_chunk<Space>;
        if constexpr (width == 1) {
          const int I = cells.parent(0, first), other = cells.other(0, first, I);
          out[first] += row.at(first, row.between(I), row.between(other));
        } else {
          Real line[width + 3];
          for (int chunk = first; chunk < last; chunk += width) {
            const int end = chunk + width < last ? chunk + width : last;
            // What the cells around contribute to this row: line[0] is cell c0.
            const int c0 = cells.parent(0, chunk) - 1;
            const int wanted = cells.parent(0, end - 1) + 2 - c0;
            XP_VECTORISE
            for (int l = 0; l < wanted; ++l) line[l] = row.between(c0 + l);
            if (cells.by[0] == 1) {
              XP_VECTORISE
              for (int i = chunk; i < end; ++i) out[i] += line[i - chunk + 1];
              continue;
            }
            const auto single = [&](int i) {
              const int I = cells.parent(0, i), other = cells.other(0, i, I);
              out[i] += row.at(i, line[I - c0], line[other - c0]);
            };
            int i = chunk;
            if ((i - cells.fine.lower[0]) % 2 != 0) single(i++);
            const int pairs = (end - i) / 2, c = (i - chunk) % 2;
            XP_VECTORISE
            for (int l = 0; l < pairs; ++l) {
              const int low = i + 2 * l, high = low + 1, own = l + c + 1;
              out[low] += row.at(low, line[own], line[own - 1]);
              out[high] += row.at(high, line[own], line[own + 1]);
            }
            for (i += 2 * pairs; i < end; ++i) single(i);
          }
        }
      });
}

}  // namespace xp
