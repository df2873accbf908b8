#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/controller/controller.h"
#include "kubernetes/controller/writer.h"
#include "kubernetes/operator/object_kind.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// What a reconciler asks of an API server. All objects are as new as our own last write at least.
class Cluster : public controller::Writer {
 public:
  /// nullptr: there is none.
  [[nodiscard]] virtual controller::Snapshot Find(const kube::ObjectName& name) const = 0;
  [[nodiscard]] virtual std::vector<controller::Snapshot> All() const = 0;
};

/// What is the same for all Benchmarks.
struct Settings {
  Duration poll = std::chrono::seconds(1);      ///< between two looks at a run that goes on
  Duration patience = std::chrono::seconds(5);  ///< between two tries of what cannot be done now
  /// How long a deleted object waits for a frontend that is away; then it goes, and says so.
  Duration give_up = std::chrono::minutes(10);
};

/// Makes a run of each Benchmark, measurement or object of kube-perftest, and says in its status
/// how it goes.
///
/// Level-based: each pass reads the object and the run, and does the next thing. What was begun is
/// found again by the run's id, which follows from the object's uid. So a pass may end anywhere,
/// also with the process, and another one goes on; no job runs twice.
///
///     finalizer -> Accepted -> its turn -> startTime -> the run -> over -> results -> no finalizer
///
/// Time     Passed in; `wall` is what statuses say and deadlines are counted by, since they outlive
///          this process.
/// Threads  Safe, for one call an object at a time. Blocks on the cluster and on the frontend.
/// Errors   Those of the cluster; the same pass again is all that it takes. What is wrong with the
///          frontend is in the status.
class Reconciler {
 public:
  /// `instance` of the events: the pod.
  Reconciler(Settings settings, const std::string& instance);

  /// `runs`: those of objects of this kind.
  Result<controller::Next> Reconcile(const ObjectKind& kind, Runs& runs, Cluster& cluster,
                                     const kube::ObjectName& name, Instant now,
                                     kube::UnixTime wall);

 private:
  friend class Pass;

  const Settings settings_;
  Mutex turns_;  // taken first
  controller::EventTeller events_;
  Mutex mutex_;
  /// Of what is there no more: the run to forget.
  std::map<std::pair<std::string, kube::ObjectName>, std::string> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
