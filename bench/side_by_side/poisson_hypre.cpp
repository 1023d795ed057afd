// hypre's structured multigrid as a contender of bench/side_by_side/poisson; poisson_problem.hpp
// has the protocol.
//
//   xp_bench_poisson_hypre pfmg|pcg CELLS constant|variable [NAME=NUMBER...]
//
// Settings by hypre's names: relax_type, sweeps (before and after), skip_relax, rap_type, and
// constant_storage (coefficients of neighbours kept once instead of by cells). The defaults are the
// best that were found.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <HYPRE.h>
#include <HYPRE_config.h>
#include <HYPRE_krylov.h>
#include <HYPRE_struct_ls.h>

#include <side_by_side/poisson_problem.hpp>

namespace {

using Settings = std::map<std::string, int>;

class Hypre final : public poisson::Contender {
 public:
  Hypre(const poisson::Problem& problem, const poisson::Slab& slab, bool krylov,
        const Settings& settings)
      : problem_(problem), slab_(slab), krylov_(krylov), settings_(settings) {
    const int n = problem.cells();
    HYPRE_Int lower[3] = {0, 0, slab.first}, upper[3] = {n - 1, n - 1, slab.last - 1};
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
    HYPRE_StructGridSetExtents(grid_, lower, upper);
    HYPRE_StructGridAssemble(grid_);
    // The cell itself, and the lower half of its neighbours: the matrix is symmetric.
    HYPRE_Int offsets[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    HYPRE_StructStencilCreate(3, 4, &stencil_);
    for (HYPRE_Int n_entry = 0; n_entry < 4; ++n_entry)
      HYPRE_StructStencilSetElement(stencil_, n_entry, offsets[n_entry]);
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &matrix_);
    HYPRE_StructMatrixSetSymmetric(matrix_, 1);
    HYPRE_Int entries[4] = {0, 1, 2, 3};
    const bool once = settings.at("constant_storage") != 0;
    if (once) HYPRE_StructMatrixSetConstantEntries(matrix_, 3, entries + 1);
    HYPRE_StructMatrixInitialize(matrix_);
    if (once) {
      double values[3] = {-1, -1, -1};
      HYPRE_StructMatrixSetConstantValues(matrix_, 3, entries + 1, values);
    }
    std::vector<double> values;
    for (int k = slab.first; k < slab.last; ++k)
      for (int j = 0; j < n; ++j) {
        values.clear();
        for (int i = 0; i < n; ++i) {
          const poisson::Problem::Cell cell = problem.at(k, j, i);
          values.push_back(cell.diagonal);
          if (once) continue;
          const int place[3] = {i, j, k};
          for (int a = 0; a < 3; ++a)
            values.push_back(problem.is_wall(place[a], 0) ? 0 : -cell.faces[2 * a]);
        }
        HYPRE_Int first[3] = {0, j, k}, last[3] = {n - 1, j, k};
        HYPRE_StructMatrixSetBoxValues(matrix_, first, last, once ? 1 : 4, entries, values.data());
      }
    HYPRE_StructMatrixAssemble(matrix_);
    for (HYPRE_StructVector* vector : {&u_, &f_}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, vector);
      HYPRE_StructVectorInitialize(*vector);
      HYPRE_StructVectorSetConstantValues(*vector, 0);
      HYPRE_StructVectorAssemble(*vector);
    }
    check();
  }
  ~Hypre() override {
    destroy();
    HYPRE_StructVectorDestroy(u_);
    HYPRE_StructVectorDestroy(f_);
    HYPRE_StructMatrixDestroy(matrix_);
    HYPRE_StructStencilDestroy(stencil_);
    HYPRE_StructGridDestroy(grid_);
  }

