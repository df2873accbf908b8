#include "lib/rpc/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "lib/rpc/outgoing_call.h"
#include "tests/fakes/callers_loop.h"
#include "tests/fakes/inbox.h"

namespace twofold::rpc {
namespace {

using boost::asio::ip::tcp;
using ::testing::StartsWith;

/// A server that lets everybody connect, and says nothing but what a test has it say.
class SilentServer {
 public:
  tcp::socket Accept() { return acceptor_.accept(); }

  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
};

void Greet(tcp::socket& connection) {
  constexpr std::string_view kEmptySettings("\0\0\0\4\0\0\0\0\0", 9);
  boost::asio::write(connection, boost::asio::buffer(kEmptySettings));
}

/// A call whose end the test waits for.
class Call {
 public:
  explicit Call(const std::shared_ptr<Channel>& channel) {
    call_->Start(channel, {.path = "/test.Any/Unary"});
  }

  Status Await() { return ended_.Take(); }

 private:
  testing::Inbox<Status> ended_;
  std::shared_ptr<UnaryRequest> call_ = std::make_shared<UnaryRequest>(
      "", [this](const Result<std::string>& reply) { ended_.Put(reply.status()); });
};

/// When the channel has done all that the end of its call brings about.
Status WhyOver(const Channel& channel) {
  testing::CallersLoop().Do([] {});
  EXPECT_EQ(channel.state(), Channel::State::kOver);
  return channel.why();
}

TEST(ChannelTest, IsOverWhenTheServerHasNotGreetedInTime) {
  const SilentServer server;
  const auto channel = Channel::Connect(testing::CallersLoop(), server.address(),
                                        {.patience = std::chrono::milliseconds(20)});
  EXPECT_EQ(channel->Await(std::chrono::seconds(60)), Channel::State::kOver);
  EXPECT_EQ(channel->why().message(),
            "cannot connect to " + server.address() + ": no answer within 0.02 s");
}

TEST(ChannelTest, CallHearsThatTheServerHasNotGreetedInTime) {
  const SilentServer server;
  const auto channel = Channel::Connect(testing::CallersLoop(), server.address(),
                                        {.patience = std::chrono::milliseconds(20)});
  const Status end = Call(channel).Await();
  EXPECT_EQ(end.message(), "cannot connect to " + server.address() + ": no answer within 0.02 s");
  EXPECT_EQ(end, WhyOver(*channel));
}

TEST(ChannelTest, CallHearsThatTheServerHasGoneBeforeItGreeted) {
  SilentServer server;
  const auto channel = Channel::Connect(testing::CallersLoop(), server.address(), {});
  Call call(channel);
  server.Accept().close();
  const Status end = call.Await();
  EXPECT_THAT(std::string(end.message()), StartsWith("cannot connect to " + server.address()));
  EXPECT_EQ(end, WhyOver(*channel));
}

TEST(ChannelTest, CallHearsThatTheConnectionIsLost) {
  SilentServer server;
  const auto channel = Channel::Connect(testing::CallersLoop(), server.address(), {});
  Call call(channel);
  tcp::socket connection = server.Accept();
  Greet(connection);
  EXPECT_EQ(channel->Await(std::chrono::seconds(60)), Channel::State::kReady);
  connection.close();
  const Status end = call.Await();
  EXPECT_THAT(std::string(end.message()), StartsWith("lost the connection to " + server.address()));
  EXPECT_EQ(end, WhyOver(*channel));
}

TEST(ChannelTest, MayBeDroppedAtTheMomentThatItsPatienceEnds) {
  const SilentServer server;
  for (int i = 0; i < 200; ++i) {
    auto channel = Channel::Connect(testing::CallersLoop(), server.address(),
                                    {.patience = std::chrono::milliseconds(1)});
    while (channel->state() != Channel::State::kOver) {
    }
    channel.reset();
  }
  testing::CallersLoop().Do([] {});
}

}  // namespace
}  // namespace twofold::rpc
