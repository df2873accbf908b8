#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/command/command.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::cli {

// The commands of group "job" that have a file of their own.
Action BindSubmit(CLI::App& app, const Globals& globals);
Action BindLogs(CLI::App& app, const Globals& globals);
Action BindWatch(CLI::App& app, const Globals& globals);
Action BindOutput(CLI::App& app, const Globals& globals);

/// "25 % frame 100 of 400"; empty if it tells nothing of its progress.
std::string Progress(const v1::Job& job);

/// One job on stdout, as `globals` say; below a table for people stands what it has no room for:
/// run, gang, progress, why it failed, what it has printed.
void Print(const v1::Job& job, const Globals& globals);

/// What was compressed with zstd, at most `most` bytes of it.
/// Errors   kDataLoss: it is no zstd, or is cut off; kResourceExhausted: it is longer.
Result<std::string> Decompress(std::string_view zstd, std::size_t most);

}  // namespace twofold::cli
