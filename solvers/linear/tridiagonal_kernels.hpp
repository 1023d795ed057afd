// Elimination in the tridiagonal systems of many lines of cells at once, as functors over blocks of
// lines.
//
// The matrix is symmetric: L D L^T, and where the ends follow each other, its last row is full.
// What is kept of it: 1/D at cells, L below cells ("links", with that of the cell above in one more
// place) and the last row of L ("border"). With g = L^-1 f along a line, upwards
//     g_n = f_n - link_n g_(n-1),           g_last -= sum of border_n g_n,
// and downwards
//     u_n = g_n / D_n - link_(n+1) u_(n+1) - border_n u_last.
// The links of the ends are such that the ghost values of u = 0 take the places of g_(-1) and of
// u_(last+1): what a condition adds to the right side.
#pragma once

#include <xp/field/field.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {

namespace detail {

// Lines of a block at most: each has numbers of its own on the stack. Along x, where lines are rows
// of memory, as many as a processor has registers for.
template <class Space>
inline constexpr int most_lanes = is_host_space<Space> ? 128 : 1;
template <class Space>
inline constexpr int x_lanes = is_host_space<Space> ? 8 : 1;

template <class Real>
inline constexpr int cache_line = 64 / sizeof(Real);

// Asks for a cache line that will be needed; no address is wrong.
KOKKOS_INLINE_FUNCTION void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(address);
#endif
}

}  // namespace detail

/// The lines of cells along an axis of a rank's part, in blocks of neighbours: along y and z a
/// block is a piece of a row of x, along x some rows of a plane.
struct LineSet {
  Axis along = Axis::x, across = Axis::y, rest = Axis::z;
  int lower[3] = {0, 0, 0};  ///< the first own cell
  int cells = 1;             ///< of a line
  int inner = 1, outer = 1;  ///< lines along `across` and `rest`
  int width = 1;             ///< lines of a block, fewer at the end of `inner`

  struct Block {
    int k, j, i;  ///< first cell of the first line
    int line;     ///< number of the first line, counted along `across`, then `rest`
    int lanes;    ///< lines
  };
  KOKKOS_INLINE_FUNCTION int blocks_across() const { return (inner + width - 1) / width; }
  KOKKOS_INLINE_FUNCTION int blocks() const { return blocks_across() * outer; }
  KOKKOS_INLINE_FUNCTION Block block(int number) const {
    const int row = number / blocks_across(), first = (number - row * blocks_across()) * width;
    int at[3] = {lower[0], lower[1], lower[2]};
    at[index(across)] += first;
    at[index(rest)] += row;
    const int left = inner - first;
    return {at[2], at[1], at[0], row * inner + first, left < width ? left : width};
  }
  int first_line(int block_number) const {
    return block_number == blocks() ? inner * outer : block(block_number).line;
  }
};

/// What ranks hand on along lines that are cut: some numbers for each line.
struct LineCarry {
  const double* in = nullptr;  ///< null: from nobody
  double* out = nullptr;       ///< null: to nobody
  int first = 0, lines = 0;    ///< of this message

  KOKKOS_INLINE_FUNCTION int place(int value, int line) const {
    return value * lines + line - first;
  }
};

/// One step of the factorisation of a line.
struct LineElimination {
  double link = 0;    ///< to the cell before
  double border = 0;  ///< what couples the cell before with the last one, through its ends
  double sum = 0;     ///< of border^2 / pivot
  double inverse = 0, part = 0;  ///< of this cell: 1 / pivot, border / pivot

  /// Takes a cell with its row of the matrix. `corner`: what couples the first cell with the last
  /// one through the end, 0 where that is a wall. `smallest`: of a pivot that is not taken for
  /// zero. Returns whether it is none.
  KOKKOS_INLINE_FUNCTION bool take(double lower, double diagonal, double upper, bool is_first,
                                   bool is_last, double corner, double smallest) {
    border = is_first ? corner : -link * border;
    // Falls along the line like a power: what can no longer be seen would become subnormal.
    const double size = border < 0 ? -border : border;
    if (size < 1e-30 * ((lower < 0 ? -lower : lower) + (upper < 0 ? -upper : upper))) border = 0;
    double pivot = diagonal - link * lower;
    if (is_last) pivot += 2 * border - sum;
    inverse = 1 / pivot;
    part = is_last ? 0 : border * inverse;
    sum += border * part;
    link = upper * inverse;
    return (pivot < 0 ? -pivot : pivot) > smallest;
  }
};

