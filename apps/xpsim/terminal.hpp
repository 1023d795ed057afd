// What the user sees while a run goes on: messages and progress on stderr, and the log files.
#pragma once

#include <memory>
#include <string>

#include <xp/simulation/monitor.hpp>

/// Connects the library's log with stderr and, when they are opened, with files.
class Terminal {
 public:
  /// `speaks`: one rank of many does, the others' messages are dropped.
  Terminal(bool quiet, bool speaks);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Adds a log file: plain lines, or one JSON object per line; `append` to what is there.
  void open_log(const std::string& path, bool json, bool append);
  /// Was there a line that could not be written to one of them?
  bool log_failed() const;

  /// A sink for progress: "auto" (a line that renews itself on a terminal, else plain lines),
  /// "plain", "none".
  xp::ProgressSink progress(const std::string& how);
  /// Ends a renewed line, so that what follows begins on its own.
  void end_line();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
