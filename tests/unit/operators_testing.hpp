// What the tests of fields and operators share: the spaces of the build, fields filled from
// functions.
#pragma once

#include <gtest/gtest.h>

#include <xp/field/field.hpp>
#include <xp/field/ghosts.hpp>

namespace xp_test {

template <class S, class R>
struct Kind {
  using Space = S;
  using Real = R;
};

// Every space of the build with both precisions, and with double alone.
using AllKinds = testing::Types<Kind<Kokkos::Serial, double>, Kind<Kokkos::Serial, float>
#ifdef KOKKOS_ENABLE_OPENMP
                                ,
                                Kind<Kokkos::OpenMP, double>, Kind<Kokkos::OpenMP, float>
#endif
#ifdef KOKKOS_ENABLE_CUDA
                                ,
                                Kind<Kokkos::Cuda, double>, Kind<Kokkos::Cuda, float>
#endif
                                >;
using DoubleKinds = testing::Types<Kind<Kokkos::Serial, double>
#ifdef KOKKOS_ENABLE_OPENMP
                                   ,
                                   Kind<Kokkos::OpenMP, double>
#endif
#ifdef KOKKOS_ENABLE_CUDA
                                   ,
                                   Kind<Kokkos::Cuda, double>
#endif
                                   >;

template <class Space, class Real>
xp::Field<Space, Real> make_field(const xp::Grid& grid, const char* name, int components = 1,
                                  bool ghosted = true) {
  xp::FieldInfo info;
  info.name = name;
  info.components = components;
  info.ghosted = ghosted;
  return xp::Field<Space, Real>(grid, info);
}

// Calls f(component, k, j, i, x) for the cells of a region, with the field's own indices and the
// centre x[3] of the cell.
template <class Space, class Real, class F>
void visit(const xp::Field<Space, Real>& field, const xp::Grid& grid, xp::Region region,
           const F& f) {
  const xp::Box box = grid.cells(region);
  int shift[3];
  for (const xp::Axis axis : xp::all_axes)
    shift[xp::index(axis)] = field.info().ghosted ? 0 : grid.ghosts(axis);
  const xp::Geometry& g = grid.geometry();
  for (int c = 0; c < field.info().components; ++c)
    for (int k = box.lower[2]; k < box.upper[2]; ++k)
      for (int j = box.lower[1]; j < box.upper[1]; ++j)
        for (int i = box.lower[0]; i < box.upper[0]; ++i) {
          const double x[3] = {g.center(0, i), g.center(1, j), g.center(2, k)};
          f(c, k - shift[2], j - shift[1], i - shift[0], x);
        }
}

// Sets a field to f(component, x) on the cells of a region.
template <class Space, class Real, class F>
void set(const xp::Field<Space, Real>& field, const xp::Grid& grid, xp::Region region, const F& f) {
  const auto host = xp::host_mirror(field);
  visit(field, grid, region, [&](int c, int k, int j, int i, const double* x) {
    host(c, k, j, i) = static_cast<Real>(f(c, x));
  });
  xp::to_device(host, field);
}

// Fills the ghost cells of all components from the other ends.
template <class Space, class Real>
void fill_periodic(const xp::Grid& grid, xp::Order order, const xp::Field<Space, Real>& field) {
  const Space space;
  xp::GhostFiller<Space, Real> filler(grid, xp::BoundaryConditions(), order);
  for (int c = 0; c < field.info().components; ++c) filler.fill(space, field.view(c), 0);
  space.fence();
}

}  // namespace xp_test
