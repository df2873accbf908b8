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
/// Who comes is let in: when there is no room, another connection is closed for it, so that peers
/// that do nothing keep nobody out, least of all a probe. It is one of the same host if that has
/// all it may have, else one of the host that has most; idle ones first, then those that are
/// longest in the midst of a request.
///
/// Threads  Used on the server's thread only.
/// Cost     A look at all connections when there is no room, else at none.
class ConnectionTable {
 public:
  struct Entry {
    Entry(boost::asio::ip::tcp::socket socket, PeerStream::Context tls, const Handler& handler,
          const ServerOptions& options, Budget& unsent, const boost::asio::ip::address& peer)
        : connection(std::move(socket), std::move(tls), handler, options, unsent), host(peer) {}

    Connection connection;
    const boost::asio::ip::address host;
    bool closed = false;  ///< for another one: it does not count, and ends soon
  };
  using Place = std::list<Entry>::iterator;

  /// `handler` and `options` outlive the table.
  ConnectionTable(const Handler& handler, const ServerOptions& options)
      : handler_(handler), options_(options), unsent_(options.max_unsent) {}

  /// What Connection::Serve is to be called of; Remove it when that has ended.
  Place Add(boost::asio::ip::tcp::socket socket, PeerStream::Context tls);
  void Remove(Place place);

  /// Connection's functions, of all.
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
  Budget unsent_;
  std::list<Entry> entries_;
  std::map<Host, std::size_t> counts_;  // of entries that are not closed
  std::size_t open_ = 0;                // their sum
  Instant said_full_{};
};

}  // namespace twofold::http
