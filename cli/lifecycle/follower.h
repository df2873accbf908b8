#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/lifecycle/moments/kind.h"
#include "cli/lifecycle/moments/observer.h"
#include "lib/common/instant.h"
#include "lib/common/limited_log.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/kube/connection.h"
#include "lib/kube/watch.h"

namespace twofold::lifecycle {

/// Watches the objects of a run and shows them to an Observer.
///
/// Threads  Safe. A thread a watch, which parses; instants are those at which bytes came, however
///          long that takes.
class Follower {
 public:
  /// One selection for each kind of object; ConfigMaps are only looked at for the run's record.
  Follower(const kube::Access& access, const Kind& kind, std::string run,
           const std::vector<kube::Selection>& selections, const kube::WatchOptions& options);

  /// Stops.
  ~Follower();

  /// Waits until all that is there has been listed.
  ///
  /// Errors   What a watch says that cannot be helped by trying again: no right, no such resource.
  ///          kDeadlineExceeded, with the last trouble. kCancelled: stopped.
  Status AwaitSync(Instant deadline);

  /// Whether no watch is known to be broken: what happens is seen then.
  bool sees_all();

  /// What was read before is still shown.
  void Stop();

  /// Streams that ended before their time, of all watches.
  std::uint64_t breaks();

  /// Under the lock: visit(observer).
  template <typename Visit>
  auto With(Visit visit) {
    MutexLock lock(mutex_);
    return visit(observer_);
  }

 private:
  struct Stream {
    std::string kind;
    std::unique_ptr<kube::Watcher> watcher;
    bool synced = false;  // once at least
    Status trouble = {};  // until it tells something again
  };

  void Follow(Stream& stream);
  void Take(Stream& stream, const kube::WatchEvent& event);
  void TakeTrouble(Stream& stream, const Status& trouble) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Show(const Stream& stream, const kube::WatchEvent& event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string run_;
  Mutex mutex_;
  Condition changed_;
  Observer observer_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  LimitedLog log_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::thread> threads_;
};

}  // namespace twofold::lifecycle
