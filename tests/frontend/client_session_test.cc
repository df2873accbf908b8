#include "frontend/streams/client_session.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/rpc/batches.h"
#include "tests/fuzz/fake_call.h"

namespace twofold::frontend {
namespace {

using ::testing::SizeIs;

constexpr std::uint64_t kJobsOfAMessage = 128 << 10;  // at most

/// A client of a queue that is served by nobody yet.
class UnservedQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    queues_.SetDirectory(directory_);
    auto session = std::make_shared<ClientSession>(queues_, queue::SubmitterId{1});
    client_.emplace(std::move(session), [this](const std::string& bytes) {
      v1::SubmitReply reply;
      EXPECT_TRUE(reply.ParseFromString(bytes));
      for (const v1::Moved& one : reply.moved()) moved_.push_back(one);
    });
  }

  void SubmitOneMessage() {
    v1::SubmitRequest request;
    request.add_options()->set_queue("sleep");
    for (std::uint64_t i = 0; i < kJobsOfAMessage; ++i) {
      rpc::Append(request, {.tag = ++last_tag_, .option = 0, .spec = {}});
    }
    client_->Receive(request.SerializeAsString());
    client_->Settle();
  }

  QueueSet queues_{{{.name = "sleep"}}, {}, 1, nullptr};
  Directory directory_{std::chrono::seconds(6)};
  std::vector<v1::Moved> moved_;
  std::uint64_t last_tag_ = 0;
  std::optional<fuzz::FakeCall> client_;
};

TEST_F(UnservedQueueTest, JobsWaitForAnOwnerAsFarAsThereIsRoom) {
  constexpr std::size_t kRoom = kMostWaitingBytes / (kJobsOfAMessage * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kRoom && moved_.empty(); ++i) SubmitOneMessage();
  ASSERT_THAT(moved_, SizeIs(1)) << "the last message has no room";
  EXPECT_EQ(moved_[0].queue(), "sleep");
  EXPECT_EQ(moved_[0].shards_size(), 0);
  EXPECT_EQ(moved_[0].tags(0), last_tag_ - kJobsOfAMessage + 1);
  EXPECT_EQ(static_cast<std::uint64_t>(moved_[0].tags_size()), kJobsOfAMessage);
}

TEST_F(UnservedQueueTest, JobsThatWaitAreToldWhoServesIt) {
  SubmitOneMessage();
  EXPECT_THAT(moved_, SizeIs(0));
  directory_.Publish({{"sleep", {.epoch = 1, .peer = {"a", "a:1", "a:2"}}}}, {}, Now());
  client_->Settle();
  ASSERT_THAT(moved_, SizeIs(1));
  EXPECT_EQ(moved_[0].shards(0).client_address(), "a:1");
  EXPECT_EQ(static_cast<std::uint64_t>(moved_[0].tags_size()), kJobsOfAMessage);
}

}  // namespace
}  // namespace twofold::frontend
