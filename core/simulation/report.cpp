#include <xp/simulation/report.hpp>

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include <xp/runtime/version.hpp>

namespace xp {

std::string name(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return "completed";
    case RunStatus::converged:
      return "converged";
    case RunStatus::not_converged:
      return "not_converged";
    case RunStatus::diverged:
      return "diverged";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::verify_failed:
      return "verify_failed";
    default:
      return "failed";
  }
}

int exit_code(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
    case RunStatus::converged:
      return 0;
    case RunStatus::verify_failed:
      return 3;
    case RunStatus::diverged:
      return 4;
    case RunStatus::not_converged:
      return 5;
    case RunStatus::interrupted:
      return 75;
    default:
      return 1;
  }
}

double cell_updates_per_second(const RunReport& report) {
  if (!(report.stepping_seconds > 0)) return 0;
  const auto steps = static_cast<double>(report.steps - report.first_step);
  return static_cast<double>(report.cells) * steps / report.stepping_seconds;
}

std::string json(const RunReport& r) {
  using Json = nlohmann::ordered_json;
  const BuildInfo build = build_info();
  Json j;
  j["xpsim"] = {{"version", build.version}, {"kokkos", build.kokkos},   {"backend", r.backend},
                {"device", r.device},       {"precision", r.precision}, {"ranks", r.ranks},
                {"threads", r.threads}};
  j["status"] = name(r.status);
  j["message"] = r.message;
  j["steps"] = r.steps;
  if (!r.restarted_from.empty())
    j["restart"] = {{"file", r.restarted_from}, {"step", r.first_step}};
  if (r.rejected_steps > 0) j["rejected_steps"] = r.rejected_steps;
  j["time"] = r.time;
  j["step_last"] = r.step_last;
  j["cells"] = r.cells;
  j["seconds"] = {{"total", r.total_seconds},
                  {"setup", r.setup_seconds},
                  {"stepping", r.stepping_seconds},
                  {"halo", r.halo_seconds},
                  {"output", r.output_seconds}};
  j["cell_updates_per_second"] = cell_updates_per_second(r);
  if (!r.convergence_quantity.empty())
    j["convergence"] = {{"quantity", r.convergence_quantity},
                        {"norm", r.convergence_norm},
                        {"value", r.convergence_value},
                        {"checks", r.convergence_checks}};
  if (!r.linear.method.empty())
    j["linear_solver"] = {{"method", r.linear.method},
                          {"solves", r.linear.solves},
                          {"iterations", r.linear.iterations},
                          {"residual", r.linear.residual}};
  j["fields"] = Json::object();
  for (const auto& [field, s] : r.fields)
    j["fields"][field] = {
        {"min", s.min}, {"max", s.max}, {"mean", s.mean}, {"l2", s.l2}, {"integral", s.integral}};
  j["errors"] = Json::object();
  for (const auto& [field, n] : r.errors)
    j["errors"][field] = {{"l1", n.l1}, {"l2", n.l2}, {"linf", n.linf}};
  const auto transfer = [](const TransferCount& t) {
    return Json{{"count", t.count}, {"bytes", t.bytes}};
  };
  j["transfers"] = {{"to_host", transfer(r.transfers.to_host)},
                    {"to_device", transfer(r.transfers.to_device)},
                    {"scalars_to_host", transfer(r.transfers.scalars_to_host)},
                    {"halo", transfer(r.transfers.halo)}};
  j["peak_memory_bytes"] = r.peak_memory_bytes;
  return j.dump(2) + "\n";
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace xp
