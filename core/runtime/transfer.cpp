#include <xp/runtime/transfer.hpp>

#include <atomic>
#include <stdexcept>

namespace xp {
namespace {

// Process-wide like Kokkos' own counters: a crossing belongs to the process, not to one object.
struct Counter {
  std::atomic<std::int64_t> count{0}, bytes{0};
  void add(std::int64_t n, std::int64_t times = 1) {
    count += times;
    bytes += n;
  }
  TransferCount get() const { return {count.load(), bytes.load()}; }
};
Counter to_host, to_device, scalars, halo;
std::atomic<int> forbidden{0};

void refuse_if_forbidden() {
  if (forbidden.load() > 0)
    throw std::logic_error("a field crosses between device and host where that is forbidden");
}

}  // namespace

Transfers transfers() {
  return {to_host.get(), to_device.get(), scalars.get(), halo.get()};
}

void count_to_host(std::int64_t bytes) {
  refuse_if_forbidden();
  to_host.add(bytes);
}

void count_to_device(std::int64_t bytes) {
  refuse_if_forbidden();
  to_device.add(bytes);
}

void count_scalar_to_host(std::int64_t bytes) {
  scalars.add(bytes);
}

void count_halo(std::int64_t messages, std::int64_t bytes) {
  halo.add(bytes, messages);
}

ForbidTransfers::ForbidTransfers() {
  ++forbidden;
}
ForbidTransfers::~ForbidTransfers() {
  --forbidden;
}

}  // namespace xp
