#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/controller/object_cache.h"
#include "kubernetes/controller/work_queue.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/stats/histogram.h"

namespace twofold::controller {

/// What shall happen after an object was looked at with success.
struct Next {
  std::optional<Duration> again = std::nullopt;  ///< look at it once more after so long
};

struct ControllerOptions {
  std::string name;  ///< in metrics and the log: "benchmark"
  kube::Selection selection;
  int workers = 1;                      ///< objects that are looked at at the same time
  std::size_t cache_bytes = 256 << 20;  ///< see ObjectCache
  PartOf part = nullptr;                ///< as well
  QueueLimits queue = {};
  kube::WatchOptions watch = {};
};

struct ControllerCounts {
  CacheCounts cache;
  QueueCounts queue;
  kube::WatchCounts watch;
  std::uint64_t succeeded = 0;  ///< reconciliations
  std::uint64_t again = 0;      ///< of these: asked for another one
  std::uint64_t failed = 0;
  stats::Histogram times{};  ///< of all
  int workers = 0;
  int busy = 0;
};

/// Keeps a cache of the objects of a selection, and has each looked at when it has changed or when
/// it asked for that, by one worker at a time. Level-based: what is looked at is the object as it
/// is now, however many changes have led there.
///
/// Threads  One that watches, and `workers` that call `reconcile`, which may block and gets a
///          connection that no other worker uses. All else may be called from any thread.
/// Errors   Of `reconcile`: logged, and tried again with back-off. A Conflict is logged only in
///          debug: the newer state is on its way.
class Controller {
 public:
  using Reconcile = std::function<Result<Next>(const ObjectName& name, kube::Connection&)>;
  /// Which other objects to look at as well when this one has changed or gone; not asked for those
  /// of a list, which are all looked at. Called by the thread that watches, under no lock.
  using Related = std::function<std::vector<ObjectName>(const ObjectName& name)>;

  Controller(kube::Access access, ControllerOptions options, Reconcile reconcile,
             Related related = nullptr);

  /// Stops.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Begins to watch. Nothing is reconciled before Work().
  void Watch();

  /// Begins to reconcile, from the first whole list on. To be called once.
  void Work();

  /// Ends the watch, and returns when the workers have ended what they are at. A Work() that comes
  /// later does nothing.
  void Stop();

  [[nodiscard]] bool synced() const;

  [[nodiscard]] Snapshot Find(const ObjectName& name) const;
  [[nodiscard]] std::vector<Snapshot> All() const;

  /// Has the object looked at now.
  void Add(const ObjectName& name);

  /// See ObjectCache::Note.
  void Note(const Json& answer);

  [[nodiscard]] ControllerCounts counts() const;
  [[nodiscard]] const std::string& name() const { return options_.name; }

 private:
  void Follow();
  void Serve();
  std::optional<ObjectName> TakeKey();
  void End(const ObjectName& name, const Result<Next>& result, Duration took);
  void SayTrouble(const Status& status);

  const kube::Access access_;
  const ControllerOptions options_;
  const Reconcile reconcile_;
  const Related related_;

  mutable Mutex mutex_;
  Condition changed_;
  ObjectCache cache_ ABSL_GUARDED_BY(mutex_);
  WorkQueue queue_ ABSL_GUARDED_BY(mutex_);
  ControllerCounts counts_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> workers_ ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<kube::Watcher> watcher_;
  std::string trouble_;  // said last, by the thread that watches
  std::thread follower_;
};

}  // namespace twofold::controller
