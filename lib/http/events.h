#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/http/message.h"

/// Server-sent events: what a page sees change without asking.
///
/// Nothing is queued for a reader. The server asks for what is newest once the reader has taken
/// what came before, so a slow reader skips to the newest event of each topic, and holds at most
/// one event of each.
///
/// Source   HTML standard, 9.2 "Server-sent events".
namespace twofold::http {

/// Events as they go over the wire: shared by all that send them.
using EventBytes = std::shared_ptr<const std::string>;

/// Two updates a second are all that a reader gets.
inline constexpr Duration kEventPeriod = std::chrono::milliseconds(500);

/// What one reader has yet to get. A handler returns it in Response::events.
class EventSource {
 public:
  virtual ~EventSource() = default;

  /// The events that are newer than those of the last call. Called on the server's thread; must not
  /// block.
  virtual std::vector<EventBytes> Next(Instant now) = 0;
};

/// The newest event of one kind. It is made once for all readers, and only while somebody reads.
///
/// Threads  Safe. `make` is called by one thread at a time.
/// Cost     Making takes at most a tenth of the time of one thread, however slow it is.
class Topic : public std::enable_shared_from_this<Topic> {
 public:
  /// The data of the event at this moment, one line of JSON; nullopt: nothing has changed.
  using Make = std::function<std::optional<std::string>(Instant now)>;

  /// Runs a task soon on a thread that may block; false: there is no room.
  using Run = std::function<bool(std::function<void()> task)>;

  /// `name` is the type of the events. Without `run`, `make` is called on the server's thread.
  Topic(std::string name, Make make, Run run = {})
      : name_(std::move(name)), make_(std::move(make)), run_(std::move(run)) {}

  struct Event {
    std::uint64_t version = 0;  ///< one more for each new event; 0: there has been none
    EventBytes bytes;
  };

  /// The newest event, made again if it is older than kEventPeriod and its time has come. Data that
  /// is the same as before makes no new event.
  Event Look(Instant now);

 private:
  void Refresh(Instant now);
  void Take(Instant next, std::optional<std::string> data);

  const std::string name_;
  const Make make_;
  const Run run_;

  Mutex mutex_;
  Event newest_ ABSL_GUARDED_BY(mutex_);
  bool making_ ABSL_GUARDED_BY(mutex_) = false;
  Instant next_ ABSL_GUARDED_BY(mutex_){};  // not made again before
};

/// The answer with these events; proxies are told not to gather them.
Response Events(std::shared_ptr<EventSource> source);

/// A stream of these topics: first what is newest of each, then what changes.
Response Events(std::vector<std::shared_ptr<Topic>> topics);

}  // namespace twofold::http
