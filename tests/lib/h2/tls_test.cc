// Connections over TLS, over loopback.

#include "lib/h2/tls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
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

/// A connected socket that does not block.
class PlainSocket {
 public:
  explicit PlainSocket(std::uint16_t port, const char* from = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    inet_pton(AF_INET, from, &here.sin_addr);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&here), sizeof(here)), 0);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&there), sizeof(there)), 0);
    fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  }
  [[nodiscard]] int get() const { return socket_.get(); }

 private:
  Descriptor socket_;
};

template <auto free>
struct Freed {
  void operator()(auto* object) const { free(object); }
};

/// The extension as it is in the message; `to` is a string.
int TakeServerName(SSL* session, int*, void* to) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  SSL_client_hello_get0_ext(session, TLSEXT_TYPE_server_name, &bytes, &size);
  static_cast<std::string*>(to)->assign(reinterpret_cast<const char*>(bytes), size);
  return SSL_CLIENT_HELLO_SUCCESS;
}

/// A caller that shakes hands as another library may, with any version and ciphers.
class OldCaller {
 public:
  OldCaller(const PlainSocket& socket, int version, const char* ciphers = "DEFAULT")
      : context_(SSL_CTX_new(TLS_client_method())), session_(nullptr) {
    SSL_CTX_set_max_proto_version(context_.get(), version);
    EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), ciphers), 1);
    session_.reset(SSL_new(context_.get()));
    constexpr unsigned char kH2[] = {2, 'h', '2'};
    SSL_set_alpn_protos(session_.get(), kH2, sizeof(kH2));
    SSL_set_fd(session_.get(), socket.get());
    SSL_set_connect_state(session_.get());
  }

  /// 1: done; -1: refused; 0: not yet.
  int Shake() {
    const int done = SSL_do_handshake(session_.get());
    if (done == 1) return 1;
    const int error = SSL_get_error(session_.get(), done);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  void Renegotiate() { EXPECT_EQ(SSL_renegotiate(session_.get()), 1); }

 private:
  const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Freed<SSL_free>> session_;
};

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
            .limits = limits,
            .ledger = ledger_,
            .serve = serve,
            .tls = [tls] { return *tls; },
            .on_broken_off = [this](auto&, const Closing& closing) { cause_ = closing.cause; }});
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
  Cause cause_ = Cause::kInOrder;  // of the last connection that was broken off
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

TEST_F(H2TlsTest, PlainTextIsBrokenOff) {
  Serve();
  testing::Http2Peer peer(port_);
  peer.Greet();
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
  EXPECT_EQ(cause_, Cause::kHandshake);
}

TEST_F(H2TlsTest, BegunHandshakesKeepNobodyOut) {
  ServerLimits limits;
  limits.handshakes = 10;
  Serve(CallersCertificates::kNotAsked, limits);
  std::vector<std::unique_ptr<testing::Http2Peer>> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<testing::Http2Peer>(port_));
  EXPECT_TRUE(Call(Trusting()).ended->ok());
  EXPECT_LE(server_->connections(), 12U);
  EXPECT_EQ(cause_, Cause::kTooManyHandshakes);
}

TEST_F(H2TlsTest, TheHostThatBeginsMostHandshakesMakesRoomForThem) {
  ServerLimits limits;
  limits.handshakes = 10;
  Serve(CallersCertificates::kNotAsked, limits);
  PlainSocket slow(port_, "127.0.0.2");  // and so the oldest
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->connections() == 1; }));
  std::vector<std::unique_ptr<testing::Http2Peer>> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<testing::Http2Peer>(port_));
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().accepted == 51; }));
  EXPECT_EQ(server_->counts().broken_off, 41U);
  OldCaller caller(slow, TLS1_3_VERSION);
  EXPECT_TRUE(TurnUntil(loop_, [&] { return caller.Shake() == 1; }));
}