/// The matrix: shift u + scale (alpha u - d/da(beta du/da)).
template <class Space, class Real>
struct LineMatrix {
  double shift = 0, scale = 1;
  double inverse2 = 1;              ///< 1 / spacing^2
  double beta = 1, alpha = 0;       ///< where they are constant
  FieldView<Space, Real> faces;     ///< beta, if its data are not null
  FieldView<Space, Real> reaction;  ///< alpha, likewise
  bool ends[2] = {true, true};      ///< does this rank hold the first and the last cell of lines?
  bool wraps = false;
  double sign = 1;                 ///< of what follows the ends
  double weight[2] = {0, 0};       ///< ghost cell = weight * first cell + what does not depend on u
  FieldView<Space, Real> weights;  ///< these in ghost cells, if its data are not null
  double tolerance = 0;            ///< of pivots, relative to the numbers of a row

  KOKKOS_INLINE_FUNCTION double link(double beta_of_face) const {
    return -scale * inverse2 * beta_of_face;
  }
  /// Takes a cell into an elimination.
  KOKKOS_INLINE_FUNCTION bool take(LineElimination& line, double lower, double upper,
                                   double own_alpha, bool is_first, bool is_last,
                                   double lower_weight, double upper_weight) const {
    const double own = shift + scale * own_alpha;
    double diagonal = own - lower - upper;
    if (is_first) {
      line.link = 0;
      if (!wraps) diagonal += lower * lower_weight;
    }
    if (is_last && !wraps) diagonal += upper * upper_weight;
    const auto size = [](double x) { return x < 0 ? -x : x; };
    return line.take(lower, diagonal, upper, is_first, is_last, wraps ? sign * lower : 0,
                     tolerance * (size(own) + size(lower) + size(upper)));
  }
};

/// The factors: one array for all lines, or one for all cells.
template <class Space, class Real>
struct LineFactors {
  Real* inverse = nullptr;  ///< shared ones, of this rank's cells
  Real* link = nullptr;
  Real* border = nullptr;
  FieldView<Space, Real> inverses, links, borders;
};

/// Factorises the matrix that all lines share: one block. Every rank starts with the first cell.
template <class Space, class Real>
struct FactorShared {
  LineMatrix<Space, Real> matrix;
  LineFactors<Space, Real> to;
  std::int64_t before;  ///< cells of the ranks below
  int cells;
  std::int64_t all;  ///< cells of the whole line
  int* bad;          ///< counts pivots that are zero

  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    const double link = matrix.link(matrix.beta);
    LineElimination line;
    int zeros = 0;
    for (std::int64_t n = 0; n < before + cells; ++n) {
      const bool is_first = n == 0, is_last = n == all - 1;
      // The end's link takes up the ghost value of u = 0.
      const double below = is_first ? link : line.link;
      if (!matrix.take(line, link, link, matrix.alpha, is_first, is_last, matrix.weight[0],
                       matrix.weight[1]))
        ++zeros;
      const std::int64_t own = n - before;
      if (own < 0) continue;
      to.link[own] = static_cast<Real>(below);
      to.inverse[own] = static_cast<Real>(line.inverse);
      to.border[own] = static_cast<Real>(line.part);
    }
    to.link[cells] = static_cast<Real>(line.link);
    *bad = zeros;
  }
};

/// Factorises a matrix for each line. Carries link, border and sum.
template <class Space, class Real>
struct FactorLines {
  static constexpr int values = 3;
  LineSet lines;
  LineMatrix<Space, Real> matrix;
  LineFactors<Space, Real> to;
  int* bad;
  LineCarry carry;

  KOKKOS_INLINE_FUNCTION void operator()(int number) const {
    const LineSet::Block block = lines.block(number);
    for (int lane = 0; lane < block.lanes; ++lane) {
      int at[3] = {block.i, block.j, block.k};
      at[index(lines.across)] += lane;
      factor(block.line + lane, at);
    }
  }
  KOKKOS_INLINE_FUNCTION void factor(int number, const int* at) const {
    const std::int64_t up = to.links.stride(lines.along);
    Real* const inverse = &to.inverses(at[2], at[1], at[0]);
    Real* const link = &to.links(at[2], at[1], at[0]);
    Real* const border = matrix.wraps ? &to.borders(at[2], at[1], at[0]) : nullptr;
    LineElimination line;
    if (carry.in) {
      line.link = carry.in[carry.place(0, number)];
      line.border = carry.in[carry.place(1, number)];
      line.sum = carry.in[carry.place(2, number)];
    }
    double weight[2] = {matrix.weight[0], matrix.weight[1]};
    if (matrix.weights.data()) {
      const std::int64_t stride = matrix.weights.stride(lines.along);
      const Real* const first = &matrix.weights(at[2], at[1], at[0]);
      weight[0] = static_cast<double>(first[-stride]);
      weight[1] = static_cast<double>(first[lines.cells * stride]);
    }
    int zeros = 0;
    for (int n = 0; n < lines.cells; ++n) {
      const bool is_first = matrix.ends[0] && n == 0;
      const bool is_last = matrix.ends[1] && n == lines.cells - 1;
      double lower = matrix.beta, upper = matrix.beta, alpha = matrix.alpha;
      if (matrix.faces.data()) {
        const std::int64_t stride = matrix.faces.stride(lines.along);
        const Real* const face = &matrix.faces(at[2], at[1], at[0]) + n * stride;
        lower = static_cast<double>(face[0]);
        upper = static_cast<double>(face[stride]);
      }
      if (matrix.reaction.data())
        alpha = static_cast<double>(
            (&matrix.reaction(at[2], at[1], at[0]))[n * matrix.reaction.stride(lines.along)]);
      lower = matrix.link(lower);
      upper = matrix.link(upper);
      // The end's link takes up the ghost value of u = 0.
      link[n * up] = static_cast<Real>(is_first ? lower : line.link);
      if (!matrix.take(line, lower, upper, alpha, is_first, is_last, weight[0], weight[1])) ++zeros;
      inverse[n * up] = static_cast<Real>(line.inverse);
      if (border) border[n * up] = static_cast<Real>(line.part);
    }
    link[lines.cells * up] = static_cast<Real>(line.link);
    if (zeros > 0) Kokkos::atomic_add(bad, zeros);
    if (carry.out) {
      carry.out[carry.place(0, number)] = line.link;
      carry.out[carry.place(1, number)] = line.border;
      carry.out[carry.place(2, number)] = line.sum;
    }
  }
};

