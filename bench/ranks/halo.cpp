// Exchange of ghost cells between ranks: what it costs, against the bytes over the bandwidth of
// plain messages of the same sizes, and what computing the interior meanwhile saves.
//
//     mpiexec -n 2 xp_bench_halo [rounds]
//
// Medians over the rounds; what is compared takes turns within a round.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include <xp/field/ghosts.hpp>
#include <xp/field/halo.hpp>
#include <xp/runtime/backend.hpp>
#include <xp/runtime/kokkos_session.hpp>
#include <xp/runtime/timer.hpp>
#include <xp/solvers/heat/heat_kernels.hpp>
#include <xp/time/stage.hpp>

namespace bench {

using Space = Kokkos::Serial;
using View = xp::FieldView<Space, double>;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds of a call on the slowest rank, all having begun together.
double timed(const xp::Communicator& world, int calls, const std::function<void()>& call) {
  MPI_Barrier(world.get());
  const xp::Stopwatch watch;
  for (int n = 0; n < calls; ++n) call();
  double seconds = watch.seconds() / calls, slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, world.get());
  return slowest;
}

// The messages of a plan, without any packing: persistent requests from and to plain arrays.
class PlainMessages {
 public:
  PlainMessages(const xp::Communicator& world, const xp::HaloPlan& plan) {
    for (const auto* list : {&plan.receive, &plan.send})
      for (const xp::HaloMessage& message : *list) {
        buffers_.emplace_back(static_cast<std::size_t>(message.values), 1.0);
        requests_.push_back(MPI_REQUEST_NULL);
        const int count = static_cast<int>(message.values);
        if (list == &plan.receive)
          MPI_Recv_init(buffers_.back().data(), count, MPI_DOUBLE, message.rank, 9, world.get(),
                        &requests_.back());
        else
          MPI_Send_init(buffers_.back().data(), count, MPI_DOUBLE, message.rank, 9, world.get(),
                        &requests_.back());
      }
  }
  ~PlainMessages() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  PlainMessages(const PlainMessages&) = delete;
  PlainMessages& operator=(const PlainMessages&) = delete;

  void exchange() {
    if (requests_.empty()) return;
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<std::vector<double>> buffers_;
  std::vector<MPI_Request> requests_;
};

template <int dimensions>
void measure(const xp::Communicator& world, std::int64_t cells, std::array<int, 3> parts,
             int rounds) {
  xp::GridSpec spec;
  spec.dimensions = dimensions;
  for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions); ++a) spec.cells[a] = cells;
  const xp::Grid grid(spec, xp::Decomposition(spec, parts), world.rank());
  const xp::Field<Space, double> a(grid, {"a", "", ""}), b(grid, {"b", "", ""});
  const std::vector<View> views = {a.view()};
  const Space space;
  xp::HaloExchange<Space, double> halo(grid, world, {{}});
  const xp::HaloPlan plan = xp::plan_halo(grid, 0, false);
  const xp::OwnCells own = xp::split_own_cells(grid, 0);
  PlainMessages plain(world, plan);

  xp::ConstantDiffusion<dimensions, 2, Space, double> kernel{};
  kernel.u = a.view();
  for (double& factor : kernel.factor) factor = 0.1;
  xp::StageTarget<Space, double> target;
  target.target = b.view();
  target.rate = 0.1;
  target.add(a.view(), 1);
  const auto step = [&](const xp::Box& box) {
    if (box.count() > 0) xp::apply_stage(space, "step", box, kernel, &target, 1);
  };
  const auto exchange = [&] {
    halo.start(space, views);
    halo.finish(space, views);
  };
  const auto whole = [&] { step(grid.cells(xp::Region::own)); };
  const auto one_after_the_other = [&] {
    exchange();
    whole();
  };
  const auto together = [&] {
    halo.start(space, views);
    step(own.interior);
    halo.finish(space, views);
    for (const xp::Box& box : own.outskirts) step(box);
  };

  std::vector<double> messages, exchanges, compute, serial, overlapped;
  const int calls = cells > 1000 || dimensions == 3 ? 4 : 100;
  for (int round = 0; round <= rounds; ++round) {
    const double times[] = {timed(world, 50, [&] { plain.exchange(); }), timed(world, 50, exchange),
                            timed(world, calls, whole), timed(world, calls, one_after_the_other),
                            timed(world, calls, together)};
    if (round == 0) continue;  // warming up
    messages.push_back(times[0]);
    exchanges.push_back(times[1]);
    compute.push_back(times[2]);
    serial.push_back(times[3]);
    overlapped.push_back(times[4]);
  }
  std::int64_t values = 0, most = 0;
  for (const xp::HaloMessage& message : plan.send) values += message.values;
  MPI_Allreduce(&values, &most, 1, MPI_INT64_T, MPI_MAX, world.get());
  if (!world.is_root()) return;
  const double us = 1e6, bytes = 8.0 * static_cast<double>(most);
  fmt::print(
      "| {}^{} as {}x{}x{} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.0f} | {:.0f} | "
      "{:.0f} |\n",
      cells, dimensions, parts[0], parts[1], parts[2], plan.send.size(), bytes / 1e3,
      us * median(messages), bytes / median(messages) / 1e9, us * median(exchanges),
      median(exchanges) / median(messages), us * median(compute), us * median(serial),
      us * median(overlapped));
}

}  // namespace bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const xp::KokkosSession kokkos(1, {});
    const xp::Communicator world(MPI_COMM_WORLD);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9, n = world.size();
    if (world.is_root())
      fmt::print(
          "{} ranks; microseconds, medians of {} rounds\n"
          "| grid | neighbours of rank 0 | kB sent | plain messages | GB/s | exchange | ratio | "
          "step "
          "alone | exchange, then step | overlapped |\n|---|---|---|---|---|---|---|---|---|---|\n",
          n, rounds);
    for (const std::int64_t cells : {128, 1024, 4096}) {
      bench::measure<2>(world, cells, {1, n, 1}, rounds);
      if (n > 1) bench::measure<2>(world, cells, {n, 1, 1}, rounds);
    }
    for (const std::int64_t cells : {64, 256}) {
      bench::measure<3>(world, cells, {1, 1, n}, rounds);
      if (n > 1) bench::measure<3>(world, cells, {n, 1, 1}, rounds);
      if (n == 4) bench::measure<3>(world, cells, {1, 2, 2}, rounds);
    }
  }
  MPI_Finalize();
}
