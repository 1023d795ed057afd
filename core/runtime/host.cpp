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
  const std::string set = core_set();
  return std::max(1, static_cast<int>(std::count(set.begin(), set.end(), ',')));
}

std::string core_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::string text;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return text;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) text += std::to_string(core) + ",";
  return text;
}

}  // namespace xp
