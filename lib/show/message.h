#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "lib/show/table.h"
#include "twofold/v1/runs.pb.h"

/// Messages as JSON, by their descriptors: the frontend's HTTP API and the command line say the
/// same because both call this.
///
/// Names of fields are the keys. `x_ns` becomes `x_seconds`; `x_unix_ns` becomes `x_unix_seconds`,
/// null if it is 0. Enums are words ("timed_out"), empty if they are not specified. Numbers that
/// name a job are text, as JavaScript and jq round what is above 2^53. A message that is not set is
/// left out, and so is what the table in message.cc hides; there is also what is computed.
///
/// Threads  Thread-safe.
/// Cost     About 10 us a job.
namespace twofold::show {

Json ToJson(const google::protobuf::Message& message);

/// The JSON of each message of a list, as a list.
template <typename Messages>
Json ListOf(const Messages& messages) {
  Json list = Json::array();
  for (const auto& message : messages) list.push_back(ToJson(message));
  return list;
}

/// A value of an enum as people write it: OUTCOME_TIMED_OUT is "timed_out", OUTCOME_UNSPECIFIED
/// nothing, and what a newer program may know "unknown".
std::string Word(const google::protobuf::EnumDescriptor& type, int value);

template <typename Enum>
std::string Word(Enum value) {
  return Word(*google::protobuf::GetEnumDescriptor<Enum>(), static_cast<int>(value));
}

/// "succeeded", ...; of a job that has not ended "waiting" or "running"; else "unknown".
std::string OutcomeOf(const v1::JobResult& job);

/// What `text` says; null if it is not JSON, or has more than rpc::kMaxVariedDepth lists and maps
/// inside each other: 64 KiB of brackets would be gigabytes when they are indented.
Json Parsed(const std::string& text);

/// The same text for the same JSON, however its keys are ordered; what is none stays as it is.
std::string WithKeysInOrder(const std::string& text);

/// Full names of what the table in message.cc is about: fields, and messages. For the test that all
/// of them exist.
std::vector<std::string> NamesInTheTable();

}  // namespace twofold::show
