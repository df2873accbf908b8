#include "kubernetes/operator/own_worker_runs.h"

#include <absl/strings/str_cat.h>

#include <tuple>
#include <utility>

#include "kubernetes/api/errors.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/perftest_workers.h"
#include "kubernetes/operator/pool_status.h"
#include "kubernetes/pools/pods.h"
#include "lib/common/printable.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

constexpr std::size_t kLongestLack = 1024;  // bytes
constexpr const char* kMakesNone =
    "spec.workers: this operator makes no workers, as it runs without --own-workers";

kube::ObjectName PoolOf(const RunOrder& order) {
  return {kube::NameOf(order.of).space, pools::PoolNameFor(order.of)};
}

RunLook LookAtLack(std::string reason, const std::string& why) {
  RunLook look;
  look.lacking = Printable(why, kLongestLack);
  look.lack = std::move(reason);
  return look;
}

RunLook EndByLack(std::string reason, const std::string& why) {
  RunLook look;
  look.over = true;
  look.end = RunEnd{false, std::move(reason), Printable(why, kLongestLack)};
  return look;
}

/// There is no pool, or not what its pods need: the API server does not make it, or nothing says
/// any more what it shall be.
Lack LackBy(const Status& refused) {
  const bool is_of_server = kube::HttpStatusOf(refused) != 0;
  const bool is_ours = absl::IsInvalidArgument(refused) || absl::IsFailedPrecondition(refused);
  if (is_ours && !is_of_server) return {"WorkersNotMade", std::string(refused.message()), true};
  return {"ClusterRefuses", std::string(refused.message()), IsInvalidObject(refused)};
}

/// How a run stands whose workers are not there.
RunLook WithoutWorkers(const Lack& lack, const RunOrder& order, Duration since) {
  if (lack.is_final) return EndByLack(lack.reason, lack.why);
  const Duration limit = ReadyLimit(order.of);
  if (since < limit) return LookAtLack(lack.reason, lack.why);
  return EndByLack("WorkersNotReady",
                   absl::StrCat("not within ", ToSeconds(limit), " s (readySeconds): ", lack.why));
}

}  // namespace

OwnWorkerRuns::OwnWorkerRuns(Runs& runs, const kube::Access* access, Clock clock,
                             FindPool find_pool)
    : runs_(runs),
      makes_workers_(access != nullptr),
      clock_(std::move(clock)),
      find_pool_(std::move(find_pool)) {
  if (access != nullptr) connection_.emplace(*access);
}

/// Whether it has workers is decided once; what they are is made out when they are needed.
RunOrder OwnWorkerRuns::OrderFor(const Json& object) {
  RunOrder order = runs_.OrderFor(object);
  if (!IsOfPerftest(object)) return order;
  const bool is_decided = !kube::TextAt(object, "/status/workerPool").empty();
  if (!is_decided) {
    const bool has_none = kube::IsTrue(kube::FindCondition(object, "Accepted"));
    const auto pool = has_none || !find_pool_ ? nullptr : find_pool_(object);
    if (pool == nullptr) return order;
    order.queue = kube::TextAt(*pool, "/spec/queue");
  } else {
    order.queue = kube::TextAt(object, "/status/queue");
  }
  Json& workers = order.of["spec"]["workers"];
  workers = Json::object();
  const bool goes_on = kube::At(object, "/status/startTime") != nullptr &&
                       kube::At(object, "/status/completionTime") == nullptr;
  if (!goes_on) return order;
  if (auto kept = KeptWorkersFor(order); kept.ok()) workers = *std::move(kept);
  return order;
}

Result<Json> OwnWorkerRuns::WorkersFor(const RunOrder& order) {
  const auto pool = find_pool_ ? find_pool_(order.of) : nullptr;
  if (pool != nullptr) return PerftestWorkers(order, *pool);
  return absl::FailedPreconditionError(
      absl::StrCat("there is no WorkerPool for ", RunKindOf(order.of), " any more"));
}

Result<Json> OwnWorkerRuns::KeptWorkersFor(const RunOrder& order) {
  {
    const MutexLock lock(kept_mutex_);
    if (const auto kept = kept_.find(order.id); kept != kept_.end()) return kept->second;
  }
  auto workers = WorkersFor(order);
  if (!workers.ok()) return workers;
  const MutexLock lock(kept_mutex_);
  kept_[order.id] = *workers;
  return workers;
}

Result<RunOrder> OwnWorkerRuns::Whole(const RunOrder& order) {
  if (!IsOfPerftest(order.of) || !order.of["spec"]["workers"].empty()) return order;
  auto workers = WorkersFor(order);
  if (!workers.ok()) return workers.status();
  RunOrder whole = order;
  whole.of["spec"]["workers"] = *std::move(workers);
  return whole;
}

void OwnWorkerRuns::Forget(const std::string& id) {
  runs_.Forget(id);
  const MutexLock lock(kept_mutex_);
  kept_.erase(id);
}

/// Until it is accepted an object of kube-perftest is asked about with all that its pods would be,
/// once it has begun anyway.
std::optional<Bar> OwnWorkerRuns::BarTo(const RunOrder& order) {
  if (!IsOfPerftest(order.of) || !HasOwnWorkers(order.of)) return runs_.BarTo(order);
  const bool is_accepted = kube::IsTrue(kube::FindCondition(order.of, "Accepted"));
  auto whole = is_accepted ? Result<RunOrder>(order) : Whole(order);
  if (!whole.ok()) return runs_.BarTo(order);  // Check says why
  whole->of["spec"]["queue"] = order.queue;
  return runs_.BarTo(*whole);
}

