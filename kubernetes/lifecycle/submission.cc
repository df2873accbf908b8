#include "kubernetes/lifecycle/submission.h"

#include <absl/strings/str_format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

#include "kubernetes/lifecycle/canaries.h"
#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/record.h"
#include "kubernetes/lifecycle/storage.h"

namespace twofold::lifecycle {

Submission::Submission(kube::Access access, RunSettings settings)
    : access_(std::move(access)),
      settings_(std::move(settings)),
      observed_(*settings_.kind, settings_.name, AnchorNow()) {}

Status Submission::Execute(const std::function<void(const std::string&)>& progress,
                           Duration between) {
  kube::Connection connection(access_);
  if (const Status status = Begin(connection); !status.ok()) return status;
  const Instant begin = Now();
  const kube::ObjectName record{settings_.each.space, settings_.name};
  Canaries signs(access_, record, observed_);  // of life, for those who watch
  StorageGuard guard(access_, settings_.storage, [this] { submitter_->Cease(); });
  Status status = Await(progress, between);
  guard.Stop();
  submitter_->Stop();
  status.Update(submitter_->failure());
  status.Update(guard.verdict());
  took_ = Now() - begin;
  signs.Stop();
  const Status said =
      connection.Do(kube::Patch(kube::kConfigMaps, record, kube::PatchKind::kMerge, AllSentPatch()))
          .status();
  if (!said.ok()) {
    spdlog::warn("watchers will wait for more, as the record does not say that all is sent: {}",
                 std::string(said.message()));
  }
  return status;
}

Status Submission::Begin(kube::Connection& connection) {
  auto record = Prepare(connection, settings_, observed_.anchor().UnixNs(Now()));
  if (!record.ok()) return record.status();
  if (!interruption_.Pause(Now())) {
    return absl::CancelledError("interrupted before the first workload");
  }
  const Status written = WriteRecord(connection, *record).status();
  if (!written.ok()) return written;
  submitter_ = std::make_unique<Submitter>(access_, settings_, record->resources, observed_);
  return absl::OkStatus();
}

Status Submission::Await(const std::function<void(const std::string&)>& progress,
                         Duration between) {
  constexpr Duration kBetweenChecks = std::chrono::milliseconds(100);
  const Instant begin = Now();
  Instant next_line = begin + between;
  while (!submitter_->Await(Now())) {
    if (!interruption_.Pause(Now() + kBetweenChecks)) {
      return absl::CancelledError("interrupted: not all workloads were sent");
    }
    if (Now() < next_line) continue;
    const SubmitCounts counts = submitter_->counts();
    progress(absl::StrFormat("%.0f s: %d of %d sent, %d created, %d late, %d throttled",
                             ToSeconds(Now() - begin), counts.sent, settings_.count, counts.created,
                             counts.late, counts.throttled));
    next_line = Now() + between;
  }
  return absl::OkStatus();
}

}  // namespace twofold::lifecycle
