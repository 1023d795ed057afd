// What programs with stencils read: the values around a cell.
//
// Formulas of derivatives are those of stencil.hpp. docs/numerics.md has them all.
#pragma once

#include <xp/field/evaluate.hpp>
#include <xp/mesh/boundary.hpp>

namespace xp {

namespace detail {

// Differences along a line of cells, from a pointer to the cell and the distance of its neighbours.
// All arithmetic is double.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION double at(const Real* u, std::int64_t offset) {
  return static_cast<double>(u[offset]);
}

template <int order, class Real>
KOKKOS_FORCEINLINE_FUNCTION double first_along(const Real* u, std::int64_t s) {
  const double near = at(u, s) - at(u, -s);
  if constexpr (order == 2) {
    return 0.5 * near;
  } else {
    const double far = at(u, 2 * s) - at(u, -2 * s);
    return (2. / 3) * near - (1. / 12) * far;
  }
}

template <int order, class Real>
KOKKOS_FORCEINLINE_FUNCTION double second_along(const Real* u, std::int64_t s) {
  const double near = at(u, s) + at(u, -s), centre = at(u, 0);
  if constexpr (order == 2) {
    return near - 2 * centre;
  } else {
    const double far = at(u, 2 * s) + at(u, -2 * s);
    return (4. / 3) * near - 2.5 * centre - (1. / 12) * far;
  }
}

// d/dx (c du/dx): fluxes at faces with the mean of c on both sides; fourth order: the narrow
// self-adjoint stencil of Mattsson 2012, eq. (14), written in differences from the centre.
template <int order, class Real>
KOKKOS_FORCEINLINE_FUNCTION double diffusion_along(const Real* c, const Real* u, std::int64_t s) {
  const double c0 = at(c, 0), cp = at(c, s), cm = at(c, -s);
  const double u0 = at(u, 0);
  const double up = at(u, s) - u0, um = at(u, -s) - u0;
  if constexpr (order == 2) {
    return 0.5 * (c0 + cp) * up + 0.5 * (cm + c0) * um;
  } else {
    const double cpp = at(c, 2 * s), cmm = at(c, -2 * s);
    const double near_up = (1. / 6) * (cm + cpp) + 0.5 * (c0 + cp);
    const double near_down = (1. / 6) * (cmm + cp) + 0.5 * (cm + c0);
    const double far_up = (1. / 6) * cp - 0.125 * (c0 + cpp);
    const double far_down = (1. / 6) * cm - 0.125 * (cmm + c0);
    return (near_up * up + near_down * um) +
           (far_up * (at(u, 2 * s) - u0) + far_down * (at(u, -2 * s) - u0));
  }
}

// The value at the face between the cells 0 and s, seen from cell 0.
template <Advection scheme, class Real>
KOKKOS_FORCEINLINE_FUNCTION double face_from(const Real* q, std::int64_t s) {
  const double c = at(q, 0);
  if constexpr (scheme == Advection::central2) {
    return 0.5 * (c + at(q, s));
  } else if constexpr (scheme == Advection::upwind1) {
    return c;
  } else if constexpr (scheme == Advection::vanleer) {
    const double a = c - at(q, -s), b = at(q, s) - c;
    const double product = a * b, sum = a + b;
    // Half of the harmonic mean of the slopes; none at an extremum.
    return product > 0 ? c + product / sum : c;
  } else {
    // Weights of Borges et al. 2008 (WENO-Z), parabolas and smoothness of Jiang and Shu 1996.
    const double a = at(q, -2 * s), b = at(q, -s), d = at(q, s), e = at(q, 2 * s);
    const double p0 = (2 * a - 7 * b + 11 * c) / 6, p1 = (-b + 5 * c + 2 * d) / 6,
                 p2 = (2 * c + 5 * d - e) / 6;
    const double x0 = a - 2 * b + c, y0 = a - 4 * b + 3 * c;
    const double x1 = b - 2 * c + d, y1 = b - d;
    const double x2 = c - 2 * d + e, y2 = 3 * c - 4 * d + e;
    const double s0 = (13. / 12) * (x0 * x0) + 0.25 * (y0 * y0);
    const double s1 = (13. / 12) * (x1 * x1) + 0.25 * (y1 * y1);
    const double s2 = (13. / 12) * (x2 * x2) + 0.25 * (y2 * y2);
    const double difference = s0 - s2, tau = difference < 0 ? -difference : difference;
    constexpr double least = 1e-40;
    const double r0 = tau / (s0 + least), r1 = tau / (s1 + least), r2 = tau / (s2 + least);
    const double w0 = 0.1 * (1 + r0 * r0), w1 = 0.6 * (1 + r1 * r1), w2 = 0.3 * (1 + r2 * r2);
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
  }
}

template <Advection scheme, class Real>
KOKKOS_FORCEINLINE_FUNCTION double face_flux(double velocity, const Real* q, std::int64_t s) {
  // The cell at s sees the face from the other side.
  const double low = face_from<scheme>(q, s);
  if constexpr (scheme == Advection::central2) {
    return velocity * low;
  } else {
    const double high = face_from<scheme>(q + s, -s);
    return velocity * (velocity >= 0 ? low : high);
  }
}

// Stencils as functions of the lane.
template <int order, class Real>
struct FirstStencil {
  const Real* u;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    return inverse * first_along<order>(u + lane, s);
  }
};
template <int order, class Real>
struct SecondStencil {
  const Real* u;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    return inverse * second_along<order>(u + lane, s);
  }
};
template <int order, class Real>
struct MixedStencil {
  const Real* u;
  std::int64_t s, t;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    const Real* const c = u + lane;
    const double near = first_along<order>(c + s, t) - first_along<order>(c - s, t);
    if constexpr (order == 2) {
      return inverse * (0.5 * near);
    } else {
      const double far = first_along<order>(c + 2 * s, t) - first_along<order>(c - 2 * s, t);
      return inverse * ((2. / 3) * near - (1. / 12) * far);
    }
  }
};
// The Laplacian, or `factor` times it.
template <int order, int dimensions, bool scaled, class Real>
struct LaplacianStencil {
  const Real* u;
  std::int64_t s[3];
  double inverse[3];
  double factor;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    double sum = inverse[0] * second_along<order>(u + lane, s[0]);
    if constexpr (dimensions > 1) sum += inverse[1] * second_along<order>(u + lane, s[1]);
    if constexpr (dimensions > 2) sum += inverse[2] * second_along<order>(u + lane, s[2]);
    return scaled ? factor * sum : sum;
  }
};
template <int order, class Real>
struct DiffusionStencil {
  const Real *c, *u;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    return inverse * diffusion_along<order>(c + lane, u + lane, s);
  }
};
template <Advection scheme, class Real>
struct FluxStencil {
  const Real *v, *q;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    const Real *const w = v + lane, *const p = q + lane;
    const double high = face_flux<scheme>(0.5 * (at(w, 0) + at(w, s)), p, s);
    const double low = face_flux<scheme>(0.5 * (at(w, -s) + at(w, 0)), p - s, s);
    return inverse * (high - low);
  }
};
template <Advection scheme, class Real>
struct ConstantFluxStencil {
  double v;
  const Real* q;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    const Real* const p = q + lane;
    return inverse * (face_flux<scheme>(v, p, s) - face_flux<scheme>(v, p - s, s));
  }
};
template <Advection scheme, class Real>
struct UpwindStencil {
  const double* v;
  const Real* q;
  std::int64_t s;
  double inverse;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const {
    const Real* const p = q + lane;
    const double velocity = v[lane];
    if constexpr (scheme == Advection::central2) {
      return velocity * (inverse * first_along<2>(p, s));
    } else {
      const double forward = face_from<scheme>(p, s) - face_from<scheme>(p - s, s);
      const double backward = face_from<scheme>(p + s, -s) - face_from<scheme>(p, -s);
      return velocity * (inverse * (velocity >= 0 ? forward : backward));
    }
  }
};

}  // namespace detail

