#include "terminal.hpp"

#include <cstdio>
#include <set>

#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include <xp/runtime/error.hpp>
#include <xp/runtime/log.hpp>

namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string line_of(const xp::Progress& p) {
  std::string line;
  if (p.fraction >= 0) line += fmt::format("{:3.0f}%  ", 100 * p.fraction);
  line += fmt::format("t = {:.5g}  step {}", p.time, p.step);
  if (p.steps > 0) line += fmt::format("/{}", p.steps);
  line += fmt::format("  dt {:.3g}  {:.3g} steps/s  {:.3g} cells/s", p.step_size,
                      p.steps_per_second, p.cell_updates_per_second);
  if (p.seconds_left >= 0) line += "  ETA " + duration(p.seconds_left);
  return line;
}

spdlog::level::level_enum level_of(xp::LogLevel level) {
  switch (level) {
    case xp::LogLevel::error:
      return spdlog::level::err;
    case xp::LogLevel::warning:
      return spdlog::level::warn;
    default:
      return spdlog::level::info;
  }
}

// spdlog's message names the file and ends with the reason.
std::string cannot_write(const std::string& path, const std::string& error) {
  const std::size_t colon = error.rfind(": ");
  return "cannot write the log '" + path +
         "': " + (colon == std::string::npos ? error : error.substr(colon + 2));
}

}  // namespace

struct Terminal::Impl {
  spdlog::logger screen{"xpsim", std::make_shared<spdlog::sinks::stderr_sink_st>()};
  std::unique_ptr<spdlog::logger> file, json;
  std::set<std::string> errors;  // that have been said
  bool speaks = true, line_open = false, log_failed = false;

  void end_line() {
    if (line_open) std::fputc('\n', stderr);
    line_open = false;
  }

  void message(xp::LogLevel level, std::string_view text) {
    // The library says where it happened what the run's own message says again at its end.
    if (level == xp::LogLevel::error && !errors.emplace(text).second) return;
    end_line();
    const char* prefix = level == xp::LogLevel::info      ? ""
                         : level == xp::LogLevel::warning ? "warning: "
                                                          : "error: ";
    screen.log(level_of(level), "{}{}", prefix, text);
    if (file) file->log(level_of(level), "{}{}", prefix, text);
    if (json) {
      const char* name = level == xp::LogLevel::info      ? "info"
                         : level == xp::LogLevel::warning ? "warning"
                                                          : "error";
      nlohmann::ordered_json object;
      object["time"] = std::time(nullptr);
      object["level"] = name;
      object["message"] = text;
      json->log(level_of(level), "{}",
                object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
  }
};

Terminal::Terminal(bool quiet, bool speaks) : impl_(std::make_unique<Impl>()) {
  impl_->speaks = speaks;
  if (!speaks) return;
  impl_->screen.set_pattern("%v");
  impl_->screen.set_level(quiet ? spdlog::level::warn : spdlog::level::info);
  xp::set_log_sink(
      [this](xp::LogLevel level, std::string_view text) { impl_->message(level, text); });
}

Terminal::~Terminal() {
  xp::set_log_sink({});
}

void Terminal::open_log(const std::string& path, bool json, bool append) {
  if (!impl_->speaks) return;
  std::shared_ptr<spdlog::sinks::sink> sink;
  try {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(path, !append);
  } catch (const spdlog::spdlog_ex& error) {
    throw xp::Error(xp::ErrorKind::failure, cannot_write(path, error.what()));
  }
  auto logger = std::make_unique<spdlog::logger>("file", std::move(sink));
  logger->set_pattern(json ? "%v" : "%Y-%m-%d %H:%M:%S  %v");
  logger->flush_on(spdlog::level::info);
  // Every line fails from then on, this message among them: it is said once.
  logger->set_error_handler([this, path, said = false](const std::string& error) mutable {
    if (said) return;
    said = impl_->log_failed = true;
    impl_->message(xp::LogLevel::error, cannot_write(path, error));
  });
  (json ? impl_->json : impl_->file) = std::move(logger);
}

bool Terminal::log_failed() const {
  return impl_->log_failed;
}

xp::ProgressSink Terminal::progress(const std::string& how) {
  if (how == "none" || !impl_->speaks) return {};
  if (how == "auto" && isatty(STDERR_FILENO))
    return [this](const xp::Progress& p) {
      std::fprintf(stderr, "\r%-100s", line_of(p).c_str());
      std::fflush(stderr);
      impl_->line_open = true;
    };
  // A log gets a line now and then, not one per second.
  return [next = 5.0](const xp::Progress& p) mutable {
    if (p.seconds < next) return;
    next = p.seconds + std::max(5.0, 0.5 * p.seconds);
    xp::log_info(line_of(p));
  };
}

void Terminal::end_line() {
  impl_->end_line();
}
