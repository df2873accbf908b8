#pragma once

#include <string>
#include <string_view>

#include "twofold/v1/queue.pb.h"

namespace twofold::client {

/// "succeeded", "failed", "timed_out", ... as in metrics and JSON.
std::string_view Name(v1::Outcome outcome);

/// Why a job did not succeed: what its serialized v1::Report says, or else the exit code, the
/// signal or the outcome; and the last line of what a program that ended badly has printed,
/// printable and of at most 200 bytes.
std::string ErrorText(v1::Outcome outcome, std::string_view report);

}  // namespace twofold::client
