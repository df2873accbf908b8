#include "kubernetes/api/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "kubernetes/api/credentials.h"
#include "kubernetes/api/errors.h"
#include "tests/fakes/kube_api.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::kube {
namespace {

using absl::StatusCode;
using fakes::KubeApi;
using fakes::KubeApiOptions;
using fakes::KubeFault;
using ::testing::HasSubstr;
using Kind = KubeFault::Kind;

Json Pod(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "a"}, {"labels", {{"run", "r1"}}}}},
          {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}};
}

std::string TextOf(const Status& status) { return std::string(status.message()); }

TEST(KubeConnection, CallsShareOneConnection) {
  KubeApi api;
  Connection connection(api.access());
  const Instant before = Now();
  const auto made = connection.Do(Create(kPods, Pod("x")));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(TextAt(made->body, "/metadata/name"), "x");
  EXPECT_LE(before, made->sent);
  EXPECT_LE(made->sent, made->first_byte);
  EXPECT_LE(made->first_byte, Now());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(connection.Do(Get(kPods, {"a", "x"})).ok());
  EXPECT_EQ(api.connections(), 1);
  EXPECT_EQ(connection.counts().calls, 11U);
  EXPECT_EQ(connection.counts().connects, 1U);
}

TEST(KubeConnection, RefusalsNameTheCall) {
  KubeApi api;
  Connection connection(api.access());
  const Status missing = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(TextOf(missing), "get pod a/x: 404 Not Found: pods \"x\" not found");
  ASSERT_TRUE(connection.Do(Create(kPods, Pod("x"))).ok());
  const Status twice = connection.Do(Create(kPods, Pod("x"))).status();
  EXPECT_EQ(twice.code(), StatusCode::kAlreadyExists);
  EXPECT_FALSE(WasRepeated(twice));
  EXPECT_EQ(api.connections(), 1);
}

TEST(KubeConnection, AFaultyCallIsNotSent) {
  KubeApi api;
  Connection connection(api.access());
  EXPECT_EQ(connection.Do(Delete(kPods, {"a", ""})).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(api.requests().empty());
}

TEST(KubeConnection, ReadsAreRepeatedWhenTheConnectionBreaks) {
  KubeApi api;
  api.Put(kPods, Pod("x"));
  Connection connection(api.access());
  api.Add({Kind::kClose, "get", "pods", 2});
  const auto got = connection.Do(Get(kPods, {"a", "x"}));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(got->repeated);
  EXPECT_EQ(connection.counts().repeats, 2U);
  EXPECT_EQ(connection.counts().connects, 3U);
}

TEST(KubeConnection, ACreateWhoseAnswerWasLostSaysSo) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({Kind::kLoseReply, "create"});
  const Status found = connection.Do(Create(kPods, Pod("x"))).status();
  EXPECT_EQ(found.code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(WasRepeated(found));
  const auto object = connection.Do(Get(kPods, {"a", "x"}));
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(TextAt(object->body, "/metadata/labels/run"), "r1");
}

TEST(KubeConnection, AGeneratedNameIsNotMadeTwice) {
  KubeApi api;
  Connection connection(api.access());
  Json pod = Pod("x");
  pod["metadata"].erase("name");
  pod["metadata"]["generateName"] = "x-";
  api.Add({Kind::kLoseReply, "create"});
  EXPECT_EQ(connection.Do(Create(kPods, pod)).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(api.All(kPods).size(), 1U);
}

TEST(KubeConnection, BreaksWithoutEndAreAnError) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({Kind::kClose, "", "", 100});
  const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(status), HasSubstr("get pod a/x: " + api.url()));
  EXPECT_EQ(api.requests().size(), 4U);
}

TEST(KubeConnection, ThrottlingIsWaitedForAndCounted) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({.kind = Kind::kThrottle, .times = 3, .retry_after_s = 0});
  const auto made = connection.Do(Create(kPods, Pod("x")));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->throttled, 3);
  EXPECT_FALSE(made->repeated);
  EXPECT_EQ(connection.counts().throttled, 3U);
}

