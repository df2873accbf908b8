#include "lib/rpc/dialer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "lib/rpc/listen.h"
#include "tests/fakes/callers_loop.h"
#include "tests/lib/rpc/ended_stream.h"
#include "tests/support/name_server.h"
#include "tests/support/program.h"

namespace twofold::rpc {
namespace {

using std::chrono::seconds;

constexpr const char* kName = "frontend.test";
constexpr const char* kFirstHost = "127.0.0.1";
constexpr const char* kSecond = "127.0.0.2";

// A server is found within five seconds; here they may be slow ones.
constexpr Duration kSoon = seconds(10);

// Longer than any pause between two tries.
constexpr Duration kOutage = seconds(28);

/// A server must have a service with a method.
class AnyService final : public Service {
 public:
  AnyService() : Service("test.Any") { Serve("Stream", &AnyService::Stream); }

 private:
  Result<std::shared_ptr<ByteStream>> Stream(const CallInfo&) { return EndedStream::Make(); }
};

/// Of this process.
std::size_t Threads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

class DialerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { why_not_ = testing::NameServer::Isolate(); }

  void SetUp() override {
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
    names_ = std::make_unique<testing::NameServer>();
  }

  /// On the port of the server before it, if there was one.
  void Serve(const std::string& host) {
    server_.reset();
    auto server = Listen(host + ":" + port_, {&service_});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    port_ = std::to_string(server_->address().port);
  }
  void StopServing() {
    server_->Shutdown(Duration(0));
    server_.reset();
  }

  [[nodiscard]] std::string Address() const { return std::string(kName) + ":" + port_; }

  std::unique_ptr<testing::NameServer> names_;
  AnyService service_;
  std::unique_ptr<Server> server_;
  std::string port_ = "0";

  static inline std::string why_not_;
};

TEST_F(DialerTest, FindsAServerSoonAfterItsNameIsKnownAgain) {
  Serve(kFirstHost);
  names_->Refuse();
  Dialer dialer(testing::CallersLoop(), Address(), {});
  EXPECT_EQ(dialer.Connected(kOutage), nullptr);
  names_->Answer(kName, kFirstHost);
  EXPECT_NE(dialer.Connected(kSoon), nullptr);
}

TEST_F(DialerTest, FindsAServerSoonAfterTheNameServerAnswersAgain) {
  Serve(kFirstHost);
  names_->Ignore();
  Dialer dialer(testing::CallersLoop(), Address(), {});
  EXPECT_EQ(dialer.Connected(seconds(16)), nullptr);
  names_->Answer(kName, kFirstHost);
  EXPECT_NE(dialer.Connected(kSoon), nullptr);
}

// Who asks again and again, as a load does, would else do nothing but that.
TEST_F(DialerTest, WaitsForAServerThatIsAwayAllTheTimeHoweverShort) {
  names_->Refuse();
  Dialer dialer(testing::CallersLoop(), Address(), {});
  constexpr Duration kShort = std::chrono::milliseconds(50);
  const Instant begin = Now();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(dialer.Connected(kShort), nullptr);
  EXPECT_GE(Now() - begin, 4 * kShort);
}

TEST_F(DialerTest, ManyWhoWaitForASilentNameServerAreFewThreads) {
  names_->Ignore();
  const std::size_t before = Threads();
  std::vector<std::shared_ptr<Channel>> channels;
  for (int i = 0; i < 100; ++i) {
    channels.push_back(Channel::Connect(testing::CallersLoop(), "frontend.test:1",
                                        {.patience = std::chrono::milliseconds(500)}));
  }
  for (const auto& channel : channels) EXPECT_EQ(channel->Await(kSoon), Channel::State::kOver);
  EXPECT_TRUE(testing::Await([&] { return Threads() <= before + 3; })) << Threads();
}

TEST_F(DialerTest, FindsAServerSoonAfterItHasMoved) {
  Serve(kFirstHost);
  names_->Answer(kName, kFirstHost);
  Dialer dialer(testing::CallersLoop(), Address(), {});
  ASSERT_NE(dialer.Connected(kSoon), nullptr);
  StopServing();
  names_->Answer(kName, kSecond);
  Serve(kSecond);
  EXPECT_NE(dialer.Connected(kSoon), nullptr);
}

TEST_F(DialerTest, KeepsAChannelThatIsConnected) {
  Serve(kFirstHost);
  names_->Answer(kName, kFirstHost);
  Dialer dialer(testing::CallersLoop(), Address(), {});
  const auto channel = dialer.Connected(kSoon);
  names_->Refuse();
  EXPECT_EQ(dialer.Connected(kConnectPatience + seconds(1)), channel);
  EXPECT_EQ(dialer.Get(), channel);
}

}  // namespace
}  // namespace twofold::rpc