TEST_F(H2TlsTest, OfTls12CiphersOfHttp2AreTaken) {
  Serve();
  const auto is_taken = [this](const char* cipher) {
    PlainSocket socket(port_);
    OldCaller caller(socket, TLS1_2_VERSION, cipher);
    int shaken = 0;
    EXPECT_TRUE(TurnUntil(loop_, [&] { return (shaken = caller.Shake()) != 0; }));
    return shaken == 1;
  };
  EXPECT_TRUE(is_taken("ECDHE+AESGCM"));
  EXPECT_TRUE(is_taken("ECDHE+CHACHA20"));
  EXPECT_FALSE(is_taken("DHE+AESGCM")) << "there are no parameters";
  EXPECT_FALSE(is_taken("AES256-GCM-SHA384")) << "one key for all connections";
  EXPECT_FALSE(is_taken("ECDHE+AES:!AESGCM:!AESCCM")) << "CBC";
}

TEST_F(H2TlsTest, NobodyRenegotiates) {
  Serve();
  PlainSocket socket(port_);
  OldCaller caller(socket, TLS1_2_VERSION);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return caller.Shake() == 1; }));
  caller.Renegotiate();
  int shaken = 0;
  EXPECT_TRUE(TurnUntil(loop_, [&] { return (shaken = caller.Shake()) != 0; }));
  EXPECT_EQ(shaken, -1);
}

TEST_F(H2TlsTest, CallersSayByWhatNameTheyKnowTheServer) {
  std::string asked_for;
  const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_client_hello_cb(context.get(), TakeServerName, &asked_for);
  const Loopback listener;
  const auto tls = CallersTls(Trusting(), "frontend.example");
  Client client(loop_, Client::Options{});
  ASSERT_TRUE(client.Connect(ConnectingTo(listener.port), "server", *tls).ok());
  std::unique_ptr<SSL, Freed<SSL_free>> session(SSL_new(context.get()));
  Descriptor socket;
  EXPECT_TRUE(TurnUntil(loop_, [&] {
    if (socket.get() < 0) {
      socket = Descriptor(accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK));
      if (socket.get() >= 0) SSL_set_fd(session.get(), socket.get());
    }
    if (socket.get() >= 0) SSL_accept(session.get());
    return !asked_for.empty();
  }));
  EXPECT_THAT(asked_for, HasSubstr("frontend.example"));
}

TEST_F(H2TlsTest, HandshakeThatDoesNotGoOnEndsInTime) {
  ServerLimits limits;
  limits.connection.greeting = milliseconds(20);
  Serve(CallersCertificates::kNotAsked, limits);
  const testing::Http2Peer silent(port_);
  ASSERT_TRUE(TurnUntil(loop_, [&] { return server_->counts().broken_off == 1; }));
  EXPECT_EQ(cause_, Cause::kTooSlow);
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

TEST_F(H2TlsTest, CertificatesThatOpenSslWouldNotShowAreRefusedAtOnce) {
  const KeyPair weak = authority_.IssueShort("server");
  const security::TlsMaterial material{.cert = weak.cert, .key = weak.key, .ca = authority_.cert()};
  const Status too_short = absl::InvalidArgumentError("the certificate: ee key too small");
  EXPECT_EQ(ServersTls(material, CallersCertificates::kNotAsked).status(), too_short);
  EXPECT_EQ(CallersTls(material, "server").status(), too_short);
  security::TlsMaterial chained = Material("server");
  chained.cert += weak.cert;
  EXPECT_EQ(ServersTls(chained, CallersCertificates::kNotAsked).status(),
            absl::InvalidArgumentError("a certificate of its chain: ca key too small"));
}

TEST_F(H2TlsTest, WithoutANameNoServerIsTrusted) {
  EXPECT_TRUE(absl::IsInvalidArgument(CallersTls(Trusting(), "").status()));
}

TEST_F(H2TlsTest, WhatCannotBeBegunFailsInTheHandshake) {
  Serve();
  const RecordingEnd& end = Call(Trusting(), std::string(300, 'x'));  // longer than a name may be
  EXPECT_TRUE(absl::IsUnavailable(*end.ended)) << *end.ended;
  EXPECT_THAT(std::string(end.ended->message()), HasSubstr("TLS: ssl3 ext invalid servername"));
}

}  // namespace
}  // namespace twofold::h2
