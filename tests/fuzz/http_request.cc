// What the client's HTTP port does with the bytes of a peer: the server's own connection, on one
// end of a pair of local sockets, with the guard and the control pages behind it.

#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "client/control.h"
#include "lib/common/budget.h"
#include "lib/http/connection.h"
#include "lib/http/guard.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

namespace asio = boost::asio;

/// Takes the generator's jobs and drops them.
class NoJobs final : public load::JobSink {
 public:
  void Add(std::span<const load::LoadLoop::Tag>, const load::JobTemplate*) override {}
  void Flush() override {}
};

http::Handler Guarded(const http::Handler& control) {
  return http::Guard(std::make_shared<security::Gate>("fuzz", nullptr), true, client::RolesOfPage,
                     control);
}

/// What the connection answers to a peer that sends `request` and then closes its side.
std::string Serve(const http::Handler& handler, std::string_view request) {
  std::array<int, 2> ends{};
  Require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "there are sockets");
  asio::io_context io;
  asio::local::stream_protocol::socket peer(io, asio::local::stream_protocol(), ends[1]);
  asio::write(peer, asio::buffer(request.data(), request.size()));
  peer.shutdown(asio::socket_base::shutdown_send);
  http::ServerOptions options;
  options.max_body = 256;
  http::Budgets budgets{Budget(options.max_unsent), Budget(0)};  // a stream of events has no end
  http::Connection connection(asio::ip::tcp::socket(io, asio::ip::tcp::v4(), ends[0]), nullptr,
                              handler, options, budgets);
  asio::co_spawn(io, connection.Serve(), asio::detached);
  std::string answers;
  asio::async_read(peer, asio::dynamic_buffer(answers),
                   [](const boost::system::error_code&, std::size_t) {});
  io.run();
  return answers;
}

}  // namespace
}  // namespace twofold::fuzz

/// The first byte says whether the pages are guarded, the others are what the peer sends.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold;
  if (size == 0 || size > 4096) return 0;
  load::Generator generator("sleep", "frontend:9997", Now());
  generator.Connected(std::make_shared<fuzz::NoJobs>());
  const http::Handler control = client::MakeControl(generator, 100);
  const std::string answers = fuzz::Serve(data[0] % 2 == 0 ? control : fuzz::Guarded(control),
                                          fuzz::Bytes(data + 1, size - 1));
  fuzz::Require(answers.empty() || answers.starts_with("HTTP/1."), "answers are HTTP");
  fuzz::Require(generator.parallelism() <= 100, "no request passes the limit");
  return 0;
}
