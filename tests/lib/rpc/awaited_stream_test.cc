#include "lib/rpc/awaited_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/common/task.h"
#include "lib/rpc/awaited_call.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "tests/fakes/callers_loop.h"
#include "tests/fakes/inbox.h"

namespace twofold::rpc {
namespace {

using ::testing::ElementsAre;

/// Says each message twice, and at last how many there were.
class TwiceStream final : public AwaitedStream {
 public:
  explicit TwiceStream(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~TwiceStream() override { --alive_; }

 private:
  void Serve() override { Run(shared_from_this()); }

  Detached Run(std::shared_ptr<void> /*self*/) {
    int count = 0;
    for (;; ++count) {
      std::optional<std::string> asked = co_await Read();
      if (!asked) break;
      std::string once = *asked;
      const bool is_taken = co_await Write(once);
      if (!is_taken) co_return;
      const bool both_have = co_await Write(*asked);
      if (!both_have) co_return;
    }
    Finish(absl::OutOfRangeError(std::to_string(count)), {{"count", std::to_string(count)}});
  }

  std::atomic<int>& alive_;
};

/// Two coroutines write at once, and what they write is as large as a message may be.
class TwoWriters final : public AwaitedStream {
 public:
  explicit TwoWriters(std::atomic<int>& left) : left_(left) {}

 private:
  static constexpr std::size_t kBytes = 1 << 20;

  void Serve() override {
    Say('a', shared_from_this());
    Say('b', shared_from_this());
  }

  Detached Say(char letter, std::shared_ptr<void> /*self*/) {
    for (int i = 0; i < 10; ++i) {
      std::string message(kBytes, letter);
      const bool is_taken = co_await Write(message);
      if (!is_taken) co_return;
      ++left_;
    }
    if (++done_ == 2) Finish(absl::OkStatus());
  }

  std::atomic<int>& left_;
  int done_ = 0;
};

/// Reads a message, and hands the call over.
class Forwarder final : public AwaitedStream {
 public:
  explicit Forwarder(std::shared_ptr<ByteStream> next) : next_(std::move(next)) {}

 private:
  void Serve() override { Run(shared_from_this()); }

  Detached Run(std::shared_ptr<void> /*self*/) {
    std::optional<std::string> first = co_await Read();
    HandOver(next_, std::move(first));
  }

  const std::shared_ptr<ByteStream> next_;
};

class AwaitedService final : public Service {
 public:
  AwaitedService() : Service("test.Awaited") {
    Serve("Twice", &AwaitedService::Twice);
    Serve("Two", &AwaitedService::Two);
    Serve("Forward", &AwaitedService::Forward);
  }

  std::atomic<int> alive = 0;
  std::atomic<int> left = 0;

