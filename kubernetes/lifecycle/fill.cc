#include "kubernetes/lifecycle/fill.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <chrono>
#include <optional>

#include "kubernetes/lifecycle/observed.h"
#include "kubernetes/lifecycle/storage.h"
#include "kubernetes/lifecycle/submitter.h"
#include "kubernetes/lifecycle/watching.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kBetweenFillLines = std::chrono::seconds(5);

Status FillInterrupted() {
  return absl::CancelledError("interrupted while the cluster was filled: nothing was measured");
}

WatchPlan PlanOf(const FillParts& parts) {
  WatchPlan plan{.record = parts.record,
                 .end = {.until_ready = true, .settle = parts.settings.settle},
                 .watch = parts.watch};
  plan.canary = parts.settings.name;
  plan.fills = true;
  plan.is_sender = true;
  return plan;
}

/// Sends them, and waits.
Status CarryOutFill(const FillParts& parts, const RunSettings& settings, Observed& observed,
                    Watching& watching) {
  Submitter submitter(parts.access, settings, parts.record.resources, observed);
  StorageGuard guard(parts.access, settings.storage, [&submitter] { submitter.Cease(); });
  std::optional<Instant> submitted;
  const auto sending = [&](Instant now, const Progress&) {
    if (!submitted && submitter.Await(now)) submitted = now;
    return Sending{submitted.has_value(), submitted.value_or(now), submitter.counts(),
                   submitter.failure()};
  };
  const auto progress = [&](Duration, const Progress& look) {
    parts.progress(absl::StrFormat("fill: %d of %d sent, %d not ready", submitter.counts().sent,
                                   settings.count, look.open));
  };
  Status status = watching.Await(sending, progress, kBetweenFillLines);
  guard.Stop();
  submitter.Stop();
  status.Update(guard.verdict());
  watching.End(submitter.counts());
  return absl::IsCancelled(status) ? FillInterrupted() : status;
}

}  // namespace

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

Result<Saturation> Fill(kube::Connection& connection, const FillParts& parts) {
  const RunSettings settings = FillSettings(parts.settings);
  Observed observed(*settings.kind, settings.each.run, AnchorNow());
  Watching watching(parts.access, PlanOf(parts), observed, parts.interruption);
  Status status = watching.Begin(connection);
  if (absl::IsCancelled(status)) return FillInterrupted();
  if (status.ok()) status = CarryOutFill(parts, settings, observed, watching);
  if (!status.ok()) return status;
  const Instant end = Now();
  return observed.With(
      [&](Observer& observer) { return SaturationOf(*settings.kind, observer, end); });
}

}  // namespace twofold::lifecycle
