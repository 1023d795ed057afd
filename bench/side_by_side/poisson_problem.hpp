// What the contenders of bench/side_by_side/poisson share: the problem, a check of solutions by
// plain loops, and the protocol. Nothing of xpsim but this file is in those of hypre and PETSc.
//
// The problem: -div(beta grad u) = f on the unit cube of n^3 cells, u = 0 on its faces. Finite
// volumes, times h^2: the coefficient of a face is beta there, twice that at walls, where the ghost
// cell is minus the own one. beta at faces is the mean of the two cells around.
//
// Commands on the standard input of the first rank, one answer on its standard output each:
//   setup            makes the solver anew             seconds by the clock, and of processors
//   solve random     from u = 0, f as if random        seconds, of processors, iterations
//   solve smooth     the same, f a Gaussian            (those of the slowest rank)
//   check            of the last solution              residual and norm (l2), by plain loops
//   memory           -                                 bytes of all ranks, the most so far, less
//                                                      those before the problem was made
//   info             -                                 versions and settings, as JSON
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <time.h>

#include <mpi.h>

namespace poisson {

/// Of the residual's l2 norm, relative to that of f.
inline constexpr double tolerance = 1e-8;

/// A sequence number to a number between -1 and 1 that looks random (SplitMix64: Steele, Lea and
/// Flood 2014).
inline double noise(std::uint64_t number) {
  std::uint64_t z = (number + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) / 4503599627370496.0 - 1.0;
}

class Problem {
 public:
  Problem(int cells, bool variable) : n_(cells), variable_(variable) {
    const double h = 1.0 / cells;
    const auto wave = [&](int cell) { return std::sin(2 * M_PI * (cell + 0.5) * h); };
    const double centre[3] = {0.4, 0.55, 0.35}, width = 0.15;
    for (int i = 0; i < cells; ++i) {
      at_cells_.push_back(wave(i));
      for (int a = 0; a < 3; ++a) {
        const double distance = ((i + 0.5) * h - centre[a]) / width;
        bell_[a].push_back(std::exp(-0.5 * distance * distance));
      }
    }
    for (int i = 0; i <= cells; ++i) at_faces_.push_back(0.5 * (wave(i - 1) + wave(i)));
  }

  int cells() const { return n_; }
  bool variable() const { return variable_; }
  double f(bool smooth, int k, int j, int i) const {
    if (!smooth) return noise((static_cast<std::uint64_t>(k) * n_ + j) * n_ + i);
    return bell_[0][i] * bell_[1][j] * bell_[2][k];
  }
  /// beta at the face below a cell along an axis (0: x).
  double beta(int axis, int k, int j, int i) const {
    if (!variable_) return 1;
    return 1 + 0.9 * (axis == 0 ? at_faces_ : at_cells_)[i] *
                   (axis == 1 ? at_faces_ : at_cells_)[j] * (axis == 2 ? at_faces_ : at_cells_)[k];
  }
  /// The coefficients of a cell's neighbours, x below and above, y, z: what is negative in the
  /// matrix. The neighbour beyond a wall, of which there is none, has that of the cell's own value.
  struct Cell {
    double faces[6];
    double diagonal;
  };
  Cell at(int k, int j, int i) const {
    const int place[3] = {i, j, k};
    Cell cell;
    cell.diagonal = 0;
    for (int a = 0; a < 3; ++a)
      for (int upper = 0; upper < 2; ++upper) {
        double& face = cell.faces[2 * a + upper];
        face = beta(a, k + (a == 2) * upper, j + (a == 1) * upper, i + (a == 0) * upper);
        if (is_wall(place[a], upper)) face *= 2;
        cell.diagonal += face;
      }
    return cell;
  }
  bool is_wall(int place, int upper) const { return place == (upper ? n_ - 1 : 0); }

  /// The true residual of u over the size of f, both l2, and the root mean square of u. `u` has all
  /// cells, x fastest.
  struct Truth {
    double residual = 0, norm = 0;
  };
  Truth check(const std::vector<double>& u, bool smooth) const {
    const std::int64_t n = n_, sy = n, sz = n * n;
    const double h2 = 1.0 / (static_cast<double>(n) * static_cast<double>(n));
    double residuals = 0, sources = 0, squares = 0;
    for (int k = 0; k < n_; ++k)
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < n_; ++i) {
          const Cell cell = at(k, j, i);
          const double* const here = &u[static_cast<std::size_t>(k * sz + j * sy + i)];
          const int place[3] = {i, j, k};
          const std::int64_t strides[3] = {1, sy, sz};
          double value = cell.diagonal * here[0];
          for (int a = 0; a < 3; ++a) {
            if (!is_wall(place[a], 0)) value -= cell.faces[2 * a] * here[-strides[a]];
            if (!is_wall(place[a], 1)) value -= cell.faces[2 * a + 1] * here[strides[a]];
          }
          const double source = h2 * f(smooth, k, j, i);
          residuals += (source - value) * (source - value);
          sources += source * source;
          squares += here[0] * here[0];
        }
    return {std::sqrt(residuals / sources), std::sqrt(squares / static_cast<double>(n * sz))};
  }

