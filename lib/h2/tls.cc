#include "lib/h2/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "lib/security/tls_context.h"

namespace twofold::h2 {
namespace {

constexpr unsigned char kHttp2[] = {2, 'h', '2'};

// What RFC 9113 (9.2.2) leaves of TLS 1.2: a key of its own for each connection, and AEAD. Without
// DHE, for which a server needs parameters: ECDHE is what each peer has to support.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

using security::internal::Bio;
using security::internal::Context;
using security::internal::Freed;
using security::internal::OpenSslReason;
using security::internal::Show;
using Ssl = std::unique_ptr<SSL, Freed<SSL_free>>;

std::string Trouble() { return "TLS: " + OpenSslReason(); }

// ---- a socket for OpenSSL. Its own one raises SIGPIPE.

int SocketOf(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

int ReadSocket(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = recv(SocketOf(bio), to, static_cast<std::size_t>(size), 0);
  if (got < 0 && WouldBlock(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

int WriteSocket(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = send(SocketOf(bio), from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && WouldBlock(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long ControlSocket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_read(made, ReadSocket);
    BIO_meth_set_write(made, WriteSocket);
    BIO_meth_set_ctrl(made, ControlSocket);
    return made;
  }();
  return method;
}

// ---- a connection

/// One that could not be begun.
class NoTransport final : public Transport {
 public:
  explicit NoTransport(std::string why) : why_(std::move(why)) {}

  Moved Handshake() override { return {Moved::State::kFailed, 0, why_}; }
  Moved Read(char*, std::size_t) override { return Handshake(); }
  Moved Write(std::string_view) override { return Handshake(); }

 private:
  const std::string why_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(Ssl session, Bio bio, int socket) : socket_(socket), session_(std::move(session)) {
    BIO_set_data(bio.get(), &socket_);
    BIO_set_init(bio.get(), 1);
    SSL_set_bio(session_.get(), bio.get(), bio.get());
    static_cast<void>(bio.release());  // the session's
  }

  Moved Handshake() override {
    ERR_clear_error();
    const int done = SSL_do_handshake(session_.get());
    if (done != 1) return Failure(done);
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session_.get(), &chosen, &size);
    if (std::string_view(reinterpret_cast<const char*>(chosen), size) != "h2") {
      return {Moved::State::kFailed, 0, "TLS: the peer does not speak HTTP/2"};
    }
    return {};
  }

  /// Gathers records, which have 16 KiB at most.
  Moved Read(char* to, std::size_t size) override {
    Moved all;
    while (all.bytes < size) {
      ERR_clear_error();
      std::size_t got = 0;
      const int done = SSL_read_ex(session_.get(), to + all.bytes, size - all.bytes, &got);
      if (done != 1) return all.bytes > 0 ? all : Failure(done);
      all.bytes += got;
    }
    return all;
  }

  Moved Write(std::string_view bytes) override {
    ERR_clear_error();
    Moved moved;
    const int done = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &moved.bytes);
    return done == 1 ? moved : Failure(done);
  }

  [[nodiscard]] std::size_t pending() const override {
    return static_cast<std::size_t>(SSL_pending(session_.get()));
  }

 private:
  Moved Failure(int done) {
    const int system = errno;
    switch (SSL_get_error(session_.get(), done)) {
      case SSL_ERROR_WANT_READ:
        return {Moved::State::kMustRead};
      case SSL_ERROR_WANT_WRITE:
        return {Moved::State::kMustWrite};
      case SSL_ERROR_ZERO_RETURN:
        return {Moved::State::kClosed};
      case SSL_ERROR_SYSCALL:
        if (system == 0) return {Moved::State::kClosed};
        return {Moved::State::kFailed, 0, std::strerror(system)};
      default:
        return {Moved::State::kFailed, 0, Trouble()};
    }
  }

  int socket_;
  const Ssl session_;
};

// ---- a side

class Side final : public Tls {
 public:
  Side(Context context, bool serves, std::string name)
      : context_(std::move(context)), serves_(serves), name_(std::move(name)) {}

  [[nodiscard]] std::unique_ptr<Transport> Over(int socket) const override {
    ERR_clear_error();
    Ssl session(SSL_new(context_.get()));
    Bio bio(BIO_new(SocketMethod()));
    if (session == nullptr || bio == nullptr || (!serves_ && !Expect(session.get()))) {
      return std::make_unique<NoTransport>(Trouble());
    }
    serves_ ? SSL_set_accept_state(session.get()) : SSL_set_connect_state(session.get());
    return std::make_unique<TlsTransport>(std::move(session), std::move(bio), socket);
  }

 private:
  /// False: OpenSSL refuses the name.
  bool Expect(SSL* session) const {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name_.c_str()) == 1) return true;
    ERR_clear_error();  // it is no address
    return SSL_set1_host(session, name_.c_str()) == 1 &&
           // Its macro casts as C does.
           SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(name_.c_str())) == 1;
  }

  const Context context_;
  const bool serves_;
  const std::string name_;
};

/// The system's authorities, if `authorities` is empty.
Status Trust(SSL_CTX* context, const std::string& authorities) {
  if (!authorities.empty()) return security::internal::Trust(context, authorities);
  if (SSL_CTX_set_default_verify_paths(context) == 1) return absl::OkStatus();
  return absl::InternalError("the system's authorities: " + OpenSslReason());
}

/// Null: OpenSSL has no room for it, or lacks what it needs.
Context NewContext(const SSL_METHOD* method) {
  ERR_clear_error();
  Context context(SSL_CTX_new(method));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context.get(), kCiphers) != 1 ||
      SSL_CTX_set_num_tickets(context.get(), 0) != 1) {
    return nullptr;
  }
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                          SSL_OP_IGNORE_UNEXPECTED_EOF  // HTTP/2 sees what is cut off
  );
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

Status NoContext() { return absl::InternalError(Trouble()); }

/// Takes HTTP/2 or ends the handshake.
int Choose(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
           unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kHttp2, sizeof(kHttp2), offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

Result<std::shared_ptr<const Tls>> ServersTls(const security::TlsMaterial& material,
                                              CallersCertificates callers) {
  Context context = NewContext(TLS_server_method());
  if (context == nullptr) return NoContext();
  if (Status shown = Show(context.get(), material.cert, material.key); !shown.ok()) return shown;
  SSL_CTX_set_alpn_select_cb(context.get(), Choose, nullptr);
  if (callers == CallersCertificates::kRequired) {
    if (Status trusted = Trust(context.get(), material.ca); !trusted.ok()) return trusted;
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return std::shared_ptr<const Tls>(std::make_shared<Side>(std::move(context), true, ""));
}

Result<std::shared_ptr<const Tls>> CallersTls(const security::TlsMaterial& material,
                                              const std::string& name) {
  // OpenSSL would take any.
  if (name.empty()) return absl::InvalidArgumentError("the server has no name to be known by");
  Context context = NewContext(TLS_client_method());
  if (context == nullptr) return NoContext();
  if (!material.cert.empty()) {
    if (Status shown = Show(context.get(), material.cert, material.key); !shown.ok()) return shown;
  }
  if (Status trusted = Trust(context.get(), material.ca); !trusted.ok()) return trusted;
  // 0 is well.
  if (SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof(kHttp2)) != 0) return NoContext();
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return std::shared_ptr<const Tls>(std::make_shared<Side>(std::move(context), false, name));
}

}  // namespace twofold::h2