/// CellInputs, and how derivatives are taken.
template <class Space, class Real>
struct StencilInputs : CellInputs<Space, Real> {
  Order order = Order::second;
  Advection advection = Advection::upwind1;
  int dimensions = 1;
  double inverse[3] = {1, 1, 1};         ///< of the spacings
  double inverse_square[3] = {1, 1, 1};  ///< of the spacings' squares

  /// The inputs of one piece of a row, in the form that DeviceProgram::run takes.
  struct Row : CellInputs<Space, Real>::Row {
    const StencilInputs& all;

    KOKKOS_INLINE_FUNCTION Row(const StencilInputs& of, int layer, int row, int start)
        : CellInputs<Space, Real>::Row{of, layer, row, start}, all(of) {}

    /// One cell's value, where `a` is the operand that is read at the cell, if there is one.
    KOKKOS_INLINE_FUNCTION double stencil_at(const Instruction& instruction, double a) const {
      double result = 0;
      with_stencil(instruction, &a, [&](const auto& value) { result = value(0); });
      return result;
    }

    /// The same for many lanes, the rest of a fused instruction included.
    KOKKOS_INLINE_FUNCTION void stencil(const Instruction& instruction, int lanes, double* out,
                                        const double* a, const double* c) const {
      if (Stencil::unpacked(instruction.slot).kind == StencilKind::laplacian) {
        const auto use = [&](const auto& value) { finish(instruction, lanes, out, value, c); };
        return instruction.b.kind == Operand::Kind::number
                   ? with_laplacian<true>(instruction, use)
                   : with_laplacian<false>(instruction, use);
      }
      with_stencil(instruction, a, [&](const auto& value) { write(lanes, out, value); });
    }

