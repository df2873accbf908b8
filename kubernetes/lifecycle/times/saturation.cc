#include "kubernetes/lifecycle/times/saturation.h"

#include <algorithm>

#include "kubernetes/lifecycle/times/steps.h"

namespace twofold::lifecycle {
namespace {

/// nullopt: there are not two, or they came at once.
std::optional<double> RateBetween(const std::vector<Instant>& instants) {
  if (instants.size() < 2) return std::nullopt;
  const auto [first, last] = std::minmax_element(instants.begin(), instants.end());
  if (*first == *last) return std::nullopt;
  return static_cast<double>(instants.size() - 1) / ToSeconds(*last - *first);
}

std::vector<Instant> InstantsOf(const std::vector<Life>& lives, PodPhase phase) {
  std::vector<Instant> instants;
  for (const Life& life : lives) {
    for (const PodLife& pod : life.pods) {
      if (const auto& sight = Of(pod.sights, phase)) instants.push_back(sight->at);
    }
  }
  return instants;
}

std::vector<Instant> InstantsOf(const std::vector<Sights>& all, Moment moment) {
  std::vector<Instant> instants;
  for (const Sights& sights : all) {
    if (const auto& sight = Of(sights, moment)) instants.push_back(sight->at);
  }
  return instants;
}

/// When a workload was ready, or over without having been seen to be.
std::optional<Instant> Settled(const Sights& sights) {
  for (const Moment moment : {Moment::kReady, Moment::kFinished, Moment::kComplete}) {
    if (const auto& sight = Of(sights, moment)) return sight->at;
  }
  return std::nullopt;
}

}  // namespace

Saturation SaturationOf(const Kind& kind, const Observer& observer, Instant now) {
  const std::vector<Life>& lives = observer.lives();
  std::vector<Sights> all;
  std::vector<Instant> settled;
  for (const Life& life : lives) {
    all.push_back(SightsOf(life));
    if (const auto at = Settled(all.back())) settled.push_back(*at);
  }
  const std::vector<Instant> created = InstantsOf(all, Moment::kCreated);
  Saturation saturation;
  saturation.workloads = lives.size();
  saturation.created = created.size();
  saturation.ready = settled.size();
  saturation.created_rate = RateBetween(created);
  saturation.scheduled_rate = RateBetween(InstantsOf(lives, PodPhase::kScheduled));
  saturation.ready_rate = RateBetween(InstantsOf(lives, PodPhase::kReady));
  const std::vector<Instant> sent = InstantsOf(all, Moment::kSent);
  if (!settled.empty() && settled.size() == lives.size() && !sent.empty()) {
    const Instant begin = *std::min_element(sent.begin(), sent.end());
    saturation.all_ready_seconds =
        ToSeconds(*std::max_element(settled.begin(), settled.end()) - begin);
  }
  saturation.plateaus = PlateausOf(StepsOf(kind, observer, all, now));
  return saturation;
}

}  // namespace twofold::lifecycle
