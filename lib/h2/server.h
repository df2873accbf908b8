#pragma once

#include <sys/socket.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/h2/account.h"
#include "lib/h2/closing.h"
#include "lib/h2/connection.h"
#include "lib/h2/connection_count.h"
#include "lib/h2/limits.h"
#include "lib/h2/loop.h"
#include "lib/h2/session.h"

namespace twofold::h2 {

/// Takes connections and has their calls served, within limits.
///
/// Threads  The loop's, also for construction and destruction. The loop outlives it.
/// Errors   Beyond a limit, or without descriptors, a connection that has been of no use makes room
///          for a new one (ConnectionCount). If there is none, the new one is closed at once, or
///          the server stops accepting for a moment and goes on.
class Server {
 public:
  struct Counts {
    std::uint64_t accepted = 0;
    std::uint64_t turned_away = 0;  ///< connections beyond a limit
    std::uint64_t broken_off = 0;   ///< connections that broke the protocol or a limit, or got lost
  };

  using Ticket = std::shared_ptr<ConnectionCount::Ticket>;
  /// Says who serves a call of a host. An error is the call's status.
  using Serve = std::function<Result<std::shared_ptr<End>>(Stream&, const std::string& host)>;
  /// Takes an accepted connection of a host to the server that serves it.
  using HandOn = std::function<void(Descriptor socket, const std::string& host, Ticket ticket)>;
  /// What the next connection shows and demands; asked once for each.
  using TlsNow = std::function<std::shared_ptr<const Tls>()>;

  struct Options {
    ServerLimits limits;
    Ledger& ledger;  ///< outlives the server; servers of one loop may share it
    Serve serve;
    TlsNow tls = {};                              ///< empty: plain text
    std::shared_ptr<ConnectionCount> count = {};  ///< null: one of its own, by `limits`
    HandOn hand_on = {};                          ///< empty: it serves what it accepts
    /// Whether the next connection keeps its last frames for Closing::frames; empty: no.
    std::function<bool()> keeps_frames = {};
    /// A connection of `host` was turned away, or was closed for another reason than that it was
    /// over. One whose peer has gone in order is told, too, but is none of `Counts::broken_off`.
    std::function<void(const std::string& host, const Closing&)> on_turned_away = {};
    std::function<void(const std::string& host, const Closing&)> on_broken_off = {};
    std::function<void(int error)> on_trouble = {};  ///< see trouble()
  };

  /// `listeners` listen and do not block; none: it serves what it is given.
  Server(Loop& loop, std::vector<Descriptor> listeners, Options options);
  ~Server();  ///< breaks off what there is
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves a connection that a server with the same `count` has accepted.
  void Take(Descriptor socket, const std::string& host, Ticket ticket);

  /// Takes no more connections, and no more calls beyond those that are under way; what goes on
  /// after `patience` is broken off. `done` is called once, when no connection is left; not if the
  /// server is destroyed before.
  void Drain(Duration patience, std::function<void()> done);

  /// Why connections cannot be taken at this moment (errno); 0: they can. Any thread.
  [[nodiscard]] int trouble() const { return trouble_; }
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  class Listener;

  void Accept(int listener);
  void Admit(Descriptor socket, const std::string& host);
  void TurnAway(const std::string& host, const Closing& closing);
  void OnClosed(Connection& connection, const Closing& closing);
  void BeginHandshake(Connection& connection);
  void EndHandshake(Connection& connection);
  bool MayShake();
  void Pause(int error);
  void SetTrouble(int error);
  void Listen();
  void StopListening();

  Loop& loop_;
  const Options options_;
  const std::shared_ptr<ConnectionCount> count_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  // Of each host those whose handshakes are not done, oldest first; no empty lists.
  std::unordered_map<std::string, std::list<Connection*>> shaking_;
  std::size_t shakes_ = 0;  // in all
  std::minstd_rand random_{std::random_device()()};
  Instant shaken_turn_;
  int shaken_ = 0;  // steps in that turn
  Timer pause_;
  Timer patience_;
  std::function<void()> done_;
  bool drains_ = false;
  std::atomic<int> trouble_ = 0;
  Counts counts_;
};

/// The host to which a peer's connections are charged: its IPv4 address, or the first half of its
/// IPv6 address, as one host has all addresses of that network.
std::string HostOf(const sockaddr_storage& address);

/// The age of one connection, of `age` on the average: those that came together do not all go
/// together.
Duration SpreadAge(Duration age, std::minstd_rand& random);

}  // namespace twofold::h2
