#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <csignal>
#include <string>
#include <thread>

#include "lib/security/client.h"
#include "tests/support/certificates.h"

namespace twofold::security {
namespace {

namespace asio = boost::asio;

/// Shakes hands in TLS with whoever comes first, and then resets the connection.
class ResettingPeer {
 public:
  ResettingPeer() {
    const testing::KeyPair pair = testing::Authority().Issue("server");
    context_.use_certificate_chain(asio::buffer(pair.cert));
    context_.use_private_key(asio::buffer(pair.key), asio::ssl::context::pem);
    thread_ = std::thread([this] { ServeOne(); });
  }
  ResettingPeer(const ResettingPeer&) = delete;
  ResettingPeer& operator=(const ResettingPeer&) = delete;
  ~ResettingPeer() { thread_.join(); }

  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  void ServeOne() {
    asio::ssl::stream<asio::ip::tcp::socket> stream(acceptor_.accept(), context_);
    boost::system::error_code failed;
    stream.handshake(asio::ssl::stream_base::server, failed);
    EXPECT_FALSE(failed) << failed.message();
    stream.next_layer().set_option(asio::socket_base::linger(true, 0));
    stream.next_layer().close();
  }

  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_server};
  asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

bool IsMember(int (*read)(sigset_t*)) {
  sigset_t set;
  read(&set);
  return sigismember(&set, SIGPIPE) == 1;
}

TEST(DiagnoseTls, SurvivesAPeerThatResetsTheConnection) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);  // as in commands: it would end this process
  const ResettingPeer peer;
  EXPECT_EQ(DiagnoseTls(peer.address(), Client()), "it speaks TLS: give --tls-ca");
  EXPECT_FALSE(IsMember([](sigset_t* set) { return sigpending(set); }));
  EXPECT_FALSE(IsMember([](sigset_t* set) { return pthread_sigmask(SIG_BLOCK, nullptr, set); }));
  EXPECT_EQ(std::signal(SIGPIPE, before), SIG_DFL);
}

}  // namespace
}  // namespace twofold::security
