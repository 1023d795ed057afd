// Messages of the library. It never prints by itself: the program sets the sink.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace xp {

enum class LogLevel { info, warning, error };

using LogSink = std::function<void(LogLevel level, std::string_view message)>;

/// Where messages go from now on; an empty function drops them, which is the default.
void set_log_sink(LogSink sink);

void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

}  // namespace xp
