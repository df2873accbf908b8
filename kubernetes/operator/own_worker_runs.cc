#include "kubernetes/operator/own_worker_runs.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
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

/// The API server does not make what the run needs.
Lack LackBy(const Status& refused) {
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

OwnWorkerRuns::OwnWorkerRuns(Runs& runs, const kube::Access* access, Clock clock)
    : runs_(runs), makes_workers_(access != nullptr), clock_(std::move(clock)) {
  if (access != nullptr) connection_.emplace(*access);
}

Result<std::uint64_t> OwnWorkerRuns::Check(const RunOrder& order) {
  if (!HasOwnWorkers(order.of)) return runs_.Check(order);
  if (!makes_workers_) return absl::InvalidArgumentError(kMakesNone);
  if (kube::At(order.of, "/spec/nodes") != nullptr) {
    return absl::InvalidArgumentError(
        "spec.nodes: the nodes of a run's own workers are those that spec.workers.template asks "
        "for");
  }
  const auto pool = OwnPool(order);
  return pool.ok() ? runs_.Check(order) : pool.status();
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
  const auto lack = pool.ok() ? LackOf(*pool) : std::nullopt;
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
  const auto pool = OwnPool(order);
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
