#include <xp/runtime/kokkos_session.hpp>

#include <algorithm>

#include <xp/runtime/kokkos.hpp>

namespace xp {

KokkosSession::KokkosSession(int threads, const std::vector<std::string>& arguments,
                             int node_rank) {
  if (Kokkos::is_initialized()) return;
  owner_ = true;
  int device = -1;
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) device = node_rank % devices;
#else
  static_cast<void>(node_rank);
#endif
#if KOKKOS_VERSION < 30700
  Kokkos::InitArguments settings;
  const auto value = [](const std::string& argument, const std::string& name, int& target) {
    if (argument.rfind(name + "=", 0) == 0) target = std::stoi(argument.substr(name.size() + 1));
  };
  for (const std::string& argument : arguments) {
    value(argument, "--kokkos-threads", settings.num_threads);
    value(argument, "--kokkos-num-threads", settings.num_threads);
    value(argument, "--kokkos-device-id", settings.device_id);
  }
  if (threads > 0) settings.num_threads = threads;
  if (settings.device_id < 0) settings.device_id = device;
  settings.disable_warnings = true;
  Kokkos::initialize(settings);
#else
  std::vector<std::string> all = {"xpsim", "--kokkos-disable-warnings"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto chosen = [](const std::string& argument) {
    return argument.find("device") != std::string::npos;
  };
  if (device >= 0 && std::none_of(arguments.begin(), arguments.end(), chosen))
    all.push_back("--kokkos-device-id=" + std::to_string(device));
  if (threads > 0) all.push_back("--kokkos-num-threads=" + std::to_string(threads));
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  Kokkos::initialize(argc, argv.data());
#endif
}

KokkosSession::~KokkosSession() {
  if (owner_) Kokkos::finalize();
}

}  // namespace xp
