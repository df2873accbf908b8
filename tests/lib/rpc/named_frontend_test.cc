#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "lib/rpc/channel.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/route_dialer.h"
#include "lib/security/client.h"
#include "lib/security/server.h"
#include "tests/fakes/callers_loop.h"
#include "tests/lib/rpc/ended_stream.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

/// Certificates where one frontend names another: the first contact is known by --tls-server-name,
/// the others by the hosts of their addresses.
namespace twofold::rpc {
namespace {

using testing::KeyPair;
using testing::WriteFile;

constexpr const char* kServerName = "frontend.example";

/// A server must have a service with a method.
class SilentService final : public Service {
 public:
  SilentService() : Service("test.Silent") { Serve("Stream", &SilentService::Stream); }

 private:
  Result<std::shared_ptr<ByteStream>> Stream(const CallInfo&) { return EndedStream::Make(); }
};

class NamedFrontendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteFile(folder_ / "ca", authority_.cert());
    contact_ = Serve("contact", authority_.Issue(kServerName, false));
    named_ = Serve("named", authority_.Issue("frontend-1", true));  // for 127.0.0.1, too
    Save("caller", authority_.Issue("caller", false));
    auto caller = security::Client::Open(
        {{"", folder_ / "caller.crt", folder_ / "caller.key", folder_ / "ca"}, kServerName, ""});
    ASSERT_TRUE(caller.ok()) << caller.status();
    caller_ = *caller;
  }

  /// A server of that certificate, which asks callers for theirs.
  std::unique_ptr<Server> Serve(const std::string& name, const KeyPair& pair) {
    Save(name, pair);
    security::ServerOptions options;
    options.cert = folder_ / (name + ".crt");
    options.key = folder_ / (name + ".key");
    options.ca = folder_ / "ca";
    auto security = security::Open(options);
    EXPECT_TRUE(security.ok()) << security.status();
    Door door;
    door.security = *security;
    auto server = Listen("127.0.0.1:0", {&service_}, door);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  void Save(const std::string& name, const KeyPair& pair) {
    WriteFile(folder_ / (name + ".key"), pair.key);
    WriteFile(folder_ / (name + ".crt"), pair.cert);
  }

  /// What becomes of the first try to connect.
  static Channel::State Try(const Server& server, const security::Client& caller) {
    constexpr std::chrono::seconds kGiveUp(20);
    const auto channel = Channel::Connect(testing::CallersLoop(), ToString(server.address()),
                                          {.security = caller, .patience = kGiveUp});
    return channel->Await(kGiveUp);
  }
  static bool IsReached(const Server& server, const security::Client& caller) {
    return Try(server, caller) == Channel::State::kReady;
  }
  static bool IsRefused(const Server& server, const security::Client& caller) {
    return Try(server, caller) == Channel::State::kOver;
  }

  testing::TempDir folder_;
  const testing::Authority authority_;
  SilentService service_;
  std::unique_ptr<Server> contact_;
  std::unique_ptr<Server> named_;
  security::Client caller_;
};

TEST_F(NamedFrontendTest, IsReachedWithoutTheServerNameOfTheFirstContact) {
  EXPECT_TRUE(IsReached(*contact_, caller_));
  EXPECT_TRUE(IsRefused(*named_, caller_));
  EXPECT_TRUE(IsReached(*named_, caller_.WithoutServerName()));
}

TEST_F(NamedFrontendTest, IsReachedAlongARoute) {
  constexpr std::chrono::seconds kReachedWithin(20);
  const std::string contact = ToString(contact_->address());
  RouteDialer dialer(testing::CallersLoop(), contact, caller_);
  Route route(contact, 1);
  EXPECT_TRUE(dialer.Of(route.dial()).Connected(kReachedWithin));
  const std::string named = ToString(named_->address());
  EXPECT_TRUE(dialer.Of(route.Follow(1, {named}, Now())).Connected(kReachedWithin));
  EXPECT_TRUE(dialer.Of(route.Lost(Now())).Connected(kReachedWithin));
}

TEST_F(NamedFrontendTest, MustHaveACertificateForTheHostOfItsAddress) {
  EXPECT_TRUE(IsRefused(*contact_, caller_.WithoutServerName()));
}

TEST_F(NamedFrontendTest, MustHaveACertificateOfTheSameAuthority) {
  const testing::Authority other("other CA");
  const auto stranger = Serve("stranger", other.Issue("frontend-2", true));
  EXPECT_TRUE(IsRefused(*stranger, caller_.WithoutServerName()));
}

TEST_F(NamedFrontendTest, AsksForTheCertificateOfTheCallerToo) {
  auto anybody = security::Client::Open({{"", "", "", folder_ / "ca"}, "", ""});
  ASSERT_TRUE(anybody.ok()) << anybody.status();
  EXPECT_TRUE(IsRefused(*named_, *anybody));
}

}  // namespace
}  // namespace twofold::rpc
