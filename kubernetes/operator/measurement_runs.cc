#include "kubernetes/operator/measurement_runs.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/api/list.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

/// What a spec does not cause may go by.
Status Refused(const Status& status) {
  if (status.ok() || absl::IsInvalidArgument(status)) return status;
  return absl::UnavailableError(status.message());
}

kube::ObjectName JobNameOf(const RunOrder& order) {
  return {kube::NameOf(order.of).space, order.id};
}

}  // namespace

MeasurementRuns::MeasurementRuns(const MeasurementKind& kind, const kube::Access& access,
                                 MeasurementSettings settings, const Frontends& frontends)
    : kind_(kind), settings_(std::move(settings)), frontends_(frontends), connection_(access) {}

/// Its pod gets in there by itself, with the Secrets of its namespace.
std::optional<Bar> MeasurementRuns::BarTo(const RunOrder& order) {
  return frontends_.BarTo(order.of, false);
}

Result<Json> MeasurementRuns::JobOf(const RunOrder& order) const {
  MeasurementSettings settings = settings_;
  if (std::string address = frontends_.AddressOf(order.of); !address.empty()) {
    settings.frontend = std::move(address);
  }
  return MeasurementJob(kind_, order, settings);
}

Result<std::uint64_t> MeasurementRuns::Check(const RunOrder& order) {
  const Status status = JobOf(order).status();
  return status.ok() ? Result<std::uint64_t>(0) : status;
}

Result<RunLook> MeasurementRuns::Advance(const RunOrder& order, Duration /*since*/, bool anew) {
  const MutexLock lock(mutex_);
  const auto found = Find(order);
  if (!found.ok()) return found.status();
  if (*found) return Look(**found);
  if (!anew) {
    return absl::DataLossError(absl::StrCat("its Job ", order.id, " is gone"));
  }
  const auto made = Make(order);
  return made.ok() ? Look(*made) : made.status();
}

Result<RunLook> MeasurementRuns::Pause(const RunOrder& order) {
  const MutexLock lock(mutex_);
  const auto found = Find(order);
  if (!found.ok()) return found.status();
  if (!*found) return RunLook{};
  Result<RunLook> look = Look(**found);
  if (!look.ok() || look->lacking.empty()) return look;
  Status deleted = Delete(**found);
  return deleted.ok() ? Result<RunLook>(RunLook{}) : deleted;
}

Status MeasurementRuns::Cancel(const RunOrder& order) {
  const MutexLock lock(mutex_);
  const auto found = Find(order);
  if (!found.ok()) return found.status();
  return *found ? Delete(**found) : absl::OkStatus();
}

Result<Results> MeasurementRuns::Summary(const RunOrder& order) {
  const MutexLock lock(mutex_);
  const auto pods = PodsOf(JobNameOf(order));
  if (!pods.ok()) return pods.status();
  return Results{.headlines = {}, .in_all = 0, .verdict = VerdictOf(*pods)};
}

void MeasurementRuns::Forget(const std::string& /*id*/) {}

/// One that goes is not there again before it has gone.
Result<std::optional<Json>> MeasurementRuns::Find(const RunOrder& order) {
  auto reply = connection_.Do(kube::Get(kube::kJobs, JobNameOf(order)));
  if (absl::IsNotFound(reply.status())) return std::optional<Json>();
  if (!reply.ok()) return Refused(reply.status());
  const std::string owner = kube::TextAt(reply->body, "/metadata/ownerReferences/0/uid");
  if (owner != kube::TextAt(order.of, "/metadata/uid")) {
    return absl::UnavailableError(absl::StrCat("Job ", order.id, " belongs to somebody else"));
  }
  if (controller::IsBeingDeleted(reply->body)) {
    return absl::UnavailableError(absl::StrCat("Job ", order.id, " is being deleted"));
  }
  return std::optional(std::move(reply->body));
}

/// Also when somebody has made it meanwhile, or the answer to the first try was lost.
Result<Json> MeasurementRuns::Make(const RunOrder& order) {
  const auto job = JobOf(order);
  if (!job.ok()) return job.status();
  kube::WriteOptions options;
  options.field_manager = kManager;
  auto reply = connection_.Do(kube::Create(kube::kJobs, *job, options));
  if (reply.ok()) return std::move(reply->body);
  if (!absl::IsAlreadyExists(reply.status())) return Refused(reply.status());
  auto found = Find(order);
  if (!found.ok()) return found.status();
  if (*found) return **std::move(found);
  return absl::UnavailableError(absl::StrCat("Job ", order.id, " has come and gone"));
}

Result<RunLook> MeasurementRuns::Look(const Json& job) {
  if (IsReady(job) && !HasEnded(job)) return LookAt(job, {}, {});
  const kube::ObjectName name = kube::NameOf(job);
  const auto pods = PodsOf(name);
  if (!pods.ok()) return pods.status();
  if (!pods->empty() || HasEnded(job)) return LookAt(job, *pods, {});
  const auto events = EventsOf(name);
  if (!events.ok()) return events.status();
  return LookAt(job, {}, *events);
}

Status MeasurementRuns::Delete(const Json& job) {
  kube::DeleteOptions options;
  options.uid = kube::TextAt(job, "/metadata/uid");
  options.propagation = kube::Propagation::kBackground;
  const Status status =
      connection_.Do(kube::Delete(kube::kJobs, kube::NameOf(job), options)).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : Refused(status);
}

Result<MeasurementRuns::Objects> MeasurementRuns::PodsOf(const kube::ObjectName& job) {
  auto pods =
      kube::ListAll(connection_, {.resource = kube::kPods,
                                  .space = job.space,
                                  .labels = absl::StrCat(kMeasurementLabel, "=", job.name)});
  return pods.ok() ? std::move(pods) : Refused(pods.status());
}

Result<MeasurementRuns::Objects> MeasurementRuns::EventsOf(const kube::ObjectName& job) {
  auto events = kube::ListAll(connection_, {.resource = kube::kEvents,
                                            .space = job.space,
                                            .fields = absl::StrCat("regarding.name=", job.name)});
  return events.ok() ? std::move(events) : Refused(events.status());
}

}  // namespace twofold::benchmarks
