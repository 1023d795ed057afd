#include <utility>

#include <xp/runtime/log.hpp>

namespace xp {
namespace {

LogSink& sink() {
  static LogSink instance;
  return instance;
}

void send(LogLevel level, const std::string& message) {
  if (sink()) sink()(level, message);
}

}  // namespace

void set_log_sink(LogSink new_sink) {
  sink() = std::move(new_sink);
}
void log_info(const std::string& message) {
  send(LogLevel::info, message);
}
void log_warning(const std::string& message) {
  send(LogLevel::warning, message);
}
void log_error(const std::string& message) {
  send(LogLevel::error, message);
}

}  // namespace xp
