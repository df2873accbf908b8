#pragma once

#include <cstdint>

#include "backend/rsh/command_line.h"
#include "backend/rsh/gang_file.h"
#include "lib/common/result.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::rsh {

inline constexpr int kOwnFailure = 255;  ///< exit code, as ssh has it

/// The exit code for how the command ended.
int ExitCodeOf(const v1::ExecExit& exit);

/// Why the stream to a member ended without the end of the command, for people.
std::string Explain(const Status& status);

/// Runs the command at the member, relays, and ends this process with its exit code. SIGTERM,
/// SIGINT, SIGHUP and the end of the attempt do so early. What is wrong with ourselves is on
/// stderr.
///
/// Threads  REQUIRES: there is one, so that those to come have these signals blocked. SIGPIPE is
///          ignored.
[[noreturn]] void Run(const gang::ReadGangFile& file, std::uint32_t rank, const Call& call);

}  // namespace twofold::rsh
