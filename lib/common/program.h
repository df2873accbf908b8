#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/common/result.h"

/// What the programs have in common from their start to their end.
namespace twofold {

/// What this binary was built from; for `--version`, logs and the build info metric.
struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view commit;    ///< short git commit at configure time, "unknown" outside a checkout
  std::string_view compiler;  ///< "GNU 12.2.0"
};

BuildInfo GetBuildInfo();

/// Sends spdlog's default logger to stderr: UTC with milliseconds, and each message as one line of
/// text whatever it contains (see Printable; 16 KiB at most). `verbose` adds debug messages.
///
/// Threads  Call it once, first thing in main, before there are others.
void InitLogging(bool verbose);

/// Lets a program wait for SIGTERM and SIGINT, and makes SIGPIPE harmless.
///
/// Construct it first thing in main: it blocks the signals in this thread and in all threads that
/// this one starts later, so that only Wait sees them. Child processes inherit the blocked mask:
/// whoever starts one must unblock the signals in the child (RestoreSignalsInChild).
///
/// Threads  Call Wait from one thread.
class ShutdownSignals {
 public:
  ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  /// Blocks until SIGTERM, SIGINT or Wake; the signal's number, 0 for Wake.
  int Wait();

  /// Whether one has come that nobody has waited for yet.
  static bool Pending();

  /// Ends a Wait from another thread.
  static void Wake();
};

/// Restores default handlers and unblocks all signals, between fork and exec. Async-signal-safe.
void RestoreSignalsInChild();

/// Tells the program that started this one that it serves, and where: one JSON object such as
/// {"pid": 4711, "http": "127.0.0.1:9998"}. The file appears whole (written beside, then renamed),
/// so a supervisor that asked for port 0 just waits for the file.
///
/// `addresses` maps names to host:port; neither has characters that JSON would escape.
/// Errors   kInvalidArgument: the path cannot be written, and why.
Status WriteReadyFile(const std::string& path, const std::map<std::string, std::string>& addresses);

}  // namespace twofold