TEST(KubeConnection, ThrottlingHasABound) {
  KubeApi api;
  Connection connection(api.access(), {.max_throttled = 4});
  api.Add({.kind = Kind::kThrottle, .times = 100, .retry_after_s = 0});
  const Status status = connection.Do(Create(kPods, Pod("x"))).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(TextOf(status),
            "create pod a/x: 429 Too Many Requests: Too many requests, please try again later.");
  EXPECT_EQ(RetryAfterOf(status), Duration::zero());
  EXPECT_EQ(connection.counts().throttled, 4U);
  EXPECT_EQ(api.requests().size(), 4U);
}

TEST(KubeConnection, NobodyWaitsBeyondTheTimeout) {
  KubeApi api;
  Connection connection(api.access(), {.timeout = std::chrono::milliseconds(50)});
  api.Add({.kind = Kind::kThrottle, .retry_after_s = 3600});
  EXPECT_EQ(connection.Do(Get(kPods, {"a", "x"})).status().code(), StatusCode::kResourceExhausted);
  api.Add({Kind::kHang});
  const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(TextOf(status), HasSubstr("get pod a/x"));
}

TEST(KubeConnection, TheFirstByteIsStampedAndNotTheSending) {
  KubeApi api;
  api.Put(kPods, Pod("x"));
  Connection connection(api.access());
  api.Add({.kind = Kind::kSlow, .delay = std::chrono::milliseconds(30)});
  const auto got = connection.Do(Get(kPods, {"a", "x"}));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_GE(got->first_byte - got->sent, std::chrono::milliseconds(30));
}

TEST(KubeConnection, APageOfAProxyIsNoAnswer) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({Kind::kWrongType});
  const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(status), HasSubstr("is no JSON, so this is no API server: '<html>"));
}

