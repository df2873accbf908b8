#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "lib/common/instant.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::cli {

// The commands of group "job" that have a file of their own.
Action BindSubmit(CLI::App& app, const Globals& globals);
Action BindLogs(CLI::App& app, const Globals& globals);
Action BindWatch(CLI::App& app, const Globals& globals);
Action BindOutput(CLI::App& app, const Globals& globals);

/// Waits until the job has ended, also through restarts of the frontend, and returns it as it is
/// then. `timeout` 0: as long as it takes.
/// Errors   kDeadlineExceeded: it has not ended in time, and goes on; kUnavailable: the frontend
///          does not come back; those of FollowJob. Each names the job.
Result<v1::Job> AwaitEnd(const Frontend& frontend, std::uint64_t job, Duration timeout);

/// "25 % frame 100 of 400"; empty if it tells nothing of its progress.
std::string Progress(const v1::Job& job);

/// One job on stdout, as `globals` say; below a table for people stands what it has no room for:
/// run, gang, progress, why it failed, what it has printed.
void Print(const v1::Job& job, const Globals& globals);

/// What was compressed with zstd, at most `most` bytes of it.
/// Errors   kDataLoss: it is no zstd, or is cut off; kResourceExhausted: it is longer.
Result<std::string> Decompress(std::string_view zstd, std::size_t most);

}  // namespace twofold::cli
