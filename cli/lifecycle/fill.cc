#include "cli/lifecycle/fill.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/lifecycle/follower.h"
#include "cli/lifecycle/settle.h"
#include "cli/lifecycle/storage.h"
#include "cli/lifecycle/submitter.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kBetweenFillLooks = std::chrono::milliseconds(100);
constexpr Duration kFillSyncPatience = std::chrono::seconds(60);
constexpr Duration kBetweenFillLines = std::chrono::seconds(5);

Status FillInterrupted() {
  return absl::CancelledError("interrupted while the cluster was filled: nothing was measured");
}

Status AwaitFillSync(const PhaseParts& parts, Follower& follower) {
  const Instant deadline = Now() + kFillSyncPatience;
  while (parts.pause(Now())) {
    const Status status = follower.AwaitSync(Now() + kBetweenFillLooks);
    if (!absl::IsDeadlineExceeded(status) || Now() >= deadline) return status;
  }
  return FillInterrupted();
}

Status AwaitFilled(const PhaseParts& parts, Follower& follower, Submitter& submitter) {
  OpenLives open(follower, *parts.settings.kind, /*until_ready=*/true);
  std::optional<Instant> submitted;
  Instant next_line = Now() + kBetweenFillLines;
  while (parts.pause(Now() + kBetweenFillLooks)) {
    const Instant now = Now();
    if (const Status failure = submitter.failure(); !failure.ok()) return failure;
    if (!submitted && submitter.Await(now)) submitted = now;
    if (submitted && now - *submitted > parts.settings.settle) return absl::OkStatus();
    const std::size_t left = open.Count();
    if (submitted && left == 0 && follower.sees_all()) return absl::OkStatus();
    if (now < next_line) continue;
    parts.progress(absl::StrFormat("fill: %d of %d sent, %d not ready", submitter.counts().sent,
                                   parts.settings.fill, left));
    next_line = now + kBetweenFillLines;
  }
  return FillInterrupted();
}

}  // namespace

std::vector<kube::Selection> InPhase(std::vector<kube::Selection> selections, bool fills) {
  for (kube::Selection& each : selections) {
    if (each.labels.empty()) continue;
    absl::StrAppend(&each.labels, ",", std::string(kPhaseLabel),
                    fills ? "=" : "!=", std::string(kFillPhase));
  }
  return selections;
}

RunSettings FillSettings(const RunSettings& settings) {
  RunSettings fill = settings;
  fill.name = absl::StrCat(settings.name, "-", std::string(kFillPhase));
  fill.each.phase = kFillPhase;
  fill.count = settings.fill;
  fill.rate = settings.fill_rate;
  fill.wave = 0;
  fill.fill = 0;
  return fill;
}

Result<Saturation> Fill(const PhaseParts& parts) {
  const RunSettings settings = FillSettings(parts.settings);
  Follower follower(parts.access, *settings.kind, settings.each.run,
                    InPhase(parts.selections, true), parts.watch);
  if (const Status status = AwaitFillSync(parts, follower); !status.ok()) return status;
  Submitter submitter(parts.access, settings, parts.resources, follower);
  StorageGuard guard(parts.access, settings.storage, [&submitter] { submitter.Cease(); });
  Status status = AwaitFilled(parts, follower, submitter);
  guard.Stop();
  submitter.Stop();
  status.Update(guard.verdict());
  const Instant end = Now();
  follower.Stop();
  if (!status.ok()) return status;
  return follower.With(
      [&](Observer& observer) { return SaturationOf(*settings.kind, observer, end); });
}

}  // namespace twofold::lifecycle
