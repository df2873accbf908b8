#pragma once

#include <google/protobuf/message.h>

#include <string_view>

#include "lib/common/result.h"
#include "twofold/v1/limits.pb.h"

/// What each field of a message of a peer may have, as it is written beside the field
/// (twofold/v1/limits.proto).
namespace twofold::rpc {

/// Checks all fields that have a limit, those of messages inside, too.
///
/// Threads  Safe.
/// Errors   kInvalidArgument: which field, how much it has and how much is allowed; nothing of the
///          text itself. The first in the order of the proto.
/// Cost     A look at each field that has a limit; O(1) for a repeated field of numbers.
Status CheckLimits(const google::protobuf::Message& message);

/// The limits of a type of message. They live as long as the program.
struct TypeLimits;
const TypeLimits& LimitsOf(const google::protobuf::Descriptor& type);

/// Whether the bytes show by themselves that no field has more than its limit, as those of nearly
/// all messages do. False: they may; CheckLimits says.
///
/// Cost     Some ten instructions a field, a tenth of CheckLimits.
bool SurelyFits(std::string_view bytes, const TypeLimits& type);

/// What is written beside a field.
template <typename Message>
const v1::FieldLimit& LimitOf(int field_number) {
  return Message::descriptor()->FindFieldByNumber(field_number)->options().GetExtension(v1::limit);
}

}  // namespace twofold::rpc
