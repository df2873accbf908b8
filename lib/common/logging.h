#pragma once

namespace twofold {

/// Sends spdlog's default logger to stderr: UTC with milliseconds, and each message as one line of
/// text whatever it contains (see Printable; 16 KiB at most). `verbose` adds debug messages.
///
/// Threads  Call it once, first thing in main, before there are others.
void InitLogging(bool verbose);

}  // namespace twofold
