#include "lib/http/tls.h"

#include <boost/asio/buffer.hpp>

namespace twofold::http {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

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
  auto now = source_->Get();
  if (now != material_) {
    context_ = MakeContext(*now);
    material_ = std::move(now);
  }
  return context_;
}

}  // namespace twofold::http
