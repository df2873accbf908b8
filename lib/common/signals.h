#pragma once

namespace twofold {

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

  /// Ends a Wait from another thread.
  static void Wake();
};

/// Restores default handlers and unblocks all signals, between fork and exec. Async-signal-safe.
void RestoreSignalsInChild();

}  // namespace twofold
