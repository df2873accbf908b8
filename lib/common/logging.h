#pragma once

namespace twofold {

/// Sends spdlog's default logger to stderr, one line of text a message whatever is in it (see
/// Printable; 16 KiB at most), UTC with milliseconds. Call once,
/// first thing in main, before other threads. `verbose` adds debug messages.
void InitLogging(bool verbose);

}  // namespace twofold
