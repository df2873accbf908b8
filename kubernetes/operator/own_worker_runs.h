#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/controller/object_cache.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// Runs whose objects may ask for workers of their own: of these it makes the WorkerPool when their
/// turn has come, begins the run once all workers are ready, and deletes the pool when the run
/// rests or is over. The pods are made by whoever looks after the pools of the namespace
/// (pool_part.h). All other runs are those of the other Runs.
///
/// An object of kube-perftest has them if there is a WorkerPool for its kind (perftest_workers.h)
/// when it is accepted; its status keeps that.
///
/// Memory   Of each run of kube-perftest that has begun the template of its pods, until Forget.
/// Threads  Safe; calls about pools wait for each other, as they share one connection.
/// Cost     Of a look at a run with own workers: one call to the API server more.
/// Errors   Those of the other Runs. What is wrong with pools is what is lacking; and, from
///          Release, why the API server does not delete one.
class OwnWorkerRuns final : public Runs {
 public:
  using Clock = std::function<kube::UnixTime()>;
  /// The WorkerPool that the kind of an object of kube-perftest has; nullptr: it has none.
  using FindPool = std::function<controller::Snapshot(const kube::Json& object)>;

  /// Of the runs of `runs`, which outlives it. `access` nullptr: none have workers of their own,
  /// and an object that asks for some is refused. By `clock` it knows how long workers have been
  /// missing in mid-run.
  OwnWorkerRuns(Runs& runs, const kube::Access* access, Clock clock, FindPool find_pool = nullptr);

  [[nodiscard]] RunOrder OrderFor(const kube::Json& object) override;

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override;
  Result<std::uint64_t> Check(const RunOrder& order) override;
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override;
  Result<RunLook> Pause(const RunOrder& order) override;
  Status Cancel(const RunOrder& order) override { return runs_.Cancel(order); }
  Result<Results> Summary(const RunOrder& order) override { return runs_.Summary(order); }
  Status Release(const RunOrder& order) override;
  void Forget(const std::string& id) override;

 private:
  /// spec.workers of an object of kube-perftest.
  Result<kube::Json> WorkersFor(const RunOrder& order);
  /// The same, of one whose turn has come.
  Result<kube::Json> KeptWorkersFor(const RunOrder& order);
  /// The order, in any case with its spec.workers.
  Result<RunOrder> Whole(const RunOrder& order);
  /// Of a run that has begun.
  Result<RunLook> GoOn(const RunOrder& order, Duration since, const Result<kube::Json>& pool);
  /// The pool as it is; it is made if there is none.
  Result<kube::Json> Pool(const RunOrder& order);
  /// Makes what its pods need beside, unless it is there.
  Status MakeNeeds(const RunOrder& order, const kube::Json& pool);
  /// nullopt: there is none.
  /// Errors   kAlreadyExists: it is somebody else's.
  Result<std::optional<kube::Json>> Find(const RunOrder& order)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Runs& runs_;
  const bool makes_workers_;
  const Clock clock_;
  const FindPool find_pool_;
  Mutex kept_mutex_;
  std::map<std::string, kube::Json> kept_ ABSL_GUARDED_BY(kept_mutex_);  // by run
  Mutex mutex_;
  std::optional<kube::Connection> connection_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