/// Solves: upwards, downwards, or a block in both directions while it is in the cache. Carries g
/// and, where ends follow each other, the sum over the border; then u and the last cell's u.
template <class Space, class Real, bool along_x, bool varies, bool cyclic>
struct SolveLines {
  static constexpr int values = cyclic ? 2 : 1;
  LineSet lines;
  FieldView<Space, Real> f, u;
  FieldView<Space, Real> walls;  ///< ghost values of u = 0, if its data are not null
  LineFactors<Space, Real> factors;
  bool at_upper_end;
  bool upwards, downwards;
  LineCarry carry;

  KOKKOS_INLINE_FUNCTION void operator()(int number) const {
    const LineSet::Block block = lines.block(number);
    constexpr int full = along_x ? detail::x_lanes<Space> : 0;
    if (full > 0 && block.lanes == full) {
      if (upwards) forward<full>(block);
      if (downwards) backward<full>(block);
    } else {
      if (upwards) forward<0>(block);
      if (downwards) backward<0>(block);
    }
  }

  // Numbers from line to line: a constant where it can be one.
  KOKKOS_INLINE_FUNCTION std::int64_t across(const FieldView<Space, Real>& view) const {
    return along_x ? view.stride(Axis::y) : 1;
  }
  // What comes in at one end of the lines: the neighbour's value, or the wall's.
  KOKKOS_INLINE_FUNCTION void enter(const LineSet::Block& block, int cell, int lanes,
                                    Real* last) const {
    for (int l = 0; l < lanes; ++l) last[l] = Real(0);
    if (carry.in) {
      for (int l = 0; l < lanes; ++l)
        last[l] = static_cast<Real>(carry.in[carry.place(0, block.line + l)]);
    } else if (!cyclic && walls.data()) {
      const Real* const ghost =
          &walls(block.k, block.j, block.i) + cell * walls.stride(lines.along);
      const std::int64_t step = across(walls);
      for (int l = 0; l < lanes; ++l) last[l] = ghost[l * step];
    }
  }
  KOKKOS_INLINE_FUNCTION void leave(const LineSet::Block& block, int value, int lanes,
                                    const Real* last) const {
    if (carry.out)
      for (int l = 0; l < lanes; ++l)
        carry.out[carry.place(value, block.line + l)] = static_cast<double>(last[l]);
  }

