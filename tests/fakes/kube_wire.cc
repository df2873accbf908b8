#include "tests/fakes/kube_wire.h"

#include <openssl/x509.h>
#include <poll.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <chrono>

namespace twofold::fakes {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

boost::system::error_code Wire::Handshake() {
  error_code error;
  if (tls_) tls_->handshake(ssl::stream_base::server, error);
  return error;
}

bool Wire::Write(std::string_view text, Duration patience) {
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
  error_code error;
  socket_.non_blocking(true, error);
  while (!text.empty() && !error) {
    text.remove_prefix(write_some(asio::buffer(text.data(), text.size()), error));
    if (error != asio::error::would_block) continue;
    pollfd ready{handle(), POLLOUT, 0};
    if (poll(&ready, 1, static_cast<int>(wait.count())) == 1) error.clear();
  }
  error_code ignored;
  socket_.non_blocking(false, ignored);
  return !error;
}

std::string Wire::user() {
  X509* certificate = tls_ ? SSL_get0_peer_certificate(tls_->native_handle()) : nullptr;
  if (certificate == nullptr) return {};
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

}  // namespace twofold::fakes