TEST(KubeConnection, LongAnswersAreRefusedPackedOrNot) {
  for (const std::size_t bytes : {100'000UL, 1'000'000UL}) {  // the longer one comes packed
    KubeApi api;
    Connection connection(api.access(), {.max_reply = 50'000});
    api.Add({.kind = Kind::kHuge, .times = 1, .bytes = bytes});
    const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << bytes;
    EXPECT_THAT(TextOf(status), HasSubstr("50000 bytes"));
    api.Put(kPods, Pod("x"));
    EXPECT_TRUE(connection.Do(Get(kPods, {"a", "x"})).ok());
  }
}

TEST(KubeConnection, PackedAnswersAreUnpacked) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({.kind = Kind::kHuge, .times = 1, .bytes = 1'000'000});
  const auto got = connection.Do(Get(kPods, {"a", "x"}));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(TextAt(got->body, "/x").size(), 1'000'000U);
}

TEST(KubeConnection, NobodyThereIsUnavailable) {
  Access access;
  {
    KubeApi api;
    access = api.access();
  }
  Connection connection(access);
  const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(TextOf(status),
            "get pod a/x: " + access.config.cluster.server + ": Connection refused");
}

TEST(KubeConnection, InterruptEndsACallAtOnce) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({Kind::kHang});
  std::thread other([&] {
    while (api.requests().empty()) std::this_thread::yield();
    connection.Interrupt();
  });
  EXPECT_EQ(connection.Do(Get(kPods, {"a", "x"})).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(connection.Do(Get(kPods, {"a", "x"})).status().code(), StatusCode::kCancelled);
  other.join();
}

TEST(KubeConnection, InterruptEndsThePluginThatACallWaitsFor) {
  testing::TempDir folder;
  const std::string begun = folder / "begun";
  Config config;
  config.cluster.server = "http://127.0.0.1:1";
  config.identity.exec = ExecPlugin{};
  config.identity.exec->command = "/bin/sh";
  config.identity.exec->args = {"-c", "echo > " + begun + "; exec sleep 1000"};
  Connection connection(Open(config));
  std::thread other([&] {
    EXPECT_TRUE(testing::Await([&] { return std::filesystem::exists(begun); }));
    connection.Interrupt();
  });
  const Instant begin = Now();
  EXPECT_EQ(connection.Do(Get(kPods, {"a", "x"})).status().code(), StatusCode::kCancelled);
  EXPECT_LT(Now() - begin, std::chrono::seconds(40)) << "the plugin's own limit is a minute";
  other.join();
}

TEST(KubeConnection, A429WithoutATimeToWaitIsCountedToo) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({.kind = Kind::kStatus, .status = 429});
  EXPECT_EQ(connection.Do(Get(kPods, {"a", "x"})).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(connection.counts().throttled, 1U);
}

TEST(KubeConnection, ARefusedTokenIsReadAgain) {
  testing::TempDir folder;
  const std::string file = folder / "token";
  testing::WriteFile(file, "old\n");
  KubeApi api({.tokens = {"old"}});
  api.Put(kPods, Pod("x"));
  Config config;
  config.cluster.server = api.url();
  config.identity.token_file = file;
  Connection connection(Open(config));
  ASSERT_TRUE(connection.Do(Get(kPods, {"a", "x"})).ok());
  api.SetTokens({"new"});
  testing::WriteFile(file, "new\n");
  EXPECT_TRUE(connection.Do(Get(kPods, {"a", "x"})).ok());
  EXPECT_EQ(api.connections(), 1);
  api.SetTokens({"newer"});
  const Status status = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated);
  EXPECT_EQ(api.requests().size(), 5U);  // once more, not for ever
}

/// A proxy that connects to one server, whatever it is asked for, and says what that was.
class OneProxy {
 public:
  OneProxy(std::uint16_t server, std::string answer) : server_(server), answer_(std::move(answer)) {
    acceptor_.open(tcp::v4());
    acceptor_.bind({boost::asio::ip::address_v4::loopback(), 0});
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneProxy() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// After the connection has ended.
  [[nodiscard]] const std::string& asked() const { return asked_; }

 private:
  using tcp = boost::asio::ip::tcp;
  using Error = boost::system::error_code;

  void Serve() {
    Error error;
    tcp::socket client(io_);
    acceptor_.accept(client, error);
    if (error) return;
    boost::asio::read_until(client, boost::asio::dynamic_buffer(asked_), "\r\n\r\n", error);
    boost::asio::write(client, boost::asio::buffer(answer_), error);
    if (answer_.find(" 200 ") == std::string::npos) return;
    tcp::socket server(io_);
    server.connect({boost::asio::ip::address_v4::loopback(), server_}, error);
    std::thread back([&] { Pass(server, client); });
    Pass(client, server);
    back.join();
  }

  static void Pass(tcp::socket& from, tcp::socket& to) {
    std::array<char, 4096> bytes{};
    Error error;
    while (!error) {
      const std::size_t size = from.read_some(boost::asio::buffer(bytes), error);
      if (!error) boost::asio::write(to, boost::asio::buffer(bytes.data(), size), error);
    }
    ::shutdown(to.native_handle(), SHUT_RDWR);
  }

  const std::uint16_t server_;
  const std::string answer_;
  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;
  std::string asked_;
  std::thread thread_;
};

TEST(KubeConnection, OnlyStatus2xxIsSuccess) {
  const OneProxy elsewhere(
      0,
      "HTTP/1.1 302 Found\r\nLocation: https://login.example/?secret\r\nContent-Length: 0\r\n\r\n");
  Config config;
  config.cluster.server = "http://127.0.0.1:" + std::to_string(elsewhere.port());
  Connection connection(Open(config));
  const Status redirected = connection.Do(Get(kPods, {"a", "x"})).status();
  EXPECT_EQ(TextOf(redirected),
            "get pod a/x: 302: redirects to login.example: is a proxy in the way?");
  KubeApi api;
  Connection other(api.access());
  for (const int status : {300, 307, 399}) {
    api.Add({.kind = Kind::kStatus, .status = status});
    EXPECT_FALSE(other.Do(Get(kPods, {"a", "x"})).ok()) << status;
    api.Add({.kind = Kind::kStatus, .status = status});
    EXPECT_FALSE(other.OpenStream(Watch({kPods, "a", ""}, {"1", false, 1})).ok()) << status;
  }
}

class KubeTls : public ::testing::Test {
 protected:
  KubeApiOptions Options() {
    const testing::KeyPair server = authority_.Issue("kubernetes");
    return {.cert = server.cert, .key = server.key, .client_ca = authority_.cert()};
  }

  static Status Call(const Config& config) {
    Connection connection(Open(config));
    return connection.Do(Get(kNodes, {"", "n"})).status();
  }

  Config As(const KubeApi& api, const testing::Authority& trusted) {
    const testing::KeyPair client = authority_.Issue("admin", false);
    Config config;
    config.cluster.server = api.url();
    config.cluster.ca = trusted.cert();
    config.identity.cert = client.cert;
    config.identity.key = client.key;
    return config;
  }

  const testing::Authority authority_;
  const testing::Authority other_{"Other CA"};
};

TEST_F(KubeTls, CertificatesProveBothSides) {
  KubeApi api(Options());
  EXPECT_EQ(Call(As(api, authority_)).code(), StatusCode::kNotFound);
  Config nobody = As(api, authority_);
  nobody.identity = {};
  EXPECT_EQ(Call(nobody).code(), StatusCode::kUnauthenticated);
}

TEST_F(KubeTls, AServerOfAnotherCaIsNotBelieved) {
  KubeApi api(Options());
  const Status status = Call(As(api, other_));
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(status), HasSubstr("not one of certificate-authority"));
  Config system = As(api, other_);
  system.cluster.ca.clear();
  EXPECT_EQ(Call(system).code(), StatusCode::kUnavailable);
}

TEST_F(KubeTls, TheNameInTheCertificateCanBeGiven) {
  KubeApi api(Options());
  Config config = As(api, authority_);
  config.cluster.tls_server_name = "kubernetes";
  EXPECT_EQ(Call(config).code(), StatusCode::kNotFound);
  config.cluster.tls_server_name = "elsewhere";
  EXPECT_EQ(Call(config).code(), StatusCode::kUnavailable);
}

TEST_F(KubeTls, InsecureBelievesAnybody) {
  KubeApi api(Options());
  Config config = As(api, authority_);
  config.cluster.ca.clear();
  config.cluster.insecure = true;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(Call(config).code(), StatusCode::kNotFound);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("INSECURE"));
}