Result<std::uint64_t> OwnWorkerRuns::Check(const RunOrder& order) {
  if (!HasOwnWorkers(order.of)) return runs_.Check(order);
  if (!makes_workers_) return absl::InvalidArgumentError(kMakesNone);
  if (kube::At(order.of, "/spec/nodes") != nullptr) {
    return absl::InvalidArgumentError(
        "spec.nodes: the nodes of a run's own workers are those that spec.workers.template asks "
        "for");
  }
  auto jobs = runs_.Check(order);
  if (!jobs.ok()) return jobs;
  const auto whole = Whole(order);
  if (!whole.ok()) return whole.status();
  const auto pool = OwnPool(*whole);
  return pool.ok() ? jobs : pool.status();
}

Result<RunLook> OwnWorkerRuns::Advance(const RunOrder& order, Duration since, bool anew) {
  if (!HasOwnWorkers(order.of)) return runs_.Advance(order, since, anew);
  const Result<Json> pool = Pool(order);
  if (!anew) return GoOn(order, since, pool);
  if (!pool.ok()) return WithoutWorkers(LackBy(pool.status()), order, since);
  if (const auto lack = LackOf(*pool)) {
    const Status made = lack->is_final ? absl::OkStatus() : MakeNeeds(order, *pool);
    return WithoutWorkers(made.ok() ? *lack : LackBy(made), order, since);
  }
  Result<RunLook> look = runs_.Advance(order, since, anew);
  if (!look.ok() || look->lacking.empty()) return look;
  return WithoutWorkers({look->lack, look->lacking}, order, since);
}

/// Its jobs wait for workers that come again; but not for ever.
Result<RunLook> OwnWorkerRuns::GoOn(const RunOrder& order, Duration since,
                                    const Result<Json>& pool) {
  if (!pool.ok()) {
    const Lack lack = LackBy(pool.status());
    if (lack.is_final && makes_workers_) return WithoutWorkers(lack, order, since);
    return runs_.Advance(order, since, /*anew=*/false);
  }
  const auto lack = LackOf(*pool);
  // A pool that was deleted is another one, which needs them anew. Why it does not get them shows
  // in its pods.
  if (lack) std::ignore = MakeNeeds(order, *pool);
  const auto missing = lack ? MissingSince(*pool) : std::nullopt;
  const Duration missed = missing ? Duration(clock_() - *missing) : Duration::zero();
  if (missed >= ReadyLimit(order.of)) return WithoutWorkers(*lack, order, missed);
  return runs_.Advance(order, since, /*anew=*/false);
}

/// Its workers go as well once none of its jobs runs.
Result<RunLook> OwnWorkerRuns::Pause(const RunOrder& order) {
  Result<RunLook> look = runs_.Pause(order);
  if (!look.ok() || look->running > 0) return look;
  Status released = Release(order);
  return released.ok() ? look : released;
}

Status OwnWorkerRuns::Release(const RunOrder& order) {
  if (Status released = runs_.Release(order); !released.ok()) return released;
  if (!HasOwnWorkers(order.of) || !makes_workers_) return absl::OkStatus();
  const MutexLock lock(mutex_);
  const auto pool = Find(order);
  if (absl::IsAlreadyExists(pool.status())) return absl::OkStatus();
  if (!pool.ok()) return pool.status();
  if (!*pool) return absl::OkStatus();
  kube::DeleteOptions options;
  options.uid = kube::TextAt(**pool, "/metadata/uid");
  options.propagation = kube::Propagation::kBackground;
  const Status deleted =
      connection_->Do(kube::Delete(pools::kWorkerPools, PoolOf(order), options)).status();
  return absl::IsNotFound(deleted) ? absl::OkStatus() : deleted;
}

Result<Json> OwnWorkerRuns::Pool(const RunOrder& order) {
  if (!makes_workers_) return absl::FailedPreconditionError(kMakesNone);
  const MutexLock lock(mutex_);
  auto found = Find(order);
  if (!found.ok()) return found.status();
  if (*found) return **std::move(found);
  const auto whole = Whole(order);
  if (!whole.ok()) return whole.status();
  const auto pool = OwnPool(*whole);
  if (!pool.ok()) return pool.status();
  kube::WriteOptions options;
  options.field_manager = kManager;
  auto reply = connection_->Do(kube::Create(pools::kWorkerPools, *pool, options));
  if (reply.ok()) return std::move(reply->body);
  return reply.status();
}

Status OwnWorkerRuns::MakeNeeds(const RunOrder& order, const Json& pool) {
  const MutexLock lock(mutex_);
  kube::WriteOptions options;
  options.field_manager = kManager;
  for (const auto& [resource, object] : NeedsOf(order, pool)) {
    const Status made = connection_->Do(kube::Create(resource, object, options)).status();
    if (absl::IsNotFound(made)) {
      return absl::NotFoundError(
          absl::StrCat("the cluster has no ", resource.kind, " of ", kube::ApiVersion(resource)));
    }
    if (!made.ok() && !absl::IsAlreadyExists(made)) return made;
  }
  return absl::OkStatus();
}

Result<std::optional<Json>> OwnWorkerRuns::Find(const RunOrder& order) {
  auto reply = connection_->Do(kube::Get(pools::kWorkerPools, PoolOf(order)));
  if (absl::IsNotFound(reply.status())) return std::optional<Json>();
  if (!reply.ok()) return reply.status();
  const Json* owners = kube::At(reply->body, "/metadata/ownerReferences/0/uid");
  if (owners == nullptr || *owners != kube::TextAt(order.of, "/metadata/uid")) {
    return absl::AlreadyExistsError(
        absl::StrCat("WorkerPool ", PoolOf(order).name, " belongs to somebody else"));
  }
  return std::optional(std::move(reply->body));
}

}  // namespace twofold::benchmarks
