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
  const Real* link[3];              ///< of the face below a cell
  Real beta, alpha;                 ///< scaled, where they are constant
  FieldView<Space, Real> faces[3];  ///< scaled beta * area
  FieldView<Space, Real> reaction;  ///< scaled alpha * volume
  Box own;
  int parity;  ///< of the global indices of cell (0, 0, 0), summed
};

/// The operator along one row, at indices i of the cells.
template <int dimensions, Coefficients coefficients, class Space, class Real>
struct LevelRow {
  const Real *width_x, *link_x;
  const Real *face_x, *lower_y, *upper_y, *lower_z, *upper_z, *reaction_x;
  Real along_x, south, north, bottom, top, reaction;

  KOKKOS_INLINE_FUNCTION LevelRow(const LevelView<Space, Real>& level, int k, int j)
      : width_x(level.width[0]), link_x(level.link[0]) {
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
        south = level.link[1][j];
        north = level.link[1][j + 1];
        lower_y = &level.faces[1](k, j, 0);
        upper_y = &level.faces[1](k, j + 1, 0);
      }
      if constexpr (dimensions > 2) {
        bottom = level.link[2][k];
        top = level.link[2][k + 1];
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
    constexpr bool constant = coefficients == Coefficients::constant;
    const Real west = (constant ? along_x : face_x[i]) * link_x[i];
    const Real east = (constant ? along_x : face_x[i + 1]) * link_x[i + 1];
    Real sum = west * u[i - 1] + east * u[i + 1], diagonal = west + east;
    if constexpr (dimensions > 1) {
      const Real s = south * (constant ? width_x : lower_y)[i];
      const Real n = north * (constant ? width_x : upper_y)[i];
      sum += s * u[i - sy] + n * u[i + sy];
      diagonal += s + n;
    }
    if constexpr (dimensions > 2) {
      const Real b = bottom * (constant ? width_x : lower_z)[i];
      const Real t = top * (constant ? width_x : upper_z)[i];
      sum += b * u[i - sz] + t * u[i + sz];
      diagonal += b + t;
    }
    const Real r =
        coefficients == Coefficients::faces_and_reaction ? reaction_x[i] : reaction * width_x[i];
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

}  // namespace detail

/// One half of a red-black Gauss-Seidel sweep with over-relaxation: cells whose indices' sum has
/// the parity of `colour`. All cells of a row are computed and every other one is kept, which lets
/// rows be vectorised; no cell is read in the half sweep that writes it.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void smooth(const Space& space, const LevelView<Space, Real>& level,
            const FieldView<Space, Real>& u, const FieldView<Space, Real>& b, int colour,
            Real omega) {
  // For the host only. Not a constant, which CUDA would look for on the device.
  const Real* alternating = detail::alternating<Real>.values;
  for_each_row(
      space, "multigrid: smooth", level.own, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
        Real* const x = &u(k, j, 0);
        const Real* const f = &b(k, j, 0);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        // Captured here, as CUDA's compiler wants it: not where the width decides.
        const int shift = j + k + level.parity + colour;
        const Real weight = omega;
        [[maybe_unused]] const Real* const every_other = alternating;
        constexpr int width = detail::level_chunk<Space>;
        if constexpr (width == 1) {
          if (((first + shift) & 1) == 0)
            row.at(x, sy, sz, first, [&](Real sum, Real diagonal) {
              x[first] += weight * ((f[first] + sum) / diagonal - x[first]);
            });
        } else {
          Real values[width];
          for (int chunk = first; chunk < last; chunk += width) {
            const int lanes = last - chunk < width ? last - chunk : width;
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l)
              row.at(x, sy, sz, chunk + l,
                     [&](Real sum, Real diagonal) { values[l] = (f[chunk + l] + sum) / diagonal; });
            const Real* const kept = every_other + ((chunk + shift) & 1);
            Real* const out = x + chunk;
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l) out[l] += kept[l] * weight * (values[l] - out[l]);
          }
        }
      });
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
  /// The neighbour that takes part in interpolation to a cell beside its parent.
  KOKKOS_INLINE_FUNCTION int other(int axis, int cell, int parent) const {
    return cell == first(axis, parent) ? parent - 1 : parent + 1;
  }
};

