#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"
#include "lib/h2/account.h"
#include "lib/h2/connection.h"
#include "lib/h2/limits.h"
#include "lib/h2/loop.h"

namespace twofold::h2 {

/// One connection to a server, and the calls on it. Does not connect again by itself: whoever owns
/// it knows where and when.
///
/// Threads  The loop's, also for destruction (not by an End). The loop outlives it.
class Client {
 public:
  struct Options {
    Limits limits = {};
    std::function<void(PeerNews)> on_news = {};
    /// Says why the connection is over in the words of the client's owner: calls and `on_closed`
    /// hear these. Empty: they hear `why` as it is.
    std::function<std::string(std::string_view why)> explain = {};
    /// The connection is over or could not be made, and why, in words; empty: in order. The client
    /// may be destroyed then, and may use another socket.
    std::function<void(std::string_view why)> on_closed = {};
  };

  Client(Loop& loop, Options options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// `socket` does not block, and is connected or connects; calls may be begun at once, and leave
  /// when it is. `tls`: null: plain text.
  ///
  /// REQUIRES: there is no connection, and none is being made.
  /// Errors   kResourceExhausted: no room for another connection.
  Status Connect(Descriptor socket, std::string peer, std::shared_ptr<const Tls> tls = nullptr);

  /// See Session::Call.
  ///
  /// Errors   kUnavailable: there is no connection, or it takes no further calls.
  Result<Stream*> Call(const CallOptions& options, std::shared_ptr<End> end);

  /// Ends the connection as if it had broken: calls hear `why`, as does `on_closed`. Not to be
  /// called by an End.
  void Close(std::string_view why);

 private:
  Loop& loop_;
  const Options options_;
  Ledger ledger_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace twofold::h2
