#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::kube {

/// What a watch tells. After kListing come all objects as kListed, then kSynced: what was known
/// before and is not among them is gone. Changes come after that. Any event may come twice.
struct WatchEvent {
  enum class Kind {
    kListing,  ///< a list begins (again): forget the kListed ones of one that did not end
    kListed,   ///< an object of the list
    kSynced,   ///< the list is whole
    kAdded,
    kModified,
    kDeleted,   ///< the object as it was last
    kBookmark,  ///< all up to here has been told
    kTrouble,   ///< `trouble`: tries go on, with back-off
  };

  Kind kind = Kind::kBookmark;

  /// When its first byte was read from the socket. For kListing, kSynced and kTrouble, when it was
  /// noticed.
  Instant arrived{};

  /// What it tells may have happened at any moment since this one, the last before a break (or a
  /// pause, see max_queued): it has an interval, not an instant. nullopt: it came as it happened;
  /// or it is of the first list, whose interval has no beginning.
  std::optional<Instant> blind_since{};

  Json object{};     ///< null for kListing, kSynced and kTrouble
  Status trouble{};  ///< OK for all but kTrouble
};

struct WatchOptions {
  bool initial_events = true;     ///< list by the watch itself; by lists where the server cannot
  std::uint32_t page = 500;       ///< objects a chunk of lists
  std::uint32_t timeout_s = 300;  ///< the server ends each stream after 1 to 2 times that
  Duration first_wait = std::chrono::milliseconds(800);  ///< the back-off: 1 to 2 times this,
  Duration longest_wait = std::chrono::seconds(30);      ///< doubling up to 1 to 2 times this
  Duration longest_silence = std::chrono::seconds(150);  ///< servers send bookmarks each minute
  std::size_t max_queued = 256 << 20;  ///< bytes not taken yet; then reading pauses
  std::size_t max_line = 16 << 20;     ///< bytes of one event
  ConnectionOptions connection = {};   ///< of lists, and of the beginning of streams
};

struct WatchCounts {
  std::uint64_t events = 0;  ///< lines and listed objects
  std::uint64_t lists = 0;
  std::uint64_t streams = 0;  ///< watches begun
  std::uint64_t breaks = 0;   ///< streams that ended before their time
  std::uint64_t pauses = 0;   ///< times that the queue was full
};

/// Follows the objects of a selection, for as long as it lives: lists, watches, and goes on where a
/// stream ended; with a new list where the server has forgotten what happened since. At once, or,
/// after failures and streams that end at once, with client-go's back-off.
///
/// A thread of its own, with a connection of its own, reads lines and stamps them; Next parses
/// them, on the caller's thread.
///
/// Threads  Next by one thread; Stop and counts by any.
/// Errors   kTrouble events, one for each try that failed. Which of them is the end (no permission,
///          no such kind) the caller decides.
/// Source   client-go's reflector: 0.8 s doubling to 30 s, as much again by chance, from the
///          beginning after two good minutes.
class Watcher {
 public:
  static std::unique_ptr<Watcher> Start(Access access, Selection selection,
                                        WatchOptions options = {});
  /// Stops.
  virtual ~Watcher() = default;

  /// The next event; nullopt: none came until `deadline`, or it has been stopped and none is left.
  virtual std::optional<WatchEvent> Next(Instant deadline) = 0;

  /// Calls take(event) for each until it has been stopped and none is left.
  template <typename Take>
  void ForEach(Take take) {
    while (const auto event = Next(Instant::max())) take(*event);
  }

  /// Ends the stream at once. What was read can still be taken.
  virtual void Stop() = 0;

  virtual WatchCounts counts() = 0;
};

}  // namespace twofold::kube
