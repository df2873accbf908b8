#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/http/events.h"
#include "lib/http/message.h"
#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

namespace twofold::http {

struct ServerOptions {
  std::size_t max_connections = 1024;      ///< one more, and the oldest of the busiest host goes
  std::size_t max_host_connections = 512;  ///< one more, and the oldest of this host goes
  std::size_t max_body = 64 * 1024;        ///< bytes of a request's body; more is 413
  std::size_t max_unsent = 64 << 20;  ///< bytes of answers that peers have yet to take; more is 503
  Duration receive_timeout = std::chrono::seconds(10);  ///< first byte of a request to its last
  Duration send_timeout = std::chrono::seconds(10);     ///< for a whole response
  std::size_t max_streams = 64;                         ///< of events at a time; one more is 503
  Duration event_period = kEventPeriod;                 ///< between two looks for events
  Duration heartbeat = std::chrono::seconds(15);        ///< a comment, if no event came so long
  Duration idle_timeout = std::chrono::seconds(60);     ///< kept alive without a request
  std::shared_ptr<security::Reloaded<security::TlsMaterial>> tls = nullptr;  ///< null: plain text
  Duration stop_grace = std::chrono::seconds(2);  ///< Stop lets requests in progress finish so long

  /// Told of each request that is refused before a handler sees it: "POST /path" and the status.
  std::function<void(const std::string& request, int status)> on_refused = nullptr;

  /// Runs a task once on a thread that may block; false: there is no room. Needed by handlers that
  /// answer by Later: without it, or without room, their requests are answered with 503. It must
  /// run all that it has taken until Stop has returned.
  std::function<bool(std::function<void()> task)> run_later = nullptr;

  /// Counts instead of `tls`, for a certificate that is in no file. Asked with each connection; the
  /// same pointer until it changes. Null: `tls` counts.
  std::function<std::shared_ptr<const security::TlsMaterial>()> material = nullptr;

  /// Counts instead of the CA in `tls`: whether the certificates that a peer has shown make
  /// Request::has_certificate true. Asked with each request, as what is trusted may change while a
  /// connection lasts; any certificate is let in. They are DER, the peer's own first.
  std::function<bool(const std::vector<std::string>& certificates)> vouches = nullptr;

  /// What joins the values of a header that comes several times. A line break cannot be in one, and
  /// keeps values apart that may have commas.
  std::string header_joint = ", ";
};

/// A small HTTP/1.1 server: metrics, health, control and JSON, for a few hundred peers.
///
/// It keeps connections alive, takes pipelined requests, and bounds all a peer can make it do or
/// hold: heads over 8 KiB are 431, long bodies 413, a body on GET or HEAD 400, other versions 505,
/// what is no HTTP 400. A peer that sends or reads too slowly is cut off without an answer. Whoever
/// comes is let in, if need be in the place of a connection that can be spared (ConnectionTable),
/// so that probes are answered however many do nothing, or read streams of events. Responses carry
/// no more than they need, and say nosniff and no-store.
///
/// On loopback without TLS, a Host that others may have made point here is 421 (ForLocalHosts).
/// Request lines and headers may end in LF alone, if all of them do from the first line on.
///
/// With TLS, each connection gets the certificate that is in the files when it comes. What is not
/// TLS is told so in plain text (400).
///
/// Threads  One thread of its own runs all connections and handlers, one at a time: a handler needs
///          no lock against other handlers, and must not block, as nobody is served meanwhile;
///          one that has to returns Later. Stop and port may be called from any thread, but not
///          from a handler. Stop waits for answers that are being made.
/// Errors   A handler that throws is logged and answered with 500. When the process runs out of
///          file descriptors it logs so, pauses, and goes on.
class Server {
 public:
  /// Listens and serves at once. kUnavailable: cannot listen there, and why.
  static Result<std::unique_ptr<Server>> Start(const HostPort& address, Handler handler,
                                               ServerOptions options = {});

  /// Stops.
  ~Server();

  /// What it listens on; useful after asking for port 0.
  [[nodiscard]] std::uint16_t port() const;

  /// Accepts no more, closes idle connections and streams of events, gives requests in progress
  /// `stop_grace`, then closes them as well. Returns when the thread has ended; further calls do
  /// nothing.
  void Stop();

 private:
  class Loop;
  explicit Server(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace twofold::http
