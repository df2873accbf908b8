#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/http/server.h"

namespace twofold::backend {

/// Tells whoever watches this worker how it is: `/readyz` is 200 while it is registered at the
/// frontend, `/healthz` while its main loop turns; else 503 with the reason. Probes over HTTP cost
/// a worker less than probes that start a program in its pod.
///
/// Threads  Made and destroyed on the thread of the io_context; answers on one of its own.
class Health {
 public:
  /// A loop that has not turned for so long hangs. It turns once a second at least.
  static constexpr Duration kHung = std::chrono::seconds(30);

  /// Serves at once. `registered` is called on the HTTP server's thread.
  /// Errors   kUnavailable: cannot listen there, and why.
  static Result<std::unique_ptr<Health>> Start(boost::asio::io_context& io, const HostPort& address,
                                               std::function<bool()> registered,
                                               http::ServerOptions options = {});

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  explicit Health(boost::asio::io_context& io) : timer_(io) {}

  void Turn();

  boost::asio::steady_timer timer_;
  std::atomic<Instant> last_turn_;
  std::unique_ptr<http::Server> server_;  // last: its handlers use the rest
};

/// The answer of /healthz.
http::Response Healthz(Duration since_last_turn);

}  // namespace twofold::backend