/// The residual of a level, summed over the cells of each coarse one.
template <int dimensions, Coefficients coefficients, class Space, class Real>
void restrict_residual(const Space& space, const LevelView<Space, Real>& level,
                       const FieldView<Space, Real>& u, const FieldView<Space, Real>& b,
                       const LevelView<Space, Real>& coarse, const FieldView<Space, Real>& target) {
  const Children children(level.own, coarse.own);
  for_each_row(
      space, "multigrid: restrict", coarse.own, KOKKOS_LAMBDA(int K, int J, int first, int last) {
        constexpr int width = is_host_space<Space> ? detail::level_chunk<Space> / 2 : 1;
        const int k0 = children.first(2, K), k1 = children.first(2, K + 1);
        const int j0 = children.first(1, J), j1 = children.first(1, J + 1);
        const std::int64_t sy = u.stride(Axis::y), sz = u.stride(Axis::z);
        Real sums[2 * width + 1];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          const int i0 = children.first(0, chunk), i1 = children.first(0, chunk + lanes);
          XP_VECTORISE
          for (int l = 0; l < i1 - i0; ++l) sums[l] = Real(0);
          for (int k = k0; k < k1; ++k)
            for (int j = j0; j < j1; ++j) {
              const LevelRow<dimensions, coefficients, Space, Real> row(level, k, j);
              const Real* const x = &u(k, j, 0);
              const Real* const f = &b(k, j, 0);
              XP_VECTORISE
              for (int l = 0; l < i1 - i0; ++l)
                row.at(x, sy, sz, i0 + l, [&](Real sum, Real diagonal) {
                  sums[l] += f[i0 + l] - (diagonal * x[i0 + l] - sum);
                });
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

/// Sums over the children of each coarse cell, or of each coarse face normal to `axis` (-1: cells).
template <class Space, class Real>
void sum_children(const Space& space, const Children& children, int axis,
                  const FieldView<Space, Real>& from, const FieldView<Space, Real>& to) {
  Box box = children.coarse;
  if (axis >= 0) ++box.upper[axis];
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        const int at[3] = {i, j, k};
        int lower[3], upper[3];
        for (int a = 0; a < 3; ++a) {
          lower[a] = children.first(a, at[a]);
          upper[a] = a == axis ? lower[a] + 1 : children.first(a, at[a] + 1);
        }
        Real sum = 0;
        for (int z = lower[2]; z < upper[2]; ++z)
          for (int y = lower[1]; y < upper[1]; ++y)
            for (int x = lower[0]; x < upper[0]; ++x) sum += from(z, y, x);
        to(k, j, i) = sum;
      });
}

/// to = factor * from, of other precision.
template <class Space, class From, class Real>
void copy_scaled(const Space& space, const Box& box, const FieldView<Space, From>& from,
                 double factor, const FieldView<Space, Real>& to) {
  for_each(
      space, "multigrid: coefficients", box, KOKKOS_LAMBDA(int k, int j, int i) {
        to(k, j, i) = static_cast<Real>(factor * static_cast<double>(from(k, j, i)));
      });
}

/// Weights of linear interpolation by axis (LevelAxis::Weights), at local indices of the fine
/// level.
template <class Real>
struct InterpolationView {
  const Real* near[3];
  const Real* far[3];
};

/// Adds the coarse level's values, interpolated linearly along each axis that is coarsened.
template <int dimensions, class Space, class Real>
void prolong(const Space& space, const LevelView<Space, Real>& level,
             const FieldView<Space, Real>& u, const InterpolationView<Real>& weights,
             const LevelView<Space, Real>& coarse, const FieldView<Space, Real>& source) {
  const Children children(level.own, coarse.own);
  for_each_row(
      space, "multigrid: prolong", level.own, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        // Captured here, as CUDA's compiler wants it: not where the dimensions decide.
        const Children& cells = children;
        const InterpolationView<Real>& part_of = weights;
        const Box& to = cells.coarse;
        // The rows around this one, and their parts.
        int rows_k[2] = {to.lower[2], to.lower[2]}, rows_j[2] = {to.lower[1], to.lower[1]};
        Real parts_k[2] = {1, 0}, parts_j[2] = {1, 0};
        if constexpr (dimensions > 2) {
          rows_k[0] = cells.parent(2, k);
          rows_k[1] = cells.other(2, k, rows_k[0]);
          parts_k[0] = part_of.near[2][k];
          parts_k[1] = part_of.far[2][k];
        }
        if constexpr (dimensions > 1) {
          rows_j[0] = cells.parent(1, j);
          rows_j[1] = cells.other(1, j, rows_j[0]);
          parts_j[0] = part_of.near[1][j];
          parts_j[1] = part_of.far[1][j];
        }
        const Real* rows[4];
        Real parts[4];
        for (int n = 0; n < 4; ++n) {
          rows[n] = &source(rows_k[n / 2], rows_j[n % 2], 0);
          parts[n] = parts_k[n / 2] * parts_j[n % 2];
        }
        constexpr int count = dimensions == 1 ? 1 : dimensions == 2 ? 2 : 4;
        Real* const out = &u(k, j, 0);
        const Real* const near = part_of.near[0];
        const Real* const far = part_of.far[0];
        constexpr int width = detail::level_chunk<Space>;
        if constexpr (width == 1) {
          const int I = cells.parent(0, first), other = cells.other(0, first, I);
          Real value = 0;
          for (int n = 0; n < count; ++n)
            value += parts[n] * (near[first] * rows[n][I] + far[first] * rows[n][other]);
          out[first] += value;
        } else {
          Real line[width + 3];
          for (int chunk = first; chunk < last; chunk += width) {
            const int end = chunk + width < last ? chunk + width : last;
            // What the cells around contribute to this row: line[0] is cell c0.
            const int c0 = cells.parent(0, chunk) - 1;
            const int wanted = cells.parent(0, end - 1) + 2 - c0;
            XP_VECTORISE
            for (int l = 0; l < wanted; ++l) {
              Real value = parts[0] * rows[0][c0 + l];
              for (int n = 1; n < count; ++n) value += parts[n] * rows[n][c0 + l];
              line[l] = value;
            }
            if (cells.by[0] == 1) {
              XP_VECTORISE
              for (int i = chunk; i < end; ++i) out[i] += line[i - chunk + 1];
              continue;
            }
            const auto single = [&](int i) {
              const int I = cells.parent(0, i), other = cells.other(0, i, I);
              out[i] += near[i] * line[I - c0] + far[i] * line[other - c0];
            };
            int i = chunk;
            if ((i - cells.fine.lower[0]) % 2 != 0) single(i++);
            const int pairs = (end - i) / 2, c = (i - chunk) % 2;
            XP_VECTORISE
            for (int l = 0; l < pairs; ++l) {
              const int low = i + 2 * l, high = low + 1, own = l + c + 1;
              out[low] += near[low] * line[own] + far[low] * line[own - 1];
              out[high] += near[high] * line[own] + far[high] * line[own + 1];
            }
            for (i += 2 * pairs; i < end; ++i) single(i);
          }
        }
      });
}

}  // namespace xp
