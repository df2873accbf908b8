#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <compare>
#include <functional>
#include <string_view>
#include <vector>

#include "lib/common/budget.h"
#include "lib/common/instant.h"
#include "lib/http/codec.h"
#include "lib/http/message.h"
#include "lib/http/peer_stream.h"
#include "lib/http/server.h"

namespace twofold::http {

/// What the connections of a server share.
struct Budgets {
  Budget unsent;   ///< bytes of answers
  Budget streams;  ///< places
};

/// One peer: reads a request, answers it, reads the next one. Private to lib/http.
///
/// Threads  Used on the server's thread only. Must outlive Serve.
class Connection {
 public:
  /// `handler`, `options` and `budgets` outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, TlsContext tls, const Handler& handler,
             const ServerOptions& options, Budgets& budgets);

  /// Serves until one side is done, or the peer breaks a rule or a deadline.
  boost::asio::awaitable<void> Serve();

  /// Ends after the request in progress; at once if there is none, or a stream of events.
  void Finish();

  /// Ends now.
  void Abort();

  /// What we wait for, and since when: for a request (idle), or for the rest of one, its answer,
  /// and the peer to take that. The least of several can be spared first.
  struct Waiting {
    bool in_request;
    Instant since;
    auto operator<=>(const Waiting&) const = default;
  };
  [[nodiscard]] Waiting waiting() const { return {!idle_, since_}; }

 private:
  void SetIdle(bool idle);
  boost::asio::awaitable<bool> Open();
  boost::asio::awaitable<bool> AwaitRequest();
  boost::asio::awaitable<bool> ServeOne();
  Response Refused(const WireRequest& request, const boost::system::error_code& why);
  PeerStream::Error Receive(RequestParser& parser);
  PeerStream::Error ReceiveHead(RequestParser& parser);
  PeerStream::Error ReceiveBareHead(RequestParser& parser);
  PeerStream::Error ReceiveBody(RequestParser& parser);
  [[nodiscard]] std::string_view Received() const;
  PeerStream::Error Read();
  PeerStream::Error Continue();
  boost::asio::awaitable<Response> RunLater(std::function<Response()> make);
  boost::asio::awaitable<bool> Send(Response response, Framing framing);
  boost::asio::awaitable<void> SendEvents(Response response, unsigned version);
  boost::asio::awaitable<bool> SendNewest(EventSource& source);
  boost::asio::awaitable<bool> SendBytes(std::vector<boost::asio::const_buffer> bytes);
  boost::asio::awaitable<void> Linger();

  PeerStream stream_;
  boost::beast::flat_buffer buffer_;  // received, not yet parsed
  const Handler& handler_;
  const ServerOptions& options_;
  Budgets& budgets_;
  bool idle_ = true;        // waiting for a peer to whom we owe nothing
  Instant since_ = Now();   // idle, or not
  bool streaming_ = false;  // the answer in progress has no end
  Instant sent_{};          // the last bytes of that
  bool finishing_ = false;  // no request after this one
};

}  // namespace twofold::http
