#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "lib/common/mutex.h"
#include "lib/h2/closing.h"

namespace twofold::h2 {

/// How many connections there are, in all and of each host. Servers that share a port's connections
/// share its count.
///
/// At a limit a newcomer takes the place of a connection that has been of no use, so that peers who
/// connect and say nothing keep nobody out: of the oldest one of its host at the host's limit, else
/// of the oldest one of the host that has most of them. The connection that makes room counts no
/// more, though it may take its loop a moment to close it: kMostLeaving at most are not closed yet.
///
/// Threads  Safe.
/// Memory   In a shared_ptr, which its tickets keep.
/// Cost     O(1); O(hosts) for a newcomer while there are as many as there may be in all.
class ConnectionCount : public std::enable_shared_from_this<ConnectionCount> {
 public:
  class Ticket;

  static constexpr std::size_t kMostLeaving = 256;

  ConnectionCount(std::size_t most, std::size_t of_host) : most_(most), of_host_(of_host) {}

  /// One more of `host`, which counts as long as its ticket lives; or why it is turned away.
  std::variant<std::shared_ptr<Ticket>, Closing> Add(const std::string& host);

  /// For a newcomer that the system has no room for: has a connection closed, unless one is about
  /// to be. False: none can make room.
  bool MakeRoom();

 private:
  struct Host {
    std::size_t held = 0;
    std::list<Ticket*> of_no_use;  // oldest first
  };
  using Hosts = std::unordered_map<std::string, Host>;

  bool MakeRoom(Hosts::iterator host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Hosts::iterator HostWithMost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Discount(Hosts::iterator host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::size_t most_;
  const std::size_t of_host_;
  Mutex mutex_;
  std::size_t all_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t leaving_ ABSL_GUARDED_BY(mutex_) = 0;
  Hosts hosts_ ABSL_GUARDED_BY(mutex_);
};

/// One connection among those that count.
///
/// Threads  Safe.
class ConnectionCount::Ticket {
 public:
  Ticket(std::shared_ptr<ConnectionCount> count, std::string host)
      : count_(std::move(count)), host_(std::move(host)) {}
  ~Ticket();
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  /// `close` has the connection closed soon. It is called once if the connection makes room, at
  /// once if it already has; by any thread, under a lock.
  void SetClose(std::function<void()> close);
  /// From now on the connection makes room for nobody.
  void SetOfUse();

 private:
  friend class ConnectionCount;
  enum class State { kOfNoUse, kOfUse, kLeaving };

  const std::shared_ptr<ConnectionCount> count_;
  const std::string host_;
  // Under the count's mutex.
  State state_ = State::kOfNoUse;
  std::list<Ticket*>::iterator listed_;  // of those that are of no use
  std::function<void()> close_;
};

}  // namespace twofold::h2
