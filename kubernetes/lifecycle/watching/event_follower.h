#pragma once

#include <memory>
#include <string>
#include <thread>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "kubernetes/lifecycle/times/events.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Watches the Events of a namespace and keeps what they say. Whatever becomes of this watch, the
/// run goes on: Events are evidence beside what is measured.
///
/// Threads  Safe. A thread that parses, beside that of the watch.
class EventFollower {
 public:
  EventFollower(const kube::Access& access, const std::string& space, const Anchor& anchor,
                const kube::WatchOptions& options);

  /// Stops.
  ~EventFollower();
  EventFollower(const EventFollower&) = delete;
  EventFollower& operator=(const EventFollower&) = delete;

  /// Recorders send their events some time after what they are about: waits until none has come for
  /// half a second, three seconds at most.
  void AwaitQuiet();

  /// What was read before is still kept.
  void Stop();

  /// Under the lock: visit(notes).
  template <typename Visit>
  auto With(Visit visit) {
    MutexLock lock(mutex_);
    return visit(notes_);
  }

  /// Why the watch does not see anything; OK: it does, or did.
  Status trouble();

 private:
  void Take(const kube::WatchEvent& event);

  const Anchor anchor_;
  Mutex mutex_;
  Condition changed_;
  EventNotes notes_ ABSL_GUARDED_BY(mutex_);
  Instant last_ ABSL_GUARDED_BY(mutex_);  // event
  Status trouble_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<kube::Watcher> watcher_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace twofold::lifecycle
