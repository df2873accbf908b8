#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <list>
#include <map>
#include <utility>

#include "lib/common/budget.h"
#include "lib/common/instant.h"
#include "lib/http/connection.h"
#include "lib/http/server.h"

namespace twofold::http {

/// The connections of a server, no more than its options allow. Private to lib/http.
///
/// A new connection is always accepted: when there is no room, another one is closed for it, so
/// that idle peers keep nobody out, least of all a probe. The closed one belongs to the same host
/// if that host is at its limit, else to the host with the most; idle connections go first, then
/// those that have been in a request longest.
///
/// Threads  Used on the server's thread only.
/// Cost     Reads all connections when there is no room, else none.
class ConnectionTable {
 public:
  struct Entry {
    Entry(boost::asio::ip::tcp::socket socket, TlsContext tls, const Handler& handler,
          const ServerOptions& options, Budgets& budgets, const boost::asio::ip::address& peer)
        : connection(std::move(socket), std::move(tls), handler, options, budgets), host(peer) {}

    Connection connection;
    const boost::asio::ip::address host;
    bool closed = false;  ///< to make room: does not count, and ends soon
  };
  using Place = std::list<Entry>::iterator;

  /// `handler` and `options` outlive the table.
  ConnectionTable(const Handler& handler, const ServerOptions& options)
      : handler_(handler),
        options_(options),
        budgets_{Budget(options.max_unsent), Budget(options.max_streams)} {}

  /// Adds a connection. Call its Serve, and Remove it when Serve has ended.
  Place Add(boost::asio::ip::tcp::socket socket, TlsContext tls);
  void Remove(Place place);

  /// Call the same functions of all connections.
  void Finish();
  void Abort();

 private:
  using Host = boost::asio::ip::address;

  void MakeRoom(const Host& host);
  [[nodiscard]] Host BusiestHost() const;
  void CloseOneOf(const Host& host);
  void Discount(const Host& host);
  void SayFull(const Host& host);

  const Handler& handler_;
  const ServerOptions& options_;
  Budgets budgets_;
  std::list<Entry> entries_;
  std::map<Host, std::size_t> counts_;  // of entries that are not closed
  std::size_t open_ = 0;                // their sum
  Instant said_full_{};
};

}  // namespace twofold::http
