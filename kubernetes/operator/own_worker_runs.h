#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/mutex.h"

namespace twofold::benchmarks {

/// Runs whose objects may ask for workers of their own: of these it makes the WorkerPool when their
/// turn has come, begins the run once all workers are ready, and deletes the pool when the run
/// rests or is over. The pods are made by whoever looks after the pools of the namespace
/// (pool_part.h). All other runs are those of the other Runs.
///
/// Threads  Safe; calls about pools wait for each other, as they share one connection.
/// Cost     Of a look at a run with own workers: one call to the API server more.
/// Errors   Those of the other Runs. What is wrong with pools is what is lacking; and, from
///          Release, why the API server does not delete one.
class OwnWorkerRuns final : public Runs {
 public:
  using Clock = std::function<kube::UnixTime()>;

  /// Of the runs of `runs`, which outlives it. `access` nullptr: none have workers of their own,
  /// and an object that asks for some is refused. By `clock` it knows how long workers have been
  /// missing in mid-run.
  OwnWorkerRuns(Runs& runs, const kube::Access* access, Clock clock);

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override {
    return runs_.BarTo(order);
  }
  Result<std::uint64_t> Check(const RunOrder& order) override;
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override;
  Result<RunLook> Pause(const RunOrder& order) override;
  Status Cancel(const RunOrder& order) override { return runs_.Cancel(order); }
  Result<Results> Summary(const RunOrder& order) override { return runs_.Summary(order); }
  Status Release(const RunOrder& order) override;
  void Forget(const std::string& id) override { runs_.Forget(id); }

 private:
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
  Mutex mutex_;
  std::optional<kube::Connection> connection_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::benchmarks
