#include <algorithm>
#include <cctype>

#include <xp/runtime/backend.hpp>
#include <xp/runtime/error.hpp>

namespace xp {

std::vector<Backend> available_backends() {
  return {
#ifdef KOKKOS_ENABLE_CUDA
      Backend::cuda,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
      Backend::openmp,
#endif
      Backend::serial};
}

std::string name(Backend backend) {
  switch (backend) {
    case Backend::openmp:
      return "OpenMP";
    case Backend::cuda:
      return "Cuda";
    default:
      return "Serial";
  }
}

std::string name(Precision precision) {
  return precision == Precision::double_ ? "double" : "float";
}

Backend backend_from_name(const std::string& wanted) {
  std::string lower = wanted;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::vector<Backend> available = available_backends();
  if (lower == "auto") return available.front();
  std::vector<std::string> names;
  for (const Backend backend : available) {
    names.push_back(name(backend));
    std::string candidate = names.back();
    std::transform(candidate.begin(), candidate.end(), candidate.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (candidate == lower) return backend;
  }
  std::string list;
  for (const std::string& candidate : names) list += (list.empty() ? "" : ", ") + candidate;
  throw Error(ErrorKind::input, "this build has no backend '" + wanted + "'; it has " + list,
              did_you_mean(wanted, names));
}

std::string device_name(Backend backend) {
#ifdef KOKKOS_ENABLE_CUDA
  if (backend == Backend::cuda) return Kokkos::Cuda().cuda_device_prop().name;
#endif
  (void)backend;
  return {};
}

int threads(Backend backend) {
  return with_space(backend, [](auto space) { return thread_count<decltype(space)>(); });
}

}  // namespace xp
