#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>

#include "lib/security/client.h"
#include "lib/security/tls_context.h"

namespace twofold::security {
namespace {

constexpr int kPatience = 1;  // second
constexpr unsigned kNapMs = 5;

using internal::Context;
using BioChain = std::unique_ptr<BIO, internal::Freed<BIO_free_all>>;

/// While it lives, this thread's writes to connections that the peer has reset only fail: OpenSSL
/// writes without MSG_NOSIGNAL, and SIGPIPE ends a program that does not ignore it. What the rest
/// of the program does about SIGPIPE stays as it is.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    constexpr timespec kAtOnce{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

/// False: OpenSSL refuses what `material` has, or there is no memory.
bool Prepare(SSL_CTX* context, const TlsMaterial* material) {
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  if (context == nullptr || SSL_CTX_set_alpn_protos(context, kHttp2, sizeof kHttp2) != 0) {
    return false;
  }
  if (material == nullptr) return true;  // whoever it is, we want to know whether it is TLS
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return internal::Trust(context, material->ca).ok() &&
         (material->cert.empty() || internal::Show(context, material->cert, material->key).ok());
}

/// False: there is no memory.
bool ExpectName(SSL* ssl, const std::string& address, const std::string& server_name) {
  std::string name = server_name.empty() ? address.substr(0, address.rfind(':')) : server_name;
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1 ||
         SSL_set1_host(ssl, name.c_str()) == 1;
}

/// Null: there is no memory.
SSL* Aim(BIO* bio, const std::string& address) {
  SSL* ssl = nullptr;
  const bool aims = bio != nullptr && BIO_ctrl(bio, BIO_C_GET_SSL, 0, &ssl) == 1 &&
                    BIO_ctrl(bio, BIO_C_SET_CONNECT, 0, const_cast<char*>(address.c_str())) == 1 &&
                    BIO_ctrl(bio, BIO_C_SET_NBIO, 1, nullptr) == 1;
  return aims ? ssl : nullptr;
}

/// Without memory for it nothing is found out.
struct Attempt {
  bool tls = false;     ///< the peer has answered in TLS
  bool ended = false;   ///< the handshake has, and the peer then ended the connection or said no
  bool no_tls = false;  ///< the peer has answered something else
  long verify = X509_V_OK;
};

/// What the peer says first, after the handshake: with TLS 1.3 its answer to our certificate.
bool EndsNow(BIO* bio) {
  char byte = 0;
  const std::time_t deadline = std::time(nullptr) + kPatience;
  for (;;) {
    if (BIO_read(bio, &byte, 1) > 0) return false;
    if (!BIO_should_retry(bio)) return true;
    if (BIO_wait(bio, deadline, kNapMs) != 1) return false;
  }
}

Attempt Try(const std::string& address, const Client& client, const TlsMaterial* material) {
  const WithoutPipeSignal quiet;  // until the connection is freed, which writes, too
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_client_method()));
  if (!Prepare(context.get(), material)) return {};
  const BioChain bio(BIO_new_ssl_connect(context.get()));
  SSL* const ssl = Aim(bio.get(), address);
  if (ssl == nullptr) return {};
  if (material != nullptr && !ExpectName(ssl, address, client.server_name())) return {};
  Attempt attempt;
  const bool done = BIO_do_connect_retry(bio.get(), kPatience, kNapMs) == 1;
  const int reason = ERR_GET_REASON(ERR_peek_error());
  attempt.no_tls = reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST;
  attempt.verify = SSL_get_verify_result(ssl);
  attempt.tls = done || (SSL_get0_peer_certificate(ssl) != nullptr);
  attempt.ended = done && EndsNow(bio.get());
  ERR_clear_error();
  return attempt;
}

}  // namespace

std::string DiagnoseTls(const std::string& address, const Client& client) {
  if (!client.ProxyTo(address).empty()) return "";
  const auto material = client.Tls();
  const Attempt attempt = Try(address, client, material.get());
  if (material == nullptr) return attempt.tls ? "it speaks TLS: give --tls-ca" : "";
  if (attempt.no_tls)
    return "it does not speak TLS: leave out --tls-ca, or start it with --tls-cert";
  if (attempt.verify != X509_V_OK) {
    return std::string("TLS: its certificate is not trusted: ") +
           X509_verify_cert_error_string(attempt.verify);
  }
  if (!attempt.ended) return "";
  return material->cert.empty() ? "TLS: it wants a certificate: give --tls-cert and --tls-key"
                                : "TLS: it does not trust our certificate";
}

}  // namespace twofold::security