 private:
  Result<std::shared_ptr<ByteStream>> Twice(const CallInfo&) {
    return std::make_shared<TwiceStream>(alive);
  }
  Result<std::shared_ptr<ByteStream>> Two(const CallInfo&) {
    return std::make_shared<TwoWriters>(left);
  }
  Result<std::shared_ptr<ByteStream>> Forward(const CallInfo&) {
    return std::make_shared<Forwarder>(std::make_shared<TwiceStream>(alive));
  }
};

/// What a caller has heard.
struct Heard {
  std::vector<std::string> messages;
  Status status;
  h2::Metadata trailers;
};

Detached Say(std::shared_ptr<AwaitedCall> call, std::vector<std::string> messages) {
  for (std::string& each : messages) {
    const bool is_taken = co_await call->Write(each);
    if (!is_taken) co_return;
  }
  call->HalfClose();
}

Detached Hear(std::shared_ptr<AwaitedCall> call, testing::Inbox<Heard>& into) {
  Heard heard;
  for (;;) {
    std::optional<std::string> message = co_await call->Read();
    if (!message) break;
    heard.messages.push_back(*std::move(message));
  }
  heard.status = call->status();
  heard.trailers = call->trailers();
  into.Put(std::move(heard));
}

class AwaitedStreamTest : public ::testing::Test {
 protected:
  AwaitedStreamTest() {
    auto server = Listen("127.0.0.1:0", {&service_});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::shared_ptr<AwaitedCall> Call(const std::string& method) {
    auto call = std::make_shared<AwaitedCall>();
    call->Start(Channel::Connect(testing::CallersLoop(), ToString(server_->address()), {}),
                {.path = "/test.Awaited/" + method});
    return call;
  }

  Heard Exchange(const std::string& method, std::vector<std::string> messages) {
    const auto call = Call(method);
    Say(call, std::move(messages));
    Hear(call, heard_);
    return heard_.Take();
  }

  testing::Inbox<Heard> heard_;
  AwaitedService service_;
  std::unique_ptr<Server> server_;
};

TEST_F(AwaitedStreamTest, ReadsAndWritesOneMessageAfterTheOtherAndSaysHowItEnds) {
  const Heard heard = Exchange("Twice", {"a", "", "c"});
  EXPECT_THAT(heard.messages, ElementsAre("a", "a", "", "", "c", "c"));
  EXPECT_EQ(heard.status, absl::OutOfRangeError("3"));
  ASSERT_NE(h2::Find(heard.trailers, "count"), nullptr);
  EXPECT_EQ(*h2::Find(heard.trailers, "count"), "3");
}

TEST_F(AwaitedStreamTest, ServesACallWithoutAMessage) {
  EXPECT_EQ(Exchange("Twice", {}).status, absl::OutOfRangeError("0"));
}

TEST_F(AwaitedStreamTest, WhoeverTakesTheCallOverGetsTheFirstMessageAndAllThatFollow) {
  const Heard heard = Exchange("Forward", {"a", "b", "c"});
  EXPECT_THAT(heard.messages, ElementsAre("a", "a", "b", "b", "c", "c"));
  EXPECT_EQ(heard.status, absl::OutOfRangeError("3"));
}

TEST_F(AwaitedStreamTest, CallWithoutAMessageIsHandedOverToo) {
  EXPECT_EQ(Exchange("Forward", {}).status, absl::OutOfRangeError("0"));
}

TEST_F(AwaitedStreamTest, MessagesOfTwoWritersAreWhole) {
  const Heard heard = Exchange("Two", {});
  ASSERT_EQ(heard.messages.size(), 20U);
  for (const std::string& each : heard.messages) {
    EXPECT_EQ(each, std::string(each.size(), each[0]));
  }
  EXPECT_TRUE(heard.status.ok()) << heard.status;
}

TEST_F(AwaitedStreamTest, WritersWaitForACallerThatDoesNotRead) {
  const auto call = Call("Two");
  Say(call, {});
  // Only what the windows hold has left when an exchange of another connection is over.
  Exchange("Twice", {"a"});
  EXPECT_LT(service_.left, 20);
  Hear(call, heard_);
  EXPECT_EQ(heard_.Take().messages.size(), 20U);
}

TEST_F(AwaitedStreamTest, CoroutineEndsWhenTheCallerIsGone) {
  for (const char* method : {"Twice", "Forward"}) {
    const auto call = Call(method);
    std::string asked = "a";
    testing::Inbox<std::string> first;
    [](std::shared_ptr<AwaitedCall> by, std::string message, auto& to) -> Detached {
      (void)co_await by->Write(message);
      std::optional<std::string> answer = co_await by->Read();
      to.Put(answer.value_or("none"));
    }(call, asked, first);
    EXPECT_EQ(first.Take(), "a");
    call->Cancel();
    Hear(call, heard_);
    EXPECT_TRUE(absl::IsCancelled(heard_.Take().status));
  }
  server_->Shutdown(std::chrono::seconds(60));
  EXPECT_EQ(service_.alive, 0);
}

TEST_F(AwaitedStreamTest, CallThatIsTakenBackTwiceBeforeItLeavesLeavesTheConnection) {
  const auto channel = Channel::Connect(testing::CallersLoop(), ToString(server_->address()), {});
  ASSERT_EQ(channel->Await(std::chrono::seconds(60)), Channel::State::kReady);
  testing::CallersLoop().Do([&] {
    const auto call = std::make_shared<AwaitedCall>();
    call->Start(channel, {.path = "/test.Awaited/Two"});
    Hear(call, heard_);
    call->Cancel();
    call->Cancel();
  });
  EXPECT_TRUE(absl::IsCancelled(heard_.Take().status));
  const auto next = std::make_shared<AwaitedCall>();
  next->Start(channel, {.path = "/test.Awaited/Twice"});
  Say(next, {"a"});
  Hear(next, heard_);
  EXPECT_EQ(heard_.Take().status, absl::OutOfRangeError("1"));
}

TEST_F(AwaitedStreamTest, CallIsTakenBackThatIsOnItsWayFromAnotherThread) {
  const auto channel = Channel::Connect(testing::CallersLoop(), ToString(server_->address()), {});
  ASSERT_EQ(channel->Await(std::chrono::seconds(60)), Channel::State::kReady);
  const auto call = std::make_shared<AwaitedCall>();
  testing::CallersLoop().Do([&] {
    std::thread([&] { call->Start(channel, {.path = "/test.Awaited/Two"}); }).join();
    call->Cancel();
  });
  Hear(call, heard_);
  EXPECT_TRUE(absl::IsCancelled(heard_.Take().status));
}

TEST_F(AwaitedStreamTest, CallToNobodyEndsForWhoeverReadsAndWrites) {
  const std::string address = ToString(server_->address());
  server_.reset();
  const auto call = std::make_shared<AwaitedCall>();
  call->Start(Channel::Connect(testing::CallersLoop(), address, {}), {.path = "/test.Awaited/Two"});
  Say(call, {"a", "b"});
  Hear(call, heard_);
  const Heard heard = heard_.Take();
  EXPECT_TRUE(absl::IsUnavailable(heard.status)) << heard.status;
  EXPECT_FALSE(call->is_servers_word());
}

}  // namespace
}  // namespace twofold::rpc
