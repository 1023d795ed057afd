// One stage of a time scheme fused into the model's kernel: du/dt is evaluated cell by cell and
// combined with other slots at once, so that a stage reads and writes each array once.
#pragma once

#include <xp/field/field.hpp>
#include <xp/runtime/loop.hpp>

namespace xp {

inline constexpr int max_stage_terms = 9;
inline constexpr int max_stage_outputs = 4;

/// A StageOutput with its arrays: target = sum of coefficient*source + rate * du/dt.
template <class Space, class Real>
struct StageTarget {
  FieldView<Space, Real> target;
  Real rate = 0;  ///< step included
  int terms = 0;
  FieldView<Space, Real> source[max_stage_terms];
  Real coefficient[max_stage_terms] = {};

  void add(const FieldView<Space, Real>& array, double factor) {
    source[terms] = array;
    coefficient[terms++] = static_cast<Real>(factor);
  }
};

namespace detail {

// The targets of a stage by value, as a kernel captures them.
template <class Space, class Real>
struct StageTargets {
  StageTarget<Space, Real> list[max_stage_outputs];
};

}  // namespace detail

/// Writes `count` targets over the box from `rate(k, j, i)`. Sums are made from left to right with
/// the rate last, in every form alike, so that all forms and backends agree bit for bit.
template <class Space, class Real, class Rate>
void apply_stage(const Space& space, const char* kernel, const Box& box, const Rate& rate,
                 const StageTarget<Space, Real>* targets, int count) {
  // The common forms (Euler and SSP schemes) in one pass.
  if (count == 1 && targets[0].terms == 1) {
    const auto target = targets[0].target, a = targets[0].source[0];
    const Real ca = targets[0].coefficient[0], cr = targets[0].rate;
    for_each(
        space, kernel, box, KOKKOS_LAMBDA(int k, int j, int i) {
          target(k, j, i) = ca * a(k, j, i) + cr * rate(k, j, i);
        });
    return;
  }
  if (count == 1 && targets[0].terms == 2) {
    const auto target = targets[0].target, a = targets[0].source[0], b = targets[0].source[1];
    const Real ca = targets[0].coefficient[0], cb = targets[0].coefficient[1], cr = targets[0].rate;
    for_each(
        space, kernel, box, KOKKOS_LAMBDA(int k, int j, int i) {
          target(k, j, i) = ca * a(k, j, i) + cb * b(k, j, i) + cr * rate(k, j, i);
        });
    return;
  }
  // Any other: the rate of a chunk of a row stays in the first-level cache while the sums are made.
  detail::StageTargets<Space, Real> all;
  for (int n = 0; n < count; ++n) all.list[n] = targets[n];
  for_each_row(
      space, kernel, box, KOKKOS_LAMBDA(int k, int j, int first, int last) {
        constexpr int width = is_host_space<Space> ? 256 : 1;
        Real rates[width], sums[width];
        for (int chunk = first; chunk < last; chunk += width) {
          const int lanes = last - chunk < width ? last - chunk : width;
          XP_VECTORISE
          for (int l = 0; l < lanes; ++l) rates[l] = rate(k, j, chunk + l);
          for (int n = 0; n < count; ++n) {
            const StageTarget<Space, Real>& t = all.list[n];
            const Real cr = t.rate;
            if (t.terms == 0) {
              Real* out = &t.target(k, j, chunk);
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l) out[l] = cr * rates[l];
              continue;
            }
            const Real* start = &t.source[0](k, j, chunk);
            const Real c0 = t.coefficient[0];
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l) sums[l] = c0 * start[l];
            for (int m = 1; m < t.terms; ++m) {
              const Real* source = &t.source[m](k, j, chunk);
              const Real c = t.coefficient[m];
              XP_VECTORISE
              for (int l = 0; l < lanes; ++l) sums[l] = sums[l] + c * source[l];
            }
            Real* out = &t.target(k, j, chunk);
            XP_VECTORISE
            for (int l = 0; l < lanes; ++l) out[l] = sums[l] + cr * rates[l];
          }
        }
      });
}

}  // namespace xp
