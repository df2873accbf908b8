#include "frontend/cluster/relayed_stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/rpc/channel.h"
#include "tests/fakes/callers_loop.h"

namespace twofold::frontend {
namespace {

class FakeWire final : public rpc::Wire {
 public:
  void Read() override { reads = true; }
  void WantPull() override {}
  void Finish(Status status, h2::Metadata) override { finished = std::move(status); }
  void BreakOff() override {}
  void After(Duration, std::function<void()> task) override { task(); }
  void HandOver(std::shared_ptr<rpc::ByteStream> to, std::optional<std::string> message) override {
    next = std::move(to);
    first = std::move(message);
  }

  bool reads = false;
  std::optional<Status> finished;
  std::shared_ptr<rpc::ByteStream> next;
  std::optional<std::string> first;
};

/// A session of this frontend.
class Served final : public rpc::ByteStream {
  void OnBegin() override {}
  void OnRead(std::string_view) override {}
  void OnReadEnd() override {}
  void Pull(h2::MessageWriter&) override {}
  void OnDone() override {}
};

class RelayedStreamTest : public ::testing::Test {
 protected:
  using There = RelayedStream::There;

  RelayedStreamTest() { stream_->Begin(wire_); }
  ~RelayedStreamTest() override {
    if (wire_->next != nullptr) wire_->next->End();
  }

  Task<Result<There>> Find(std::string first) {
    asked_ += first;
    const Result<There> there = co_await found_;
    co_return there;
  }

  const std::shared_ptr<FakeWire> wire_ = std::make_shared<FakeWire>();
  const std::shared_ptr<Served> served_ = std::make_shared<Served>();
  std::string asked_;
  Once<There> found_;
  const std::shared_ptr<rpc::ByteStream> stream_ = std::make_shared<RelayedStream>(
      [this](std::string first) { return Find(std::move(first)); }, [this] { return served_; });
};

TEST_F(RelayedStreamTest, SessionThatServesItGetsTheFirstMessageAndTheCall) {
  found_.Give(There());
  stream_->OnRead("first");
  EXPECT_EQ(asked_, "first");
  EXPECT_EQ(wire_->next, served_);
  EXPECT_EQ(wire_->first, "first");
}

TEST_F(RelayedStreamTest, CallWithoutAMessageIsServedHere) {
  stream_->OnReadEnd();
  EXPECT_EQ(asked_, "");
  EXPECT_EQ(wire_->next, served_);
  EXPECT_EQ(wire_->first, std::nullopt);
}

TEST_F(RelayedStreamTest, FirstMessageCountsWhileItIsNotKnownWhoGetsIt) {
  wire_->reads = false;
  EXPECT_EQ(stream_->waiting_bytes(), 0U);
  stream_->OnRead("first");
  EXPECT_EQ(stream_->waiting_bytes(), 5U);
  EXPECT_FALSE(wire_->reads);
  EXPECT_EQ(wire_->next, nullptr);
  found_.Give(There());
}

TEST_F(RelayedStreamTest, CallerIsToldThatNobodyServesIt) {
  stream_->OnRead("first");
  found_.Give(absl::NotFoundError("no such queue"));
  ASSERT_TRUE(wire_->finished);
  EXPECT_EQ(*wire_->finished, absl::NotFoundError("no such queue"));
}

/// A connection to nobody.
RelayedStream::There Silent() {
  auto there = std::make_shared<rpc::AwaitedCall>();
  there->Start(rpc::Channel::Connect(testing::CallersLoop(), "127.0.0.1:1", {}), {});
  return there;
}

TEST_F(RelayedStreamTest, FirstMessageCountsUntilAnotherFrontendTakesIt) {
  testing::CallersLoop().Do([this] {
    stream_->OnRead("first");
    found_.Give(Silent());
    EXPECT_EQ(stream_->waiting_bytes(), 5U);
    stream_->End();
  });
  testing::CallersLoop().Do([] {});
}

}  // namespace
}  // namespace twofold::frontend
