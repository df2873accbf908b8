#include "lib/http/peer_stream.h"

#include <algorithm>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <tuple>

namespace twofold::http {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

std::string Der(X509* certificate) {
  std::string der(static_cast<std::size_t>(std::max(i2d_X509(certificate, nullptr), 0)), '\0');
  auto* to = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(certificate, &to);
  return der;
}

}  // namespace

TlsContext MakeContext(const security::TlsMaterial& material) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // Sessions that are taken up again would skip the check of the certificate.
  SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  context->set_options(SSL_OP_NO_TICKET);
  if (!material.cert.empty()) {
    context->use_certificate_chain(asio::buffer(material.cert));
    context->use_private_key(asio::buffer(material.key), ssl::context::pem);
  }
  if (!material.ca.empty()) {
    context->add_certificate_authority(asio::buffer(material.ca));
    context->set_verify_mode(ssl::verify_peer);
  }
  return context;
}

TlsContext TlsContexts::Get() {
  if (source_ == nullptr) return nullptr;
  auto now = source_();
  if (now != material_) {
    context_ = MakeContext(*now);
    if (takes_any_) {
      context_->set_verify_mode(ssl::verify_peer);
      context_->set_verify_callback([](bool, ssl::verify_context&) { return true; });
    }
    material_ = std::move(now);
  }
  return context_;
}

PeerStream::PeerStream(boost::beast::tcp_stream tcp, TlsContext context)
    : tcp_(std::move(tcp)), context_(std::move(context)) {
  if (context_) tls_ = std::make_unique<Tls>(tcp_, *context_);
}

PeerStream::Error PeerStream::Accept(boost::beast::flat_buffer& received) {
  const auto [error, used] =
      co_await tls_->async_handshake(ssl::stream_base::server, received.data(), kTuple);
  received.consume(used);
  is_secure_ = !error;
  co_return error;
}

PeerStream::Error PeerStream::Handshake(std::string server_name, bool checks) {
  error_code no_address;
  asio::ip::make_address(server_name, no_address);
  if (no_address) {  // RFC 6066, 3: an address is no server name
    // SSL_set_tlsext_host_name, which is a macro with a cast of C.
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             server_name.data());
  }
  if (checks) tls_->set_verify_callback(ssl::host_name_verification(server_name));
  const auto [error] = co_await tls_->async_handshake(ssl::stream_base::client, kTuple);
  is_secure_ = !error;
  co_return error;
}

bool PeerStream::has_certificate() {
  return tls_ && SSL_get0_peer_certificate(tls_->native_handle()) != nullptr;
}

std::vector<std::string> PeerStream::Certificates() {
  if (!has_certificate()) return {};
  std::vector<std::string> shown = {Der(SSL_get0_peer_certificate(tls_->native_handle()))};
  // Without the peer's own, at the server's side.
  const STACK_OF(X509)* const others = SSL_get_peer_cert_chain(tls_->native_handle());
  for (int i = 0; i < sk_X509_num(others); ++i) shown.push_back(Der(sk_X509_value(others, i)));
  return shown;
}

PeerStream::Error PeerStream::Read(boost::beast::flat_buffer& buffer, std::size_t most) {
  const std::size_t size = std::min(most, buffer.max_size() - buffer.size());
  if (size == 0) co_return boost::beast::http::error::buffer_overflow;
  const auto room = buffer.prepare(size);
  error_code error;
  std::size_t got = 0;
  if (is_secure_) {
    std::tie(error, got) = co_await tls_->async_read_some(room, kTuple);
  } else {
    std::tie(error, got) = co_await tcp_.async_read_some(room, kTuple);
  }
  buffer.commit(got);
  co_return error;
}

PeerStream::Error PeerStream::Write(std::vector<asio::const_buffer> bytes) {
  error_code error;
  if (is_secure_) {
    std::tie(error, std::ignore) = co_await asio::async_write(*tls_, bytes, kTuple);
  } else {
    std::tie(error, std::ignore) = co_await asio::async_write(tcp_, bytes, kTuple);
  }
  co_return error;
}

PeerStream::Error PeerStream::FinishSending() {
  error_code error;
  if (is_secure_) {
    const auto [failed] = co_await tls_->async_shutdown(kTuple);
    error = failed;
  } else {
    tcp_.socket().shutdown(asio::socket_base::shutdown_send, error);
  }
  co_return error;
}

}  // namespace twofold::http