 private:
  int n_;
  bool variable_;
  std::vector<double> at_cells_, at_faces_, bell_[3];
};

/// The planes of one rank: ranks cut the cube along z, in equal slabs.
struct Slab {
  int rank = 0, ranks = 1, first = 0, last = 0;

  explicit Slab(int cells) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    first = static_cast<int>(static_cast<std::int64_t>(cells) * rank / ranks);
    last = static_cast<int>(static_cast<std::int64_t>(cells) * (rank + 1) / ranks);
  }
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void set_up() = 0;                     ///< the solver anew
  virtual void set_right_side(bool smooth) = 0;  ///< and u = 0
  virtual int solve() = 0;                       ///< iterations; all work has ended
  virtual void copy_solution(double* u) = 0;     ///< the slab's cells, x fastest
  virtual std::string info() = 0;                ///< an object of JSON
};

/// A size in /proc/self/status, in bytes.
inline double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

/// Answers commands until there are no more. `at_start`: bytes before the problem was made.
inline void serve(const Problem& problem, const Slab& slab, Contender& contender, double at_start) {
  // Ranks that wait their turn sleep: MPI's own waiting would take a core from those who run.
  const auto receive = [&](int command) {
    MPI_Request request;
    MPI_Ibcast(&command, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
      const timespec pause{0, 200'000};
      nanosleep(&pause, nullptr);
    }
    return command;
  };
  const auto of_all = [](double value, MPI_Op operation) {
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return result;
  };
  // Seconds by the clock and of this process, for the slowest rank.
  const auto time = [&](const auto& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::clock_t processor = std::clock();
    const double start = MPI_Wtime();
    work();
    const double wall = MPI_Wtime() - start;
    const double own = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
    return std::pair(of_all(wall, MPI_MAX), of_all(own, MPI_MAX));
  };
  const bool speaks = slab.rank == 0;
  const std::vector<std::string> commands = {"setup", "solve random", "solve smooth",
                                             "check", "memory",       "info"};
  bool smooth = false;
  if (speaks) std::puts("ready");
  while (true) {
    int command = -1;
    if (speaks) {
      std::fflush(stdout);
      std::string line;
      if (std::getline(std::cin, line))
        for (std::size_t n = 0; n < commands.size(); ++n)
          if (line == commands[n]) command = static_cast<int>(n);
    }
    command = receive(command);
    if (command < 0) return;
    if (command == 0) {
      const auto [wall, processor] = time([&] { contender.set_up(); });
      if (speaks) std::printf("%.9g %.9g\n", wall, processor);
    } else if (command < 3) {
      smooth = command == 2;
      contender.set_right_side(smooth);
      int iterations = 0;
      const auto [wall, processor] = time([&] { iterations = contender.solve(); });
      if (speaks) std::printf("%.9g %.9g %d\n", wall, processor, iterations);
    } else if (command == 3) {
      const std::size_t plane = static_cast<std::size_t>(problem.cells()) * problem.cells();
      std::vector<double> u(speaks ? plane * problem.cells() : plane * (slab.last - slab.first));
      contender.copy_solution(u.data());
      // A slab is less than 2^31 planes: counted in those.
      MPI_Datatype planes;
      MPI_Type_contiguous(static_cast<int>(plane), MPI_DOUBLE, &planes);
      MPI_Type_commit(&planes);
      if (!speaks)
        MPI_Send(u.data(), slab.last - slab.first, planes, 0, 0, MPI_COMM_WORLD);
      else
        for (int rank = 1, first = slab.last; rank < slab.ranks; ++rank) {
          const int last = static_cast<int>(static_cast<std::int64_t>(problem.cells()) *
                                            (rank + 1) / slab.ranks);
          MPI_Recv(u.data() + plane * first, last - first, planes, rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
          first = last;
        }
      MPI_Type_free(&planes);
      if (speaks) {
        const Problem::Truth truth = problem.check(u, smooth);
        std::printf("%.9g %.17g\n", truth.residual, truth.norm);
      }
    } else if (command == 4) {
      const double bytes = of_all(memory("VmHWM") - at_start, MPI_SUM);
      if (speaks) std::printf("%.0f\n", bytes);
    } else if (speaks) {
      std::printf("%s\n", contender.info().c_str());
    }
  }
}

/// What `main` of a contender is: MPI around `work`, errors to the standard error stream.
template <class Work>
int main_of(const char* program, const Work& work) {
  MPI_Init(nullptr, nullptr);
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace poisson