  // `fixed` of 0: as many lanes as the block has.
  template <int fixed>
  KOKKOS_FUNCTION XP_NOT_INLINED void forward(const LineSet::Block& block) const {
    constexpr int most = fixed > 0 ? fixed : detail::most_lanes<Space>;
    const int lanes = fixed > 0 ? fixed : block.lanes;
    Real last[most], sum[cyclic ? most : 1];
    enter(block, -1, lanes, last);
    if constexpr (cyclic)
      for (int l = 0; l < lanes; ++l)
        sum[l] = carry.in ? static_cast<Real>(carry.in[carry.place(1, block.line + l)]) : Real(0);
    const Real* from = &f(block.k, block.j, block.i);
    Real* to = &u(block.k, block.j, block.i);
    const std::int64_t from_step = across(f), to_step = across(u);
    const std::int64_t from_up = f.stride(lines.along), to_up = u.stride(lines.along);
    const Real* links = nullptr;
    [[maybe_unused]] const Real* inverses = nullptr;
    const Real* borders = nullptr;
    std::int64_t step = 0, up = 0;
    if constexpr (varies) {
      links = &factors.links(block.k, block.j, block.i);
      inverses = &factors.inverses(block.k, block.j, block.i);
      if constexpr (cyclic) borders = &factors.borders(block.k, block.j, block.i);
      step = across(factors.links);
      up = factors.links.stride(lines.along);
    }
    // Rows of the next block: of short ones, some in a page, a processor does not see them coming.
    const bool ahead = fixed > 1 && lines.cells <= 1024;
    for (int n = 0; n < lines.cells; ++n) {
      const Real link = varies ? Real(0) : factors.link[n];
      const Real border = varies || !cyclic ? Real(0) : factors.border[n];
      if (ahead && n % detail::cache_line<Real> == 0)
        for (int l = 0; l < lanes; ++l) {
          detail::prefetch(from + (fixed + l) * from_step);
          if constexpr (varies) {
            detail::prefetch(links + (fixed + l) * step);
            detail::prefetch(inverses + (fixed + l) * step);
            if constexpr (cyclic) detail::prefetch(borders + (fixed + l) * step);
          }
        }
      XP_VECTORISE
      for (int l = 0; l < lanes; ++l) {
        const Real value = from[l * from_step] - (varies ? links[l * step] : link) * last[l];
        to[l * to_step] = value;
        last[l] = value;
        if constexpr (cyclic) sum[l] += (varies ? borders[l * step] : border) * value;
      }
      from += from_up;
      to += to_up;
      if constexpr (varies) {
        links += up;
        inverses += up;
        if constexpr (cyclic) borders += up;
      }
    }
    if constexpr (cyclic)
      if (at_upper_end)
        for (int l = 0; l < lanes; ++l) to[l * to_step - to_up] -= sum[l];
    if (downwards) return;
    leave(block, 0, lanes, last);
    if constexpr (cyclic) leave(block, 1, lanes, sum);
  }

  template <int fixed>
  KOKKOS_FUNCTION XP_NOT_INLINED void backward(const LineSet::Block& block) const {
    constexpr int most = fixed > 0 ? fixed : detail::most_lanes<Space>;
    const int lanes = fixed > 0 ? fixed : block.lanes;
    Real last[most], end[cyclic ? most : 1];
    enter(block, lines.cells, lanes, last);
    if constexpr (cyclic)
      for (int l = 0; l < lanes; ++l)
        end[l] = carry.in ? static_cast<Real>(carry.in[carry.place(1, block.line + l)]) : Real(0);
    const std::int64_t to_step = across(u), to_up = u.stride(lines.along);
    Real* to = &u(block.k, block.j, block.i) + lines.cells * to_up;
    const Real* inverses = nullptr;
    const Real* links = nullptr;
    const Real* borders = nullptr;
    std::int64_t step = 0, up = 0;
    if constexpr (varies) {
      step = across(factors.links);
      up = factors.links.stride(lines.along);
      links = &factors.links(block.k, block.j, block.i) + (lines.cells + 1) * up;
      inverses = &factors.inverses(block.k, block.j, block.i) + lines.cells * up;
      if constexpr (cyclic)
        borders = &factors.borders(block.k, block.j, block.i) + lines.cells * up;
    }
    for (int n = lines.cells - 1; n >= 0; --n) {
      to -= to_up;
      if constexpr (varies) {
        links -= up;
        inverses -= up;
        if constexpr (cyclic) borders -= up;
      }
      const Real link = varies ? Real(0) : factors.link[n + 1];
      const Real inverse = varies ? Real(0) : factors.inverse[n];
      const Real border = varies || !cyclic ? Real(0) : factors.border[n];
      XP_VECTORISE
      for (int l = 0; l < lanes; ++l) {
        Real value = (varies ? inverses[l * step] : inverse) * to[l * to_step] -
                     (varies ? links[l * step] : link) * last[l];
        if constexpr (cyclic) value -= (varies ? borders[l * step] : border) * end[l];
        to[l * to_step] = value;
        last[l] = value;
      }
      // Until here it was 0.
      if constexpr (cyclic)
        if (at_upper_end && n == lines.cells - 1)
          for (int l = 0; l < lanes; ++l) end[l] = last[l];
    }
    leave(block, 0, lanes, last);
    if constexpr (cyclic) leave(block, 1, lanes, end);
  }
};

/// Calls `f(block)` for blocks [first, last), which hold so many cells: shared by threads on a CPU,
/// a line for each thread on a GPU.
template <class Space, class F>
void for_each_block(const Space& space, const char* kernel, int first, int last, std::int64_t cells,
                    const F& f) {
  if (is_host_space<Space> && (cells <= smallest_parallel_loop || thread_count<Space>() == 1)) {
    for (int block = first; block < last; ++block) f(block);
    return;
  }
  Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Space>(space, first, last), f);
}

}  // namespace xp