  void set_up() override {
    destroy();
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg_);
    HYPRE_StructPFMGSetRelaxType(pfmg_, settings_.at("relax_type"));
    HYPRE_StructPFMGSetNumPreRelax(pfmg_, settings_.at("sweeps"));
    HYPRE_StructPFMGSetNumPostRelax(pfmg_, settings_.at("sweeps"));
    HYPRE_StructPFMGSetSkipRelax(pfmg_, settings_.at("skip_relax"));
    HYPRE_StructPFMGSetRAPType(pfmg_, settings_.at("rap_type"));
    HYPRE_StructPFMGSetMaxIter(pfmg_, krylov_ ? 1 : 200);
    HYPRE_StructPFMGSetTol(pfmg_, krylov_ ? 0 : poisson::tolerance);
    HYPRE_StructPFMGSetZeroGuess(pfmg_);
    if (krylov_) {
      HYPRE_StructPCGCreate(MPI_COMM_WORLD, &pcg_);
      HYPRE_StructPCGSetMaxIter(pcg_, 200);
      HYPRE_StructPCGSetTol(pcg_, poisson::tolerance);
      HYPRE_StructPCGSetTwoNorm(pcg_, 1);
      HYPRE_StructPCGSetPrecond(pcg_, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg_);
      HYPRE_StructPCGSetup(pcg_, matrix_, f_, u_);
    } else {
      HYPRE_StructPFMGSetup(pfmg_, matrix_, f_, u_);
    }
    check();
  }
  void set_right_side(bool smooth) override {
    const int n = problem_.cells();
    const double h2 = 1.0 / (static_cast<double>(n) * n);
    std::vector<double> values(static_cast<std::size_t>(n));
    for (int k = slab_.first; k < slab_.last; ++k)
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) values[i] = h2 * problem_.f(smooth, k, j, i);
        HYPRE_Int first[3] = {0, j, k}, last[3] = {n - 1, j, k};
        HYPRE_StructVectorSetBoxValues(f_, first, last, values.data());
      }
    HYPRE_StructVectorSetConstantValues(u_, 0);
  }
  int solve() override {
    HYPRE_Int iterations = 0;
    if (krylov_) {
      HYPRE_StructPCGSolve(pcg_, matrix_, f_, u_);
      HYPRE_StructPCGGetNumIterations(pcg_, &iterations);
    } else {
      HYPRE_StructPFMGSolve(pfmg_, matrix_, f_, u_);
      HYPRE_StructPFMGGetNumIterations(pfmg_, &iterations);
    }
    check();
    return iterations;
  }
  void copy_solution(double* u) override {
    const int n = problem_.cells();
    HYPRE_Int lower[3] = {0, 0, slab_.first}, upper[3] = {n - 1, n - 1, slab_.last - 1};
    HYPRE_StructVectorGetBoxValues(u_, lower, upper, u);
  }
  std::string info() override {
    std::string text = "{\"hypre\": \"" HYPRE_RELEASE_VERSION "\", \"hypre ";
    text += krylov_ ? "PCG+PFMG\": \"" : "PFMG\": \"";
    for (const auto& [name, value] : settings_) text += name + "=" + std::to_string(value) + " ";
    text.back() = '"';
    return text + "}";
  }

 private:
  static void check() {
    if (HYPRE_GetError() != 0) throw std::runtime_error("hypre reports an error");
  }
  void destroy() {
    if (pcg_ != nullptr) HYPRE_StructPCGDestroy(pcg_);
    if (pfmg_ != nullptr) HYPRE_StructPFMGDestroy(pfmg_);
    pcg_ = pfmg_ = nullptr;
  }

  const poisson::Problem& problem_;
  poisson::Slab slab_;
  bool krylov_;
  Settings settings_;
  HYPRE_StructGrid grid_ = nullptr;
  HYPRE_StructStencil stencil_ = nullptr;
  HYPRE_StructMatrix matrix_ = nullptr;
  HYPRE_StructVector u_ = nullptr, f_ = nullptr;
  HYPRE_StructSolver pfmg_ = nullptr, pcg_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: xp_bench_poisson_hypre pfmg|pcg CELLS constant|variable [NAME=NUMBER...]\n",
               stderr);
    return 2;
  }
  return poisson::main_of("xp_bench_poisson_hypre", [&] {
    HYPRE_Init();
    {
      const double at_start = poisson::memory("VmRSS");
      const poisson::Problem problem(std::stoi(argv[2]), argv[3] == std::string("variable"));
      const poisson::Slab slab(problem.cells());
      const bool krylov = argv[1] == std::string("pcg");
      // The symmetric one of two red-black sweeps where conjugate gradients need it.
      Settings settings{{"relax_type", krylov ? 2 : 3},
                        {"sweeps", 1},
                        {"skip_relax", 1},
                        {"rap_type", 0},
                        {"constant_storage", problem.variable() ? 0 : 1}};
      for (int n = 4; n < argc; ++n) {
        const std::string text = argv[n];
        const std::size_t at = text.find('=');
        settings.at(text.substr(0, at)) = std::stoi(text.substr(at + 1));
      }
      Hypre contender(problem, slab, krylov, settings);
      poisson::serve(problem, slab, contender, at_start);
    }
    HYPRE_Finalize();
  });
}
