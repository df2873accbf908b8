#pragma once

#include <google/protobuf/message.h>

#include <string_view>

#include "lib/common/result.h"
#include "lib/rpc/field_limits.h"

/// Messages as bytes.
///
/// Threads  Safe.
namespace twofold::rpc {

/// `limits` are those of the message's type.
Status Parse(std::string_view bytes, google::protobuf::Message& message, const TypeLimits& limits);

/// Errors   kInvalidArgument: the bytes are not such a message; names the field where text is not
///          valid UTF-8, or that has more than its limit (field_limits.h). `message` is then in an
///          unknown state.
/// Cost     That of protobuf's parsing, and of SurelyFits; no copy of the bytes.
template <typename Message>
Status Parse(std::string_view bytes, Message& message) {
  static const TypeLimits& limits = LimitsOf(*Message::descriptor());
  return Parse(bytes, message, limits);
}

}  // namespace twofold::rpc
