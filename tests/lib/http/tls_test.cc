#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "lib/http/client.h"
#include "lib/http/client_connection.h"
#include "lib/http/events.h"
#include "lib/http/guard.h"
#include "lib/http/router.h"
#include "lib/http/server.h"
#include "lib/security/server.h"
#include "tests/lib/http/peer.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::http {
namespace {

using security::Role;
using security::Roles;
using testing::Authority;
using ::testing::HasSubstr;
using testing::WriteFile;

constexpr auto kTimeout = std::chrono::seconds(10);

/// Says whether the peer has shown a certificate; /open is for all, the rest for admins.
class TlsTest : public ::testing::Test {
 protected:
  void Serve(bool certificates, bool tokens) {
    Install(authority_.Issue("server"));
    WriteFile(folder_ / "ca", authority_.cert());
    WriteFile(folder_ / "tokens",
              "admin root admin-admin-admin\nclient load client-client-client\n");
    security::ServerOptions options;
    options.cert = folder_ / "crt";
    options.key = folder_ / "key";
    if (certificates) options.ca = folder_ / "ca";
    if (tokens) options.token_file = folder_ / "tokens";
    const auto security = security::Open(options);
    ASSERT_TRUE(security.ok()) << security.status();
    gate_ = std::make_shared<security::Gate>("http", security->tokens);
    const auto roles = [](const Request& request) {
      return request.path == "/open" ? Roles::Open() : Roles{Role::kAdmin};
    };
    const Handler handler = [](const Request& request) {
      return PlainText(200, request.has_certificate ? "certificate" : "nobody");
    };
    server_ =
        Server::Start({"127.0.0.1", 0}, Guard(gate_, security->asks_certificate, roles, handler),
                      {.tls = security->tls})
            .value();
  }

  void Install(const testing::KeyPair& pair) {
    WriteFile(folder_ / "key", pair.key);
    WriteFile(folder_ / "crt", pair.cert);
  }

  Result<Response> Ask(const std::string& path, const security::Client& peer,
                       const std::string& host = "localhost") {
    return Get("https://" + host + ":" + std::to_string(server_->port()) + path, kTimeout, peer);
  }

  security::Client Peer(const Authority& trusted, const std::string& token = "",
                        bool certificate = false, const std::string& server_name = "") {
    security::ClientOptions options;
    options.ca = folder_ / "peer.ca";
    options.server_name = server_name;
    WriteFile(options.ca, trusted.cert());
    if (certificate) {
      const testing::KeyPair pair = authority_.Issue("peer", false);
      WriteFile(options.cert = folder_ / "peer.crt", pair.cert);
      WriteFile(options.key = folder_ / "peer.key", pair.key);
    }
    if (!token.empty()) WriteFile(options.token_file = folder_ / "peer.token", token);
    return security::Client::Open(options).value();
  }

  testing::TempDir folder_;
  const Authority authority_;
  std::shared_ptr<security::Gate> gate_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, ServesThoseWhoTrustItsNameAndCa) {
  Serve(false, false);
  const auto answer = Ask("/", Peer(authority_));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, "nobody");
  EXPECT_TRUE(Ask("/", Peer(authority_), "127.0.0.1").ok());
  EXPECT_TRUE(Ask("/", Peer(authority_, "", false, "server")).ok());
  EXPECT_FALSE(Ask("/", Peer(authority_, "", false, "another")).ok());
  const Authority stranger("Stranger");
  EXPECT_EQ(Ask("/", Peer(stranger)).status().code(), absl::StatusCode::kUnavailable);
  const Status unknown = Ask("/", security::Client()).status();
  EXPECT_TRUE(absl::IsUnavailable(unknown)) << unknown;
  EXPECT_THAT(std::string(unknown.message()), ::testing::HasSubstr("(--tls-ca)"));
}