   private:
    KOKKOS_INLINE_FUNCTION const Real* pointer(int array) const {
      return &all.arrays[array](this->k, this->j, this->first);
    }

    // Values come by reference and are copied here: on their way through the stack they would be
    // read in larger pieces than they were written, which a CPU waits for.
    template <class Value>
    XP_NOT_INLINED KOKKOS_INLINE_FUNCTION static void write(int lanes, double* out,
                                                            const Value& given) {
      const Value value = given;
      XP_VECTORISE
      for (int lane = 0; lane < lanes; ++lane) out[lane] = value(lane);
    }
    template <class Value>
    XP_NOT_INLINED KOKKOS_INLINE_FUNCTION static void finish(const Instruction& instruction,
                                                             int lanes, double* out,
                                                             const Value& given, const double* c) {
      const Value term = given;
      if (instruction.then == Op::constant) {
        XP_VECTORISE
        for (int lane = 0; lane < lanes; ++lane) out[lane] = term(lane);
      } else if (instruction.then == Op::add) {
        XP_VECTORISE
        for (int lane = 0; lane < lanes; ++lane) out[lane] = term(lane) + c[lane];
      } else if (instruction.swapped) {
        XP_VECTORISE
        for (int lane = 0; lane < lanes; ++lane) out[lane] = c[lane] - term(lane);
      } else {
        XP_VECTORISE
        for (int lane = 0; lane < lanes; ++lane) out[lane] = term(lane) - c[lane];
      }
    }

