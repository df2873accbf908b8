#pragma once

#include <string>
#include <string_view>

#include "twofold/v1/queue.pb.h"

namespace twofold::client {

/// "succeeded", "failed", "timed_out", ... as in metrics and JSON.
std::string_view Name(v1::Outcome outcome);

/// Why a job did not succeed: the reason in its serialized v1::Report, else the exit code, the
/// signal or the outcome; plus the last line that a failed program printed, made printable, at most
/// 200 bytes of it.
std::string ErrorText(v1::Outcome outcome, std::string_view report);

}  // namespace twofold::client
