#include <xp/runtime/host.hpp>

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace xp {

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return machine_cores();
  return std::max(1, CPU_COUNT(&set));
}

int machine_cores() {
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace xp
