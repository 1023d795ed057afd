// PETSc's conjugate gradients with geometric multigrid as a contender of
// bench/side_by_side/poisson; poisson_problem.hpp has the protocol.
//
//   xp_bench_poisson_petsc CELLS constant|variable [PETSc's options]
//
// Levels are cell-centred DMDAs with the operator of the grid that they are. Corrections are the
// same for all eight children, and residuals are summed over them, which is the transpose. Linear
// interpolation took no iteration less, and Galerkin's coarse operators ten times the set-up.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <petscdmda.h>
#include <petscksp.h>

#include <side_by_side/poisson_problem.hpp>

namespace {

// The best that were found: one symmetric sweep of Gauss-Seidel with over-relaxation.
const char* const default_options =
    "-ksp_type cg -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type sor "
    "-mg_levels_pc_sor_omega 1.2";

void require(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc reports error " + std::to_string(code));
}

class Petsc final : public poisson::Contender {
 public:
  Petsc(const poisson::Problem& problem, const poisson::Slab& slab)
      : problem_(problem), slab_(slab) {
    grid_ = grid_of(problem.cells());
    require(DMCreateMatrix(grid_, &matrix_));
    fill(matrix_, problem);
    require(DMCreateGlobalVector(grid_, &u_));
    require(VecDuplicate(u_, &f_));
  }
  ~Petsc() override {
    KSPDestroy(&solver_);
    VecDestroy(&u_);
    VecDestroy(&f_);
    MatDestroy(&matrix_);
    DMDestroy(&grid_);
  }

  void set_up() override {
    require(KSPDestroy(&solver_));
    std::vector<DM> grids{grid_};  // the finest first
    for (int n = problem_.cells(); n % (4 * slab_.ranks) == 0;) grids.push_back(grid_of(n /= 2));
    const auto levels = static_cast<PetscInt>(grids.size());

    require(KSPCreate(MPI_COMM_WORLD, &solver_));
    require(KSPSetOperators(solver_, matrix_, matrix_));
    require(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
    require(KSPSetTolerances(solver_, poisson::tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PC multigrid;
    require(KSPGetPC(solver_, &multigrid));
    require(PCSetType(multigrid, PCMG));
    require(PCMGSetLevels(multigrid, levels, nullptr));
    for (PetscInt n = 0; n < levels; ++n) {
      // PETSc counts levels from the coarsest.
      DM grid = grids[static_cast<std::size_t>(levels - 1 - n)];
      KSP smoother;
      require(PCMGGetSmoother(multigrid, n, &smoother));
      if (n == levels - 1) {
        require(KSPSetOperators(smoother, matrix_, matrix_));
      } else {
        Mat coarse;
        require(DMCreateMatrix(grid, &coarse));
        fill(coarse, poisson::Problem(cells_of(grid), problem_.variable()));
        require(KSPSetOperators(smoother, coarse, coarse));
        require(MatDestroy(&coarse));
      }
      if (n == 0) continue;
      DM next = grids[static_cast<std::size_t>(levels - n)];
      Mat interpolation;
      require(DMCreateInterpolation(next, grid, &interpolation, nullptr));
      require(PCMGSetInterpolation(multigrid, n, interpolation));
      require(MatDestroy(&interpolation));
    }
    require(KSPSetFromOptions(solver_));
    require(KSPSetUp(solver_));
    require(KSPSetUpOnBlocks(solver_));
    for (std::size_t n = 1; n < grids.size(); ++n) require(DMDestroy(&grids[n]));
  }
  void set_right_side(bool smooth) override {
    const double h2 = 1.0 / (static_cast<double>(problem_.cells()) * problem_.cells());
    PetscScalar* values;
    require(VecGetArray(f_, &values));
    PetscScalar* value = values;
    for (int k = slab_.first; k < slab_.last; ++k)
      for (int j = 0; j < problem_.cells(); ++j)
        for (int i = 0; i < problem_.cells(); ++i) *value++ = h2 * problem_.f(smooth, k, j, i);
    require(VecRestoreArray(f_, &values));
    require(VecSet(u_, 0));
  }
  int solve() override {
    require(KSPSolve(solver_, f_, u_));
    KSPConvergedReason reason;
    require(KSPGetConvergedReason(solver_, &reason));
    if (reason < 0)
      throw std::runtime_error("PETSc did not converge: reason " + std::to_string(reason));
    PetscInt iterations;
    require(KSPGetIterationNumber(solver_, &iterations));
    return static_cast<int>(iterations);
  }
  void copy_solution(double* u) override {
    const PetscScalar* values;
    PetscInt count;
    require(VecGetLocalSize(u_, &count));
    require(VecGetArrayRead(u_, &values));
    std::copy(values, values + count, u);
    require(VecRestoreArrayRead(u_, &values));
  }
  std::string info() override {
    char version[256];
    require(PetscGetVersion(version, sizeof version));
    char* options;
    require(PetscOptionsGetAll(nullptr, &options));
    const std::string text =
        std::string("{\"petsc\": \"") + version + "\", \"petsc options\": \"" + options + "\"}";
    require(PetscFree(options));
    return text;
  }

 private:
  DM grid_of(int n) const {
    DM grid;
    require(DMDACreate3d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, n, n, n, 1, 1, slab_.ranks, 1, 1, nullptr, nullptr,
                         nullptr, &grid));
    require(DMDASetInterpolationType(grid, DMDA_Q0));
    require(DMSetUp(grid));
    return grid;
  }
  static int cells_of(DM grid) {
    PetscInt n;
    require(DMDAGetInfo(grid, nullptr, &n, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr, nullptr, nullptr));
    return static_cast<int>(n);
  }

  // In finite volumes a face weighs as much as it is wide: h, of which the finest grid's is 1.
  void fill(Mat matrix, const poisson::Problem& problem) const {
    const int n = problem.cells();
    const double width = static_cast<double>(problem_.cells()) / n;
    const poisson::Slab slab(n);
    for (int k = slab.first; k < slab.last; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          const poisson::Problem::Cell cell = problem.at(k, j, i);
          MatStencil row{k, j, i, 0}, columns[7] = {row};
          PetscScalar values[7] = {width * cell.diagonal};
          PetscInt count = 1;
          const int place[3] = {i, j, k};
          for (int a = 0; a < 3; ++a)
            for (int upper = 0; upper < 2; ++upper) {
              if (problem.is_wall(place[a], upper)) continue;
              columns[count] = row;
              (a == 0   ? columns[count].i
               : a == 1 ? columns[count].j
                        : columns[count].k) += upper ? 1 : -1;
              values[count++] = -width * cell.faces[2 * a + upper];
            }
          require(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
        }
    require(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    require(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }

  const poisson::Problem& problem_;
  poisson::Slab slab_;
  DM grid_ = nullptr;
  Mat matrix_ = nullptr;
  Vec u_ = nullptr, f_ = nullptr;
  KSP solver_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: xp_bench_poisson_petsc CELLS constant|variable [OPTIONS]\n", stderr);
    return 2;
  }
  return poisson::main_of("xp_bench_poisson_petsc", [&] {
    require(PetscInitializeNoArguments());
    require(PetscOptionsInsertString(nullptr, default_options));
    require(PetscOptionsInsert(nullptr, &argc, &argv, nullptr));
    {
      const double at_start = poisson::memory("VmRSS");
      const poisson::Problem problem(std::stoi(argv[1]), argv[2] == std::string("variable"));
      const poisson::Slab slab(problem.cells());
      Petsc contender(problem, slab);
      poisson::serve(problem, slab, contender, at_start);
    }
    require(PetscFinalize());
  });
}
