#include "kubernetes/lifecycle/metrics.h"

#include <algorithm>
#include <utility>

#include "lib/metrics/family.h"

namespace twofold::lifecycle {
namespace {

using metrics::Family;
using metrics::MetricType;
using prometheus::MetricFamily;

Duration NotNegative(Duration time) { return std::max(time, Duration::zero()); }

MetricFamily Single(const char* name, const char* help, MetricType type, std::uint64_t value) {
  Family family(name, help, type);
  family.Add({}, value);
  return family.Take();
}

MetricFamily Single(const char* name, const char* help, const stats::Histogram& times) {
  Family family(name, help, MetricType::Histogram);
  family.Add({}, times);
  return family.Take();
}

MetricFamily InfoOf(const RunTitle& title) {
  Family family("twofold_lifecycle_run_info", "Which run this is; always 1.", MetricType::Gauge);
  family.Add({{"run", title.run}, {"kind", title.kind}, {"namespace", title.space}}, 1);
  return family.Take();
}

MetricFamily StatesOf(const RunProgress& progress) {
  Family family("twofold_lifecycle_workloads", "Workloads that are planned by now, by state.",
                MetricType::Gauge);
  for (std::size_t i = 0; i < kStates; ++i) {
    family.Add({{"state", std::string(Name(static_cast<State>(i)))}}, progress.states[i]);
  }
  return family.Take();
}

MetricFamily MomentsOf(const RunProgress& progress) {
  Family family("twofold_lifecycle_moment_seconds", "From sending a workload to its moment.",
                MetricType::Histogram);
  for (const auto& [moment, times] : progress.moments) {
    family.Add({{"moment", std::string(Name(moment))}}, times);
  }
  return family.Take();
}

MetricFamily RefusedOf(const SendCounts& counts) {
  Family family("twofold_lifecycle_refused_total",
                "Workloads that the server did not take, by reason.", MetricType::Counter);
  for (const auto& [reason, count] : counts.refused) family.Add({{"reason", reason}}, count);
  return family.Take();
}

}  // namespace

void RunProgress::Add(const Kind& kind, const Life& life, bool until_ready) {
  const Sights sights = SightsOf(life);
  const State state = StateOf(kind, life, sights);
  ++states[static_cast<std::size_t>(state)];
  if (!IsOver(state, until_ready)) ++open;
  const auto& sent = Of(sights, Moment::kSent);
  if (!sent) return;
  if (const auto& due = Of(sights, Moment::kPlanned))
    lateness.Record(NotNegative(sent->at - due->at));
  for (const Moment moment : kind.Moments()) {
    const auto& sight = Of(sights, moment);
    if (moment > Moment::kSent && sight) moments[moment].Record(NotNegative(sight->at - sent->at));
  }
}

void RunProgress::Add(const CanaryLag& canary) { lag.Record(NotNegative(canary.after_reply)); }

void RunProgress::Add(Observed& observed, bool until_ready) {
  constexpr std::size_t kSlice = 500;  // lives at a time, so that the watches go on
  const auto slice = [&](std::size_t begin) {
    return observed.With([&](const Observer& observer) {
      const auto& lives = observer.lives();
      const std::size_t end = std::min(lives.size(), begin + kSlice);
      for (std::size_t i = begin; i < end; ++i) Add(observed.kind(), lives[i], until_ready);
      return end;
    });
  };
  for (std::size_t at = 0, end = slice(0); end > at; end = slice(at)) at = end;
  observed.With([&](const Observer& observer) {
    for (const CanaryLag& each : observer.lags()) Add(each);
  });
}

std::vector<MetricFamily> MetricsOf(const RunTitle& title, const RunProgress& progress) {
  using enum MetricType;
  const SendCounts& counts = progress.submitted;
  return {
      InfoOf(title),
      Single("twofold_lifecycle_planned", "Workloads of the whole run.", Gauge, progress.planned),
      Single("twofold_lifecycle_sent_total", "Workloads that were sent.", Counter, counts.sent),
      Single("twofold_lifecycle_created_total", "Workloads that the server took.", Counter,
             counts.created),
      RefusedOf(counts),
      Single("twofold_lifecycle_late_total", "Workloads sent 50 ms or more after their instant.",
             Counter, counts.late),
      Single("twofold_lifecycle_repeated_total",
             "Creations sent again after the connection had broken.", Counter, counts.repeated),
      Single("twofold_lifecycle_throttled_total", "Times that the server asked to wait (429).",
             Counter, counts.throttled),
      Single("twofold_lifecycle_open", "Workloads that are not at their end yet.", Gauge,
             progress.open),
      StatesOf(progress),
      Single("twofold_lifecycle_lateness_seconds", "From the planned instant to sending.",
             progress.lateness),
      MomentsOf(progress),
      Single("twofold_lifecycle_watch_lag_seconds",
             "From the server's answer to a write until the watch showed it, by canaries.",
             progress.lag),
      Single("twofold_lifecycle_watch_breaks_total", "Watches that broke before their time.",
             Counter, progress.watch_breaks),
      metrics::BuildFamily("twofold_lifecycle_build_info",
                           "What this program was built from; always 1.")
          .Take()};
}

}  // namespace twofold::lifecycle