TEST_F(KubeTls, AProxyConnectsAndTlsGoesThroughIt) {
  KubeApi api(Options());
  OneProxy proxy(api.port(), "HTTP/1.1 200 Connection established\r\n\r\n");
  Config config = As(api, authority_);
  config.cluster.server = "https://kubernetes:6443";
  config.cluster.proxy = "http://u:p@127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_EQ(Call(config).code(), StatusCode::kNotFound);
  EXPECT_THAT(proxy.asked(), HasSubstr("CONNECT kubernetes:6443 HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.asked(), HasSubstr("Proxy-Authorization: Basic dTpw\r\n"));
}

TEST_F(KubeTls, WhatAProxySaysBesideItsAnswerIsNotTheServers) {
  const KubeApi api(Options());
  OneProxy proxy(api.port(),
                 "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  Config config = As(api, authority_);
  config.cluster.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  const Status status = Call(config);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(TextOf(status), HasSubstr("says more than its answer to CONNECT"));
}

TEST_F(KubeTls, AProxyThatRefusesIsNamed) {
  OneProxy proxy(0, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  Config config;
  config.cluster.server = "https://kubernetes:6443";
  config.cluster.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_THAT(TextOf(Call(config)), HasSubstr("answered 407 to CONNECT kubernetes:6443"));
}

TEST_F(KubeTls, AKeyThatIsNoneIsNamed) {
  KubeApi api(Options());
  Config config = As(api, authority_);
  config.identity.key = "nonsense";
  EXPECT_EQ(Call(config).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace twofold::kube
