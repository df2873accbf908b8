#pragma once

namespace twofold {

/// Turns SIGTERM and SIGINT into something a program waits for, and makes SIGPIPE harmless.
///
/// Construct first thing in main: the signals are blocked in this thread and in all that it starts
/// from then on, so that only Wait sees them. A child process inherits the blocked mask: whoever
/// starts one must unblock in the child (RestoreSignalsInChild).
///
/// Threads  Wait from one thread.
class ShutdownSignals {
 public:
  ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  /// Blocks until SIGTERM, SIGINT or Wake; the signal's number, 0 for Wake.
  int Wait();

  /// Ends a Wait from another thread.
  static void Wake();
};

/// Between fork and exec: default handlers, nothing blocked. Async-signal-safe.
void RestoreSignalsInChild();

}  // namespace twofold
