#include "lib/rpc/field_limits.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>

#include "lib/rpc/batches.h"
#include "lib/rpc/limits.h"
#include "lib/rpc/parse.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/peers.pb.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::rpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using ::testing::IsEmpty;

const std::string kLongest(kMaxNameBytes, 'x');
const std::string kTooLong(kMaxNameBytes + 1, 'x');

bool SurelyFits(const std::string& bytes, const google::protobuf::Message& message) {
  return rpc::SurelyFits(bytes, LimitsOf(*message.GetDescriptor()));
}

/// What has too much does not seem to fit on the wire either.
std::string Complaint(const google::protobuf::Message& message) {
  const Status status = CheckLimits(message);
  EXPECT_FALSE(!status.ok() && SurelyFits(message.SerializeAsString(), message));
  return std::string(status.message());
}

/// The texts in a message, and in those inside, that have no limit.
void AddUnlimited(const Descriptor& type, std::set<const Descriptor*>& seen,
                  std::set<std::string>& unlimited) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const bool has_text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING || field.is_map();
    const bool is_limited = field.options().GetExtension(v1::limit).has_bytes();
    if (has_text && !is_limited) unlimited.insert(field.full_name());
    if (field.message_type() != nullptr && !field.is_map()) {
      AddUnlimited(*field.message_type(), seen, unlimited);
    }
  }
}

TEST(FieldLimits, EachTextThatAServiceTakesHasOne) {
  std::set<const Descriptor*> seen;
  std::set<std::string> unlimited;
  for (const FileDescriptor* const file :
       {v1::JobOptions::descriptor()->file(), v1::Run::descriptor()->file(),
        v1::MemberKey::descriptor()->file(), v1::Frontend::descriptor()->file()}) {
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        AddUnlimited(*file->service(i)->method(j)->input_type(), seen, unlimited);
      }
    }
  }
  EXPECT_GT(seen.size(), 30);
  EXPECT_THAT(unlimited, IsEmpty());
}

TEST(FieldLimits, TextHasSoManyBytesAndNoMore) {
  v1::WorkerMessage message;
  message.mutable_hello()->set_node(kLongest);
  EXPECT_EQ(Complaint(message), "");
  message.mutable_hello()->set_node(kTooLong);
  EXPECT_EQ(Complaint(message), "hello.node has 254 bytes; at most 253 are allowed");
}

TEST(FieldLimits, EachEntryHasSoManyBytesAndNoMore) {
  v1::WorkerResults results;
  results.add_devices(kLongest);
  results.add_devices(kLongest);
  EXPECT_EQ(Complaint(results), "");
  results.add_devices(kTooLong);
  EXPECT_EQ(Complaint(results), "devices has 254 bytes; at most 253 are allowed");
}

TEST(FieldLimits, MapHasSoManyEntriesAndNoMore) {
  v1::Hello hello;
  for (int i = 0; i < 64; ++i) (*hello.mutable_labels())[std::to_string(i)] = kLongest;
  EXPECT_EQ(Complaint(hello), "");
  (*hello.mutable_labels())["one more"] = "";
  EXPECT_EQ(Complaint(hello), "labels has 65 entries; at most 64 are allowed");
}

TEST(FieldLimits, KeysAndValuesOfAMapHaveSoManyBytesAndNoMore) {
  v1::Hello hello;
  (*hello.mutable_labels())[kTooLong] = "";
  EXPECT_EQ(Complaint(hello), "a key in labels has 254 bytes; at most 253 are allowed");
  hello.Clear();
  (*hello.mutable_labels())["a"] = kTooLong;
  EXPECT_EQ(Complaint(hello), "a value in labels has 254 bytes; at most 253 are allowed");
}

TEST(FieldLimits, ColumnHasSoManyEntriesAndNoMore) {
  v1::SubmitRequest batch;
  for (int i = 0; i < 128 << 10; ++i) batch.add_tags(1);
  EXPECT_EQ(Complaint(batch), "");
  batch.add_tags(1);
  EXPECT_EQ(Complaint(batch), "tags has 131073 entries; at most 131072 are allowed");
}

TEST(FieldLimits, PartsOfAMessageAreBoundedTogether) {
  v1::SubmitJobRequest request;
  v1::Placement& placement = *request.mutable_options()->mutable_placement();
  for (int i = 0; i < 100; ++i) placement.add_nodes(kLongest);
  EXPECT_EQ(Complaint(request), "");
  for (int i = 0; i < 100; ++i) placement.add_nodes(kLongest);
  EXPECT_EQ(Complaint(request), "options.placement has 51200 bytes; at most 32768 are allowed");
}

TEST(FieldLimits, BatchesAndHellosShowOnTheWireThatTheyFit) {
  v1::SubmitRequest jobs;
  jobs.add_options()->set_queue("sleep");
  v1::SubmitReply replies;
  v1::FrontendMessage assigned;
  v1::WorkerMessage ended;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Append(jobs, {.tag = i, .spec = "spec"});
    Append(*assigned.mutable_assigns(), {.job = ~i, .spec = "spec"});
    Append(*ended.mutable_results(), {.job = ~i, .run_ns = ~i, .device = "", .report = "report"});
    Append(*replies.mutable_results(), {.tag = i, .wait_ns = ~i, .report = "report"});
  }
  v1::WorkerMessage hello;
  hello.mutable_hello()->set_node(kLongest);
  (*hello.mutable_hello()->mutable_labels())["a"] = "b";
  for (const google::protobuf::Message* message :
       std::initializer_list<const google::protobuf::Message*>{&jobs, &replies, &assigned, &ended,
                                                               &hello}) {
    EXPECT_TRUE(SurelyFits(message->SerializeAsString(), *message)) << message->GetTypeName();
  }
}

TEST(FieldLimits, PartsOfAMessageThatComesTwiceAddUp) {
  v1::WorkerMessage first;
  v1::WorkerMessage second;
  for (int i = 0; i < 40; ++i) {
    (*first.mutable_hello()->mutable_labels())[std::to_string(i)] = "";
    (*second.mutable_hello()->mutable_labels())[std::to_string(40 + i)] = "";
  }
  const std::string bytes = first.SerializeAsString() + second.SerializeAsString();
  v1::WorkerMessage read;
  EXPECT_EQ(std::string(Parse(bytes, read).message()),
            "hello.labels has 80 entries; at most 64 are allowed");
}

TEST(FieldLimits, WhatCannotBeFollowedOnTheWireIsLookedAt) {
  v1::WorkerMessage message;
  message.mutable_hello()->set_node("node");
  const std::string bytes = message.SerializeAsString();
  EXPECT_TRUE(SurelyFits(bytes, message));
  EXPECT_FALSE(SurelyFits(bytes.substr(0, bytes.size() - 1), message));  // cut off
  EXPECT_FALSE(SurelyFits("\x0b" + bytes + "\x0c", message));            // a group
  EXPECT_FALSE(SurelyFits(std::string(11, '\xff'), message));            // a number without end
  EXPECT_TRUE(SurelyFits("\xf8\x07\x01" + bytes, message));              // an unknown field
}

TEST(FieldLimits, MessagesOfAPeerAreCheckedWhenTheyAreRead) {
  v1::GetRunRequest request;
  request.set_id(kTooLong);
  v1::GetRunRequest read;
  const Status status = Parse(request.SerializeAsString(), read);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "id has 254 bytes; at most 253 are allowed");
}

}  // namespace
}  // namespace twofold::rpc
