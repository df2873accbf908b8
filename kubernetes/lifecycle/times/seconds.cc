#include "kubernetes/lifecycle/times/seconds.h"

#include <algorithm>
#include <string>

namespace twofold::lifecycle {
namespace {

/// Who writes the second of a moment.
std::string ClockOf(Moment moment) {
  switch (moment) {
    case Moment::kSandbox:
    case Moment::kInitialized:
    case Moment::kFirstStarted:
    case Moment::kStarted:
    case Moment::kFirstReady:
    case Moment::kReady:
    case Moment::kFirstFinished:
    case Moment::kFinished:
      return "kubelet";
    case Moment::kQuotaReserved:
    case Moment::kAdmitted:
    case Moment::kComplete:
    case Moment::kFailed:
      return "controller";
    default:
      return "API server";
  }
}

/// By how many seconds the sight is off the second at least; 0: it fits.
double Misfit(const Sight& sight, const ClockFit& clocks) {
  const UnixNs second = *sight.cluster_second * kSecondNs;
  const auto since = [&](Instant instant) {
    return static_cast<double>(clocks.anchor.UnixNs(instant) - second) / kSecondNs;
  };
  const double earliest = since(sight.after) + clocks.offset.low - clocks.lag;
  const double latest = since(sight.at) + clocks.offset.high;
  if (earliest >= 1.0) return earliest - 1.0;
  return std::min(latest, 0.0);
}

void Add(const Sight& sight, const ClockFit& clocks, EvidenceRow& row) {
  if (!sight.cluster_second) {
    ++row.missing;
    return;
  }
  ++row.n;
  const double misfit = Misfit(sight, clocks);
  // An offset that was found from these very seconds has no more digits than a double.
  constexpr double kRounding = 1e-6;
  if (misfit > -kRounding && misfit < kRounding) {
    ++*row.fit;
    return;
  }
  row.misfit_low = std::min(row.misfit_low.value_or(misfit), misfit);
  row.misfit_high = std::max(row.misfit_high.value_or(misfit), misfit);
}

}  // namespace

std::vector<EvidenceRow> CompareSeconds(const Kind& kind, const std::vector<Life>& lives,
                                        const ClockFit& clocks) {
  const bool gang =
      std::any_of(lives.begin(), lives.end(), [](const Life& life) { return life.slots > 1; });
  const std::vector<Moment> moments = kind.Moments(gang);
  std::vector<EvidenceRow> all;
  for (const Moment moment : moments) {
    EvidenceRow& row = all.emplace_back();
    row.source = "own second";
    row.moment = Name(moment);
    row.clock = ClockOf(moment);
    row.fit = 0;
    row.doubt = clocks.Doubt();
  }
  for (const Life& life : lives) {
    const Sights sights = SightsOf(life);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      if (const auto& sight = Of(sights, moments[i])) Add(*sight, clocks, all[i]);
    }
  }
  std::erase_if(all, [](const EvidenceRow& row) { return row.n == 0; });
  return all;
}

}  // namespace twofold::lifecycle
