// Connections over TLS, over loopback.

#include "lib/h2/tls.h"

#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "lib/h2/client.h"
#include "lib/h2/server.h"
#include "tests/lib/h2/loopback.h"
#include "tests/lib/h2/session_pair.h"
#include "tests/support/certificates.h"
#include "tests/support/http2_peer.h"

namespace twofold::h2 {
namespace {

using std::chrono::milliseconds;
using testing::Authority;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::KeyPair;

class H2TlsTest : public ::testing::Test {
 protected:
  security::TlsMaterial Material(const std::string& name, bool local = true) const {
    const KeyPair keys = authority_.Issue(name, local);
    return {.cert = keys.cert, .key = keys.key, .ca = authority_.cert()};
  }

  void Serve(CallersCertificates callers = CallersCertificates::kNotAsked,
             const ServerLimits& limits = {}) {
    const auto tls = ServersTls(Material("server"), callers);
    ASSERT_TRUE(tls.ok()) << tls.status();
    Loopback listener;
    port_ = listener.port;
    std::vector<Descriptor> listeners;
    listeners.push_back(std::move(listener.socket));
    const auto serve = [](Stream& stream, auto&) -> Result<std::shared_ptr<End>> {
      auto end = std::make_shared<RecordingEnd>();
      end->stream = &stream;
      end->on_half_closed = [raw = end.get()] {
        for (const std::string& message : raw->messages) raw->Send(message);
        raw->stream->Finish(absl::OkStatus());
      };
      return std::shared_ptr<End>(std::move(end));
    };
    server_ = std::make_unique<Server>(
        loop_, std::move(listeners),
        Server::Options{
            .limits = limits, .ledger = ledger_, .serve = serve, .tls = [tls] { return *tls; }});
  }

  /// A whole call by a caller that shows and demands what `material` has.
  RecordingEnd& Call(const security::TlsMaterial& material, const std::string& name = "127.0.0.1",
                     const std::string& message = "hello") {
    const auto tls = CallersTls(material, name);
    EXPECT_TRUE(tls.ok()) << tls.status();
    client_ = std::make_unique<Client>(loop_, Client::Options{});
    EXPECT_TRUE(client_->Connect(ConnectingTo(port_), "server", *tls).ok());
    end_ = std::make_shared<RecordingEnd>();
    const auto stream = client_->Call({.path = "/x/y", .scheme = "https"}, end_);
    end_->stream = *stream;
    end_->Send(message);
    end_->stream->HalfClose();
    EXPECT_TRUE(TurnUntil(loop_, [&] { return end_->ended.has_value(); }));
    return *end_;
  }
  [[nodiscard]] security::TlsMaterial Trusting() const { return {"", "", authority_.cert()}; }

  const Authority authority_;
  Loop loop_;
  std::uint16_t port_ = 0;
  Ledger ledger_{{}};
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
  std::shared_ptr<RecordingEnd> end_;
};

TEST_F(H2TlsTest, CallIsAnswered) {
  Serve();
  const RecordingEnd& end = Call(Trusting());
  EXPECT_TRUE(end.ended->ok()) << *end.ended;
  EXPECT_THAT(end.messages, ElementsAre("hello"));
}

TEST_F(H2TlsTest, MegabytesPass) {
  Serve();
  const std::string big(4 << 20, 'x');
  const RecordingEnd& end = Call(Trusting(), "localhost", big);
  EXPECT_TRUE(end.ended->ok()) << *end.ended;
  EXPECT_TRUE(end.messages.size() == 1 && end.messages[0] == big);
}

TEST_F(H2TlsTest, ServerOfAnotherNameOrAuthorityIsNotTrusted) {
  Serve();
  for (const auto& [authorities, name] : {std::pair(authority_.cert(), "elsewhere.example"),
                                          std::pair(Authority("Another CA").cert(), "localhost")}) {
    const RecordingEnd& end = Call({"", "", authorities}, name);
    EXPECT_TRUE(absl::IsUnavailable(*end.ended));
    EXPECT_THAT(std::string(end.ended->message()), HasSubstr("certificate verify failed"));
  }
}

TEST_F(H2TlsTest, CallersShowCertificatesWhereTheyAreRequired) {
  Serve(CallersCertificates::kRequired);
  EXPECT_FALSE(Call(Trusting()).ended->ok());
  EXPECT_TRUE(Call(Material("worker", false)).ended->ok());
  const KeyPair stranger = Authority("Another CA").Issue("worker", false);
  EXPECT_FALSE(
      Call({.cert = stranger.cert, .key = stranger.key, .ca = authority_.cert()}).ended->ok());
}

TEST_F(H2TlsTest, CallersMayShowCertificatesWhereTheyAreOptional) {
  Serve(CallersCertificates::kOptional);
  EXPECT_TRUE(Call(Trusting()).ended->ok());
  EXPECT_TRUE(Call(Material("worker", false)).ended->ok());
}

TEST_F(H2TlsTest, PlainTextIsBrokenOff) {
  Serve();
  testing::Http2Peer peer(port_);
  peer.Greet();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
}

TEST_F(H2TlsTest, BegunHandshakesKeepNobodyOut) {
  ServerLimits limits;
  limits.handshakes = 10;
  Serve(CallersCertificates::kNotAsked, limits);
  std::vector<std::unique_ptr<testing::Http2Peer>> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<testing::Http2Peer>(port_));
  EXPECT_TRUE(Call(Trusting()).ended->ok());
  EXPECT_LE(server_->connections(), 12U);
}

TEST_F(H2TlsTest, HandshakeThatDoesNotGoOnEndsInTime) {
  ServerLimits limits;
  limits.connection.greeting = milliseconds(20);
  Serve(CallersCertificates::kNotAsked, limits);
  const testing::Http2Peer silent(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
}

TEST_F(H2TlsTest, TextsThatAreNoCertificatesAreRefused) {
  security::TlsMaterial wrong = Material("server");
  wrong.cert = "nothing";
  EXPECT_TRUE(absl::IsInvalidArgument(ServersTls(wrong, CallersCertificates::kNotAsked).status()));
  wrong = Material("server");
  wrong.key = Material("other").key;
  EXPECT_TRUE(absl::IsInvalidArgument(ServersTls(wrong, CallersCertificates::kNotAsked).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(CallersTls({"", "", "nothing"}, "x").status()));
}

}  // namespace
}  // namespace twofold::h2
