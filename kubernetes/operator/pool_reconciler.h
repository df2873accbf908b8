#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/controller/controller.h"
#include "kubernetes/controller/writer.h"
#include "kubernetes/operator/pool_frontend.h"
#include "kubernetes/pools/pods.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// What a pool's reconciler asks of an API server. Pools and pods are as new as our own last
/// change of them at least; pods that we made may lack for a while.
///
/// Errors   those of kube::Connection.
class PoolCluster : public controller::Writer {
 public:
  /// nullptr: there is none.
  [[nodiscard]] virtual controller::Snapshot Find(const kube::ObjectName& pool) const = 0;

  /// Those with the label of the pool, as far as is known.
  [[nodiscard]] virtual std::vector<controller::Snapshot> PodsOf(
      const kube::ObjectName& pool) const = 0;

  /// Whether there is room to know all pods. Who does not must make none.
  [[nodiscard]] virtual bool knows_all() const = 0;

  /// The names of its pods, as the server has them at this moment.
  virtual Result<std::vector<std::string>> ListPodsOf(const kube::ObjectName& pool) = 0;
};

struct PoolSettings {
  /// Between two looks while pods leave. An answer of the frontend is good for so long, as each pod
  /// that changes makes a pass.
  Duration poll = std::chrono::seconds(1);
  Duration refresh = std::chrono::seconds(10);   ///< between two looks at a pool that rests
  Duration patience = std::chrono::seconds(15);  ///< before pods that were refused are tried again
};

/// Makes as many pods as a WorkerPool wants, and lets its workers end what they have before their
/// pods go. Level-based, as Reconciler: what is under way is in the cluster (a label of the pod)
/// and in the frontend (the worker drains), so a pass may end anywhere, and another process goes
/// on.
///
/// Stale caches  Of a pod that was made the name is remembered until the cache has it. Names follow
///               from the pool's uid and a number, so two operators that both make the next pod
///               make one.
/// Time     Passed in; `wall` is what labels and statuses say.
/// Threads  Safe, for one call a pool at a time. Blocks on the cluster and on the frontend.
/// Errors   Those of the cluster. What is wrong with the frontend is in the status.
class PoolReconciler {
 public:
  /// `instance` of the events: the pod. `frontend` outlives the reconciler.
  PoolReconciler(PoolFrontend& frontend, PoolSettings settings, const std::string& instance);

  Result<controller::Next> Reconcile(PoolCluster& cluster, const kube::ObjectName& name,
                                     Instant now, kube::UnixTime wall);

 private:
  friend class PoolPass;
  struct View {
    pools::WorkersSeen workers;
    bool with_ends;
    Instant at;
  };
  /// Of a pool, from pass to pass; all of it can be lost.
  struct Memory {
    std::string uid{};                          // of the pool
    bool listed = false;                        // the names that the server has are in `expected`
    std::map<std::string, Instant> expected{};  // pods that the cache lacks, and since when
    std::map<std::string, Instant> unknown{};   // pods that the frontend lacks, and since when
    std::uint64_t made = 0;                     // pods so far, as status.podsMade
    std::optional<View> view{};                 // what the frontend has answered last
    Instant written{};                          // the status
  };

  /// nullptr: there is no such pool any more.
  std::shared_ptr<Memory> Recall(const kube::ObjectName& name, const controller::Snapshot& pool);

  PoolFrontend& frontend_;
  const PoolSettings settings_;
  controller::EventTeller events_;
  Mutex mutex_;
  std::map<kube::ObjectName, std::shared_ptr<Memory>> memories_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
