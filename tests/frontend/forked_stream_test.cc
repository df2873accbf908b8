#include "frontend/cluster/forked_stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/rpc/dialer.h"
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
  void HandOver(std::shared_ptr<rpc::ByteStream>, std::optional<std::string>) override {}

  bool reads = false;
  std::optional<Status> finished;
};

/// Says what it was told.
class Served final : public rpc::ByteStream {
 public:
  std::string told;

 private:
  void OnBegin() override { StartRead(); }
  void OnRead(std::string_view bytes) override { told += bytes; }
  void OnReadEnd() override { told += " end"; }
  void Pull(h2::MessageWriter&) override {}
  void OnDone() override { told += " done"; }
  [[nodiscard]] std::size_t waiting_bytes() const override { return 7; }
};

class ForkedStreamTest : public ::testing::Test {
 protected:
  ForkedStreamTest()
      : stream_(std::make_shared<ForkedStream>(
            [this](std::string_view first, std::function<void(ForkedStream::Elsewhere)> found) {
              asked_ += first;
              found_ = std::move(found);
              return elsewhere_;
            },
            [this] { return served_; })) {
    stream_->Begin(wire_);
  }

  const std::shared_ptr<FakeWire> wire_ = std::make_shared<FakeWire>();
  const std::shared_ptr<Served> served_ = std::make_shared<Served>();
  bool elsewhere_ = false;
  std::string asked_;
  std::function<void(ForkedStream::Elsewhere)> found_;
  const std::shared_ptr<rpc::ByteStream> stream_;
};

TEST_F(ForkedStreamTest, SessionThatServesItGetsAllThatComes) {
  stream_->OnRead("first");
  EXPECT_EQ(stream_->waiting_bytes(), 7U) << "the session's";
  stream_->OnRead(" second");
  stream_->OnReadEnd();
  stream_->End();
  EXPECT_EQ(asked_, "first");
  EXPECT_EQ(served_->told, "first second end done");
}

TEST_F(ForkedStreamTest, CallWithoutAMessageIsServedHere) {
  stream_->OnReadEnd();
  EXPECT_EQ(asked_, "");
  EXPECT_TRUE(wire_->reads) << "the session hears of the end as it reads";
}

TEST_F(ForkedStreamTest, FirstMessageCountsWhileItIsNotKnownWhoGetsIt) {
  elsewhere_ = true;
  wire_->reads = false;
  EXPECT_EQ(stream_->waiting_bytes(), 0U);
  stream_->OnRead("first");
  EXPECT_EQ(stream_->waiting_bytes(), 5U);
  EXPECT_FALSE(wire_->reads);
  EXPECT_EQ(served_->told, "");
}

TEST_F(ForkedStreamTest, CallerIsToldThatNobodyServesIt) {
  elsewhere_ = true;
  stream_->OnRead("first");
  found_(absl::NotFoundError("no such queue"));
  ASSERT_TRUE(wire_->finished);
  EXPECT_EQ(*wire_->finished, absl::NotFoundError("no such queue"));
}

TEST_F(ForkedStreamTest, FirstMessageCountsUntilAnotherFrontendTakesIt) {
  rpc::LoopThread& loop = testing::CallersLoop();
  const auto nobody = std::make_shared<rpc::Dialer>(loop, "127.0.0.1:1", security::Client());
  elsewhere_ = true;
  stream_->OnRead("first");
  found_(std::make_shared<RelayedStream>(loop, nobody, h2::CallOptions()));
  EXPECT_EQ(stream_->waiting_bytes(), 5U);
  stream_->End();
  loop.Do([] {});
}

}  // namespace
}  // namespace twofold::frontend