TEST_F(TlsTest, PlainTextIsToldToUseTls) {
  Serve(false, false);
  const std::string answer = http::Ask(server_->port(), "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(StatusOf(answer), 400);
  EXPECT_THAT(answer, HasSubstr("this port speaks TLS"));
}

TEST_F(TlsTest, NewConnectionsGetTheNewCertificate) {
  Serve(false, false);
  const security::Client old_trust = Peer(authority_);
  ASSERT_TRUE(Ask("/", old_trust).ok());
  const Authority next("Next CA");
  Install(next.Issue("server"));
  EXPECT_TRUE(Ask("/", Peer(next)).ok());
  WriteFile(folder_ / "crt", "broken");
  EXPECT_TRUE(Ask("/", Peer(next)).ok());
}

TEST_F(TlsTest, PeersWithoutACertificateGetOnlyWhatIsOpen) {
  Serve(true, false);
  EXPECT_EQ(Ask("/", Peer(authority_))->status, 403);
  EXPECT_EQ(Ask("/open", Peer(authority_))->body, "nobody");
  EXPECT_EQ(Ask("/", Peer(authority_, "", true))->body, "certificate");
  EXPECT_EQ(gate_->denied(security::Reason::kNoCertificate), 1U);
}

TEST_F(TlsTest, TokensAreAskedFor) {
  Serve(false, true);
  const auto none = Ask("/", Peer(authority_));
  EXPECT_EQ(none->status, 401);
  EXPECT_EQ(none->headers.at("www-authenticate"), "Bearer realm=\"twofold\"");
  EXPECT_EQ(Ask("/", Peer(authority_, "nobody-nobody-nobody"))->status, 401);
  EXPECT_EQ(Ask("/", Peer(authority_, "client-client-client"))->status, 403);
  EXPECT_EQ(Ask("/", Peer(authority_, "admin-admin-admin"))->status, 200);
  EXPECT_EQ(Ask("/open", Peer(authority_))->status, 200);
}

TEST_F(TlsTest, AnyCertificateIsLetInAndJudgedWithEachRequest) {
  const Authority stranger("Stranger");
  const testing::KeyPair own = authority_.Issue("server");
  std::atomic<bool> vouches = false;
  std::atomic<std::size_t> shown = 0;
  ServerOptions options;
  options.material = [material = std::make_shared<const security::TlsMaterial>(
                          security::TlsMaterial{own.cert, own.key, ""})] { return material; };
  options.vouches = [&](const std::vector<std::string>& certificates) {
    shown += certificates.size();
    return vouches.load();
  };
  server_ = Server::Start(
                {"127.0.0.1", 0},
                [](const Request& request) {
                  return PlainText(200, request.has_certificate ? "certificate" : "nobody");
                },
                options)
                .value();
  EXPECT_EQ(Ask("/", Peer(authority_))->body, "nobody");
  EXPECT_EQ(shown, 0U) << "there is nothing to judge";
  const testing::KeyPair theirs = stranger.Issue("peer", false);
  ClientConnection connection;
  const Instant deadline = Now() + kTimeout;
  const auto tls = std::make_shared<const security::TlsMaterial>(
      security::TlsMaterial{theirs.cert, theirs.key, authority_.cert()});
  ASSERT_TRUE(
      connection.Open({.address = {"localhost", server_->port()}, .tls = tls}, deadline).ok());
  const auto ask = [&] {
    std::string body;
    EXPECT_TRUE(connection.Send({"GET", "/", {{"Host", "localhost"}}, ""}, deadline).ok());
    EXPECT_TRUE(connection.ReceiveHead(deadline).ok());
    EXPECT_TRUE(connection.ReceiveBody(body, deadline).ok());
    return body;
  };
  EXPECT_EQ(ask(), "nobody");
  vouches = true;
  EXPECT_EQ(ask(), "certificate") << "on the same connection";
  vouches = false;
  EXPECT_EQ(ask(), "nobody");
  EXPECT_EQ(shown, 3U);
}

/// A stream whose every event is its number; used on the server's thread.
class Counting final : public EventSource {
 public:
  std::vector<EventBytes> Next(Instant) override {
    return {std::make_shared<const std::string>("data: " + std::to_string(++count_) + "\n\n")};
  }

 private:
  int count_ = 0;
};

TEST_F(TlsTest, EventsStreamUntilStop) {
  Install(authority_.Issue("server"));
  security::ServerOptions options;
  options.cert = folder_ / "crt";
  options.key = folder_ / "key";
  const auto stream = [](const Request&) { return Events(std::make_shared<Counting>()); };
  server_ = Server::Start({"127.0.0.1", 0}, stream,
                          {.event_period = std::chrono::milliseconds(1),
                           .tls = security::Open(options)->tls,
                           .stop_grace = std::chrono::minutes(5)})
                .value();
  const Instant deadline = Now() + std::chrono::seconds(60);
  ClientConnection connection;
  ASSERT_TRUE(
      connection.Open({{"localhost", server_->port()}, Peer(authority_).Tls()}, deadline).ok());
  ASSERT_TRUE(connection.Send({"GET", "/", {{"Host", "localhost"}}, ""}, deadline).ok());
  ASSERT_EQ(connection.ReceiveHead(deadline)->status, 200);
  std::string body;
  while (body.find("data: 3\n\n") == body.npos) {
    ASSERT_TRUE(connection.ReceiveBody(body, deadline).ok());
  }
  EXPECT_TRUE(body.starts_with("data: 1\n\ndata: 2\n\n"));
  server_->Stop();
  while (connection.ReceiveBody(body, deadline).ok()) {
  }
  EXPECT_LT(Now(), deadline);
}

TEST_F(TlsTest, StopsWithAPeerThatNeverBeginsTheHandshake) {
  Serve(false, false);
  http::Peer silent(server_->port());
  silent.Send("\x16");
  server_->Stop();
  silent.ReadAll();
  EXPECT_TRUE(silent.closed());
}

}  // namespace
}  // namespace twofold::http
