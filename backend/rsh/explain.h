#pragma once

#include <string>

#include "lib/common/result.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::rsh {

inline constexpr int kOwnFailure = 255;  ///< exit code, as ssh has it

/// The exit code for how the command ended.
int ExitCodeOf(const v1::ExecExit& exit);

/// Why the stream to a member ended without the end of the command, for people.
std::string Explain(const Status& status);

}  // namespace twofold::rsh
