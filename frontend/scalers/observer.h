#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/cluster/peers.h"
#include "frontend/queues/alarm.h"
#include "frontend/queues/queue_set.h"
#include "frontend/scalers/signals/reading.h"
#include "frontend/scalers/signals/trigger.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::scalers {

/// Wants to know whether the queue of a trigger needs workers.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Soon after Listen, and then when it has changed. On the observer's thread.
  virtual void OnActivity(bool active) = 0;
};

/// Reads queues for autoscalers: those that this frontend serves as they are when somebody asks,
/// the others as their frontends have said within the last kFresh.
///
/// Each second it notes what all queues have, as rates need a past, and asks the other frontends if
/// they serve some. Listeners hear of a change here by the turn that made it, of one elsewhere or
/// one that time makes (an age, a rate) within that second.
///
/// Threads  Safe. One of its own, from construction to destruction.
/// Cost     Read: a lock a shard; of a rate also a look at each second of its window.
class Observer {
 public:
  /// An older word of another frontend is none.
  static constexpr Duration kFresh = std::chrono::seconds(5);

  /// `changes` is rung after each turn of the queues, and belongs to this. `peers` nullptr: there
  /// are no other frontends. All outlive this and what is asked of the peers.
  Observer(const frontend::QueueSet& queues, frontend::Peers* peers, frontend::Alarm& changes);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Errors   kInvalidArgument: there is no such queue, see QueueSet::FindAll.
  [[nodiscard]] Status CheckQueue(const std::string& queue) const {
    return ShardsOf(queue).status();
  }

  /// Errors   kInvalidArgument: as CheckQueue; kUnavailable: nobody has said what a shard of the
  ///          queue has, and why.
  Result<Reading> Read(const Trigger& trigger);

  /// The listener is forgotten when nobody else holds it.
  void Listen(Trigger trigger, std::weak_ptr<Listener> listener);

 private:
  class Book;

  [[nodiscard]] Result<std::vector<frontend::QueueHost*>> ShardsOf(const std::string& queue) const;
  void Run();
  void NoteAll(Instant now);
  void AskOthers();
  void TellListeners();

  const frontend::QueueSet& queues_;
  frontend::Peers* const peers_;
  frontend::Alarm& changes_;
  const std::shared_ptr<Book> book_;  // shared with the answers of others
  Mutex mutex_;
  std::vector<std::pair<Trigger, std::weak_ptr<Listener>>> listeners_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // the last: it uses the others
};

}  // namespace twofold::scalers