    template <bool scaled, class Use>
    KOKKOS_INLINE_FUNCTION void with_laplacian(const Instruction& instruction,
                                               const Use& use) const {
      if (all.order == Order::second)
        with_laplacian_of<2, scaled>(instruction, use);
      else
        with_laplacian_of<4, scaled>(instruction, use);
    }
    template <int order, bool scaled, class Use>
    KOKKOS_INLINE_FUNCTION void with_laplacian_of(const Instruction& instruction,
                                                  const Use& use) const {
      if (all.dimensions == 1)
        use(laplacian<order, 1, scaled>(instruction));
      else if (all.dimensions == 2)
        use(laplacian<order, 2, scaled>(instruction));
      else
        use(laplacian<order, 3, scaled>(instruction));
    }
    template <int order, int dimensions, bool scaled>
    KOKKOS_INLINE_FUNCTION auto laplacian(const Instruction& instruction) const {
      detail::LaplacianStencil<order, dimensions, scaled, Real> result{};
      result.u = pointer(instruction.a.index);
      for (int axis = 0; axis < dimensions; ++axis) {
        result.s[axis] = all.arrays[instruction.a.index].stride(static_cast<Axis>(axis));
        result.inverse[axis] = all.inverse_square[axis];
      }
      if constexpr (scaled) result.factor = instruction.number[instruction.b.index];
      return result;
    }

    template <class Use>
    KOKKOS_INLINE_FUNCTION void with_stencil(const Instruction& instruction, const double* a,
                                             const Use& use) const {
      const Stencil stencil = Stencil::unpacked(instruction.slot);
      if (stencil.kind == StencilKind::laplacian) return with_laplacian<false>(instruction, use);
      if (stencil.kind == StencilKind::flux || stencil.kind == StencilKind::upwind) {
        switch (all.advection) {
          case Advection::central2:
            return with_advection<Advection::central2>(instruction, stencil, a, use);
          case Advection::upwind1:
            return with_advection<Advection::upwind1>(instruction, stencil, a, use);
          case Advection::vanleer:
            return with_advection<Advection::vanleer>(instruction, stencil, a, use);
          case Advection::weno5:
            return with_advection<Advection::weno5>(instruction, stencil, a, use);
        }
      }
      if (all.order == Order::second)
        with_difference<2>(instruction, stencil, use);
      else
        with_difference<4>(instruction, stencil, use);
    }

    template <int order, class Use>
    KOKKOS_INLINE_FUNCTION void with_difference(const Instruction& instruction,
                                                const Stencil& stencil, const Use& use) const {
      const auto& u = all.arrays[instruction.a.index];
      const Real* const here = pointer(instruction.a.index);
      const std::int64_t s = u.stride(static_cast<Axis>(stencil.axis));
      const double one = all.inverse[stencil.axis], two = all.inverse_square[stencil.axis];
      if (stencil.kind == StencilKind::first)
        use(detail::FirstStencil<order, Real>{here, s, one});
      else if (stencil.kind == StencilKind::second)
        use(detail::SecondStencil<order, Real>{here, s, two});
      else if (stencil.kind == StencilKind::mixed)
        use(detail::MixedStencil<order, Real>{here, s, u.stride(static_cast<Axis>(stencil.other)),
                                              one * all.inverse[stencil.other]});
      else
        use(detail::DiffusionStencil<order, Real>{here, pointer(instruction.b.index), s, two});
    }

    template <Advection scheme, class Use>
    KOKKOS_INLINE_FUNCTION void with_advection(const Instruction& instruction,
                                               const Stencil& stencil, const double* a,
                                               const Use& use) const {
      const auto& q = all.arrays[instruction.b.index];
      const Real* const here = pointer(instruction.b.index);
      const std::int64_t s = q.stride(static_cast<Axis>(stencil.axis));
      const double one = all.inverse[stencil.axis];
      if (stencil.kind == StencilKind::upwind)
        use(detail::UpwindStencil<scheme, Real>{a, here, s, one});
      else if (instruction.a.kind == Operand::Kind::number)
        use(detail::ConstantFluxStencil<scheme, Real>{instruction.number[instruction.a.index], here,
                                                      s, one});
      else
        use(detail::FluxStencil<scheme, Real>{pointer(instruction.a.index), here, s, one});
    }
  };
};

}  // namespace xp
