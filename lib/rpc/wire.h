#pragma once

#include <google/protobuf/message.h>

#include <string_view>

#include "lib/common/result.h"

/// Messages as bytes.
///
/// Threads  Safe.
namespace twofold::rpc {

/// Errors   kInvalidArgument: the bytes are not such a message; names the field where text is not
///          valid UTF-8, or that has more than its limit (field_limits.h). `message` is then in an
///          unknown state.
/// Cost     That of protobuf's parsing, and of CheckLimits; no copy of the bytes.
Status Parse(std::string_view bytes, google::protobuf::Message& message);

}  // namespace twofold::rpc
