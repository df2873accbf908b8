#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/h2/session.h"

namespace twofold::h2 {

class Timer;

/// One thread that waits for all its sockets. A turn reads all that is readable, runs what other
/// threads posted and what is due, and then lets each connection that has something to say write
/// once: what a turn made ready goes out together, and nobody is woken for it.
///
/// Threads  Post and Stop: any. All else: the thread that calls Run or Turn, or before it begins.
/// Cost     A turn is O(ready sockets + due timers), however many sockets there are.
class Loop {
 public:
  /// A socket, and what happens with it. Remove it before its descriptor is closed.
  class Source {
   public:
    virtual ~Source() = default;
    /// `events` are epoll's. As long as they hold, each turn calls again (level-triggered).
    virtual void OnReady(std::uint32_t events) = 0;
    /// The turn ends, and MarkDirty was called for this source. Once a turn: who is marked again
    /// meanwhile goes on in the next turn, when all others have had theirs.
    virtual void OnFlush() {}

   private:
    friend class Loop;
    bool dirty_ = false;
    std::uint32_t flushed_ = 0;  // the last flush it was in
  };

  /// What connections use during a turn, so that a connection at rest needs none.
  struct Buffers {
    std::string in;
    Outgoing out;
  };

  /// What a turn did, and how long each part took; without the wait before it. Nobody else is
  /// served for so long.
  struct Done {
    std::size_t sockets = 0;  ///< that could be read or written
    Duration serving{};       ///< them
    Duration running{};       ///< what was posted and what was due
    Duration sending{};       ///< what was made ready

    [[nodiscard]] Duration took() const { return serving + running + sending; }
  };

  /// `on_turn`, if any, is told of each turn.
  explicit Loop(std::function<void(const Done&)> on_turn = {});
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // ---- any thread

  /// `task` runs in the next turn.
  void Post(std::function<void()> task);
  /// Run returns after this turn, or at once if it has not begun.
  void Stop();

  // ---- the loop's thread

  /// Takes turns until Stop.
  void Run();
  /// One turn, which waits for something to happen `most` long.
  void Turn(Duration most);

  /// `events` are epoll's. False: the system has no room (errno).
  [[nodiscard]] bool Add(Source& source, int descriptor, std::uint32_t events);
  void Change(Source& source, int descriptor, std::uint32_t events);
  /// Nothing of `source` is called from now on; it may be destroyed.
  void Remove(Source& source, int descriptor);
  void MarkDirty(Source& source);
  /// `task` runs at `when`; not if the loop ends before. For what is to be taken back: Timer.
  void RunAt(Instant when, std::function<void()> task) { delayed_.emplace(when, std::move(task)); }
  /// Destroys `source` when the turn is over, as it may be at work further up.
  void Retire(std::unique_ptr<Source> source) { retired_.push_back(std::move(source)); }

  /// For whoever takes turns and waits for other things as well: it can be read (epoll) when a turn
  /// has something to do before NextDue.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }
  /// Instant::max(): never.
  [[nodiscard]] Instant NextDue() const;

  /// When this turn's events came. All that happens in a turn happens at one time.
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] Buffers& buffers() { return buffers_; }

 private:
  friend class Timer;
  using Timers = std::set<std::pair<Instant, Timer*>>;

  bool Wait(Duration most, Done& done);
  void RunPosted();
  void RunDue();
  void Flush();

  const std::function<void(const Done&)> on_turn_;
  const Descriptor epoll_;
  const Descriptor wake_;  // an eventfd: something was posted
  Instant now_ = Now();
  bool stopped_ = false;
  Timers timers_;
  std::multimap<Instant, std::function<void()>> delayed_;
  std::vector<Source*> dirty_;  // null: removed
  std::uint32_t flushes_ = 0;
  std::unordered_set<Source*> removed_;  // in this turn: events for them may be there already
  std::vector<std::unique_ptr<Source>> retired_;
  Buffers buffers_;

  Mutex mutex_;
  std::vector<std::function<void()>> posted_ ABSL_GUARDED_BY(mutex_);
};

/// Calls `action` at a time, once each time it is set.
///
/// Threads  The loop's. The loop outlives it.
/// Cost     O(log n) for n timers that are set.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> action) : loop_(loop), action_(std::move(action)) {}
  ~Timer() { Clear(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Replaces the time that was set before. Instant::max(): never.
  void Set(Instant when);
  void Clear() { Set(Instant::max()); }
  /// Instant::max(): it is not set.
  [[nodiscard]] Instant when() const { return when_; }

 private:
  friend class Loop;
  Loop& loop_;
  const std::function<void()> action_;
  Instant when_ = Instant::max();
};

}  // namespace twofold::h2
