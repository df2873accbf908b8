#pragma once

namespace twofold {

/// Sends spdlog's default logger to stderr, one line a message, UTC with milliseconds. Call once,
/// first thing in main, before other threads. `verbose` adds debug messages.
void InitLogging(bool verbose);

}  // namespace twofold
