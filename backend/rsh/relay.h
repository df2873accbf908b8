#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/rsh/gang_file.h"
#include "lib/common/result.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::rsh {

inline constexpr int kOwnFailure = 255;  ///< exit code, as ssh has it

/// What the command line asks for.
struct Call {
  std::string host;
  std::string command;    ///< a shell's, as ssh has it
  bool no_input = false;  ///< /dev/null instead of our stdin
};

/// Reads `[OPTIONS] HOST COMMAND...`. What comes after HOST is the command: its words are joined by
/// single spaces and nothing else, for that is what callers of ssh count on (mpirun passes words
/// with quotes inside). Returns the exit code if the program has to end now.
std::optional<int> ParseCall(int argc, const char* const* argv, Call& call);

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
