#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <string_view>

#include "lib/common/result.h"

/// Messages as bytes. Our methods take bytes from gRPC and parse them here, as gRPC's own parsing
/// hides what is wrong: a stream with a message that cannot be read looks like one that the peer
/// has half-closed, and a unary call fails without a reason.
///
/// Threads  Safe.
namespace twofold::rpc {

/// Errors   kInvalidArgument: the bytes are not such a message; names the field where text is not
///          valid UTF-8, or that has more than its limit (field_limits.h). kUnimplemented: the
///          bytes are compressed. `message` is then in an unknown state.
/// Cost     That of protobuf's parsing, and of CheckLimits; no copy of the bytes.
Status Parse(const grpc::ByteBuffer& bytes, google::protobuf::Message& message);
Status Parse(std::string_view bytes, google::protobuf::Message& message);

/// Empty (no message at all) only if there is no memory.
grpc::ByteBuffer Serialize(const google::protobuf::Message& message);

}  // namespace twofold::rpc
