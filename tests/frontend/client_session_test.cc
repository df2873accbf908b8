#include "frontend/streams/client_session.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/rpc/batches.h"
#include "tests/fuzz/fake_call.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kJobsOfAMessage = 128 << 10;  // at most

class ClientSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto session = std::make_shared<ClientSession>(queues_, queue::SubmitterId{1});
    client_.emplace(std::move(session), [this](std::string_view bytes) {
      EXPECT_TRUE(
          replies_.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    });
  }

  void Submit(const v1::SubmitRequest& request) {
    client_->Receive(request.SerializeAsString());
    client_->Settle();
  }

  QueueSet queues_{{{.name = "sleep"}}, {}, 1, nullptr};
  Directory directory_{std::chrono::seconds(6)};
  std::vector<v1::SubmitReply> replies_;
  std::optional<fuzz::FakeCall> client_;
};

TEST_F(ClientSessionTest, GangWhoseSpecsWouldFillTheMemoryIsRejectedForGood) {
  v1::SubmitRequest request;
  request.add_options()->set_queue("sleep");
  request.mutable_options(0)->mutable_gang()->set_size(4096);
  rpc::Append(request, {.tag = 1, .option = 0, .spec = std::string(4 << 10, 'x')});
  rpc::Append(request, {.tag = 2, .option = 0, .spec = std::string((4 << 10) + 1, 'x')});
  Submit(request);
  ASSERT_THAT(replies_, SizeIs(1));
  ASSERT_THAT(replies_[0].results().tags(), ElementsAre(2));
  EXPECT_EQ(replies_[0].results().outcomes(0), v1::OUTCOME_REJECTED);
  EXPECT_EQ(replies_[0].retry_after_ns(), 0U);
}

TEST_F(ClientSessionTest, CountsFromItsBeginToItsEnd) {
  EXPECT_EQ(queues_.traffic().clients, 1);
  { const ClientSession never_begun(queues_, queue::SubmitterId{2}); }
  EXPECT_EQ(queues_.traffic().clients, 1);
  client_->Break();
  EXPECT_EQ(queues_.traffic().clients, 0);
}

/// A client of a queue that is served by nobody yet.
class UnservedQueueTest : public ClientSessionTest {
 protected:
  void SetUp() override {
    queues_.SetDirectory(directory_);
    ClientSessionTest::SetUp();
  }

  void SubmitOneMessage() {
    v1::SubmitRequest request;
    request.add_options()->set_queue("sleep");
    for (std::uint64_t i = 0; i < kJobsOfAMessage; ++i) {
      rpc::Append(request, {.tag = ++last_tag_, .option = 0, .spec = {}});
    }
    Submit(request);
  }

  std::vector<v1::Moved> Moves() const {
    std::vector<v1::Moved> all;
    for (const v1::SubmitReply& reply : replies_) {
      all.insert(all.end(), reply.moved().begin(), reply.moved().end());
    }
    return all;
  }

  std::uint64_t last_tag_ = 0;
};

TEST_F(UnservedQueueTest, JobsWaitForAnOwnerAsFarAsThereIsRoom) {
  constexpr std::size_t kRoom = kMostWaitingBytes / (kJobsOfAMessage * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kRoom && replies_.empty(); ++i) SubmitOneMessage();
  const std::vector<v1::Moved> moves = Moves();
  ASSERT_THAT(moves, SizeIs(1)) << "the last message has no room";
  EXPECT_EQ(moves[0].queue(), "sleep");
  EXPECT_EQ(moves[0].shards_size(), 0);
  EXPECT_EQ(moves[0].tags(0), last_tag_ - kJobsOfAMessage + 1);
  EXPECT_EQ(static_cast<std::uint64_t>(moves[0].tags_size()), kJobsOfAMessage);
}

TEST_F(UnservedQueueTest, JobsThatWaitAreToldWhoServesIt) {
  SubmitOneMessage();
  EXPECT_THAT(replies_, IsEmpty());
  directory_.Publish({{"sleep", {.epoch = 1, .peer = {"a", "a:1", "a:2"}}}}, {}, Now());
  client_->Settle();
  const std::vector<v1::Moved> moves = Moves();
  ASSERT_THAT(moves, SizeIs(1));
  EXPECT_EQ(moves[0].shards(0).client_address(), "a:1");
  EXPECT_EQ(static_cast<std::uint64_t>(moves[0].tags_size()), kJobsOfAMessage);
}

}  // namespace
}  // namespace twofold::frontend
