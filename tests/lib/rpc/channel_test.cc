#include "lib/rpc/channel.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "tests/fakes/callers_loop.h"

namespace twofold::rpc {
namespace {

using boost::asio::ip::tcp;

/// A server that lets everybody connect, and says nothing.
class SilentServer {
 public:
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
};

TEST(ChannelTest, IsOverWhenTheServerHasNotGreetedInTime) {
  const SilentServer server;
  const auto channel = Channel::Connect(testing::CallersLoop(), server.address(),
                                        {.patience = std::chrono::milliseconds(20)});
  EXPECT_EQ(channel->Await(std::chrono::seconds(60)), Channel::State::kOver);
  EXPECT_EQ(channel->why().message(), "no connection to " + server.address() + " within 0.02 s");
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
