#include "workloads/objects/connection.h"

#include <boost/asio/ssl/host_name_verification.hpp>

namespace twofold::objects {

namespace asio = boost::asio;

asio::awaitable<Connection::Error> Connection::Open(const Peer& peer) {
  Close();
  tls_.reset();
  tls_time_.reset();
  const Instant begin = Now();
  const auto [error] = co_await socket_.async_connect(peer.address, kTuple);
  if (error) {
    Close();
    co_return error;
  }
  Error ignored;  // a connection without it is only slower
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const Instant connected = Now();
  connect_time_ = connected - begin;
  if (peer.tls == nullptr) co_return Error();
  tls_.emplace(socket_, *peer.tls);
  tls_->set_verify_callback(asio::ssl::host_name_verification(peer.host));
  // What the macro SSL_set_tlsext_host_name does, which has casts of C in it.
  SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(peer.host.c_str()));
  const auto [bad] = co_await tls_->async_handshake(asio::ssl::stream_base::client, kTuple);
  if (bad) Close();
  tls_time_ = Now() - connected;
  co_return bad;
}

void Connection::Close() {
  Error ignored;
  socket_.close(ignored);  // the stream of TLS stays: operations on it have yet to end
}

}  // namespace twofold::objects
