#include "kubernetes/lifecycle/moments/life.h"

#include <algorithm>

namespace twofold::lifecycle {
namespace {

constexpr std::array<std::string_view, kStates> kStateNames = {
    "complete", "failed", "ready", "not_ready", "never_seen", "refused", "deleted", "not_sent"};

/// A phase of pods, and the moments of the workload that it makes.
struct PodMoments {
  PodPhase phase;
  std::optional<Moment> first;
  Moment all;
};

constexpr std::array<PodMoments, 8> kPodMoments = {{
    {PodPhase::kCreated, Moment::kFirstPod, Moment::kLastPod},
    {PodPhase::kDecided, Moment::kFirstDecided, Moment::kDecided},
    {PodPhase::kScheduled, Moment::kFirstScheduled, Moment::kScheduled},
    {PodPhase::kSandbox, std::nullopt, Moment::kSandbox},
    {PodPhase::kInitialized, std::nullopt, Moment::kInitialized},
    {PodPhase::kStarted, Moment::kFirstStarted, Moment::kStarted},
    {PodPhase::kReady, Moment::kFirstReady, Moment::kReady},
    {PodPhase::kFinished, Moment::kFirstFinished, Moment::kFinished},
}};

Sight Earlier(const Sight& one, const Sight& other) {
  Sight both{std::min(one.at, other.at), std::min(one.after, other.after), one.cluster_second};
  if (other.cluster_second) {
    both.cluster_second =
        std::min(one.cluster_second.value_or(*other.cluster_second), *other.cluster_second);
  }
  return both;
}

Sight Later(const Sight& one, const Sight& other) {
  Sight both{std::max(one.at, other.at), std::max(one.after, other.after), std::nullopt};
  if (one.cluster_second && other.cluster_second) {
    both.cluster_second = std::max(*one.cluster_second, *other.cluster_second);
  }
  return both;
}

/// When each slot came to `phase` first, by whichever pod.
std::vector<std::optional<Sight>> BySlot(const Life& life, PodPhase phase) {
  std::vector<std::optional<Sight>> slots(life.slots);
  for (const PodLife& pod : life.pods) {
    const std::optional<Sight>& sight = Of(pod.sights, phase);
    if (!sight || pod.slot >= life.slots) continue;
    std::optional<Sight>& slot = slots[pod.slot];
    slot = slot ? Earlier(*slot, *sight) : *sight;
  }
  return slots;
}

void AddPodMoments(const Life& life, const PodMoments& row, Sights& sights) {
  std::optional<Sight> first;
  std::optional<Sight> last;
  bool all = true;
  for (const std::optional<Sight>& slot : BySlot(life, row.phase)) {
    all = all && slot.has_value();
    if (!slot) continue;
    first = first ? Earlier(*first, *slot) : *slot;
    last = last ? Later(*last, *slot) : *slot;
  }
  if (row.first) Of(sights, *row.first) = first;
  if (all) Of(sights, row.all) = last;
}

/// When as many as needed had come.
std::optional<Sight> WhenEnough(const Life& life, std::optional<Sight> ClaimLife::*moment) {
  std::vector<Instant> at;
  std::vector<Instant> after;
  std::vector<std::int64_t> seconds;
  for (const ClaimLife& claim : life.claims) {
    const std::optional<Sight>& sight = claim.*moment;
    if (!sight) continue;
    at.push_back(sight->at);
    after.push_back(sight->after);
    if (sight->cluster_second) seconds.push_back(*sight->cluster_second);
  }
  const std::size_t needed = life.planned.claims;
  if (needed == 0 || at.size() < needed) return std::nullopt;
  const auto nth = [needed](auto values) {
    std::sort(values.begin(), values.end());
    return values[needed - 1];
  };
  Sight enough{nth(at), nth(after), std::nullopt};
  if (seconds.size() == at.size()) enough.cluster_second = nth(seconds);
  return enough;
}

/// Its first pod shows that a workload is there. The two come by two watches, of which either may
/// be behind, so a creation that was seen later than that has happened before.
void BoundCreation(Sights& sights) {
  std::optional<Sight>& created = Of(sights, Moment::kCreated);
  const std::optional<Sight>& pod = Of(sights, Moment::kFirstPod);
  if (!created || !pod || created->at <= pod->at) return;
  const std::optional<Sight>& sent = Of(sights, Moment::kSent);
  created->at = pod->at;
  created->after = std::min({created->after, pod->at, sent ? sent->at : pod->at});
}

}  // namespace

void ReasonClock::Change(std::optional<Reason> reason, Instant known, Instant at) {
  if (reason_ && at > since_) {
    const Instant held_until = reason == reason_ ? at : std::clamp(known, since_, at);
    sums_[static_cast<std::size_t>(*reason_)] += held_until - since_;
    sums_[static_cast<std::size_t>(Reason::kUnseen)] += at - held_until;
  }
  reason_ = reason;
  since_ = std::max(since_, at);
}

TimeByReason ReasonClock::Until(Instant now) const {
  TimeByReason sums = sums_;
  if (reason_ && now > since_) sums[static_cast<std::size_t>(*reason_)] += now - since_;
  return sums;
}

Sights SightsOf(const Life& life) {
  Sights sights = life.own;
  for (const PodMoments& row : kPodMoments) AddPodMoments(life, row, sights);
  BoundCreation(sights);
  Of(sights, Moment::kVolumeRequested) = WhenEnough(life, &ClaimLife::requested);
  Of(sights, Moment::kVolumeBound) = WhenEnough(life, &ClaimLife::bound);
  return sights;
}

bool HasGangs(const std::vector<Life>& lives) {
  return std::any_of(lives.begin(), lives.end(), [](const Life& life) { return life.slots > 1; });
}

bool HasVolumes(const std::vector<Life>& lives) {
  return std::any_of(lives.begin(), lives.end(),
                     [](const Life& life) { return life.planned.claims > 0; });
}

std::uint32_t RestartsOf(const Life& life) {
  std::uint32_t restarts = life.recreated;
  for (const PodLife& pod : life.pods) restarts += pod.restarts + (pod.replacement ? 1 : 0);
  return restarts;
}

std::uint32_t EvictionsOf(const Life& life) {
  const auto pods = std::count_if(life.pods.begin(), life.pods.end(),
                                  [](const PodLife& pod) { return pod.evicted; });
  return life.evictions + static_cast<std::uint32_t>(pods);
}

std::uint32_t LostPodsOf(const Life& life) {
  const auto lost = std::count_if(life.pods.begin(), life.pods.end(), [](const PodLife& pod) {
    return Of(pod.sights, PodPhase::kDeleted) && !Of(pod.sights, PodPhase::kFinished);
  });
  return static_cast<std::uint32_t>(lost);
}

TimeByReason PendingOf(const Life& life, Instant now) {
  TimeByReason sums = life.held.Until(now);
  for (const PodLife& pod : life.pods) {
    const TimeByReason of_pod = pod.pending.Until(now);
    for (std::size_t i = 0; i < kReasons; ++i) sums[i] += of_pod[i];
  }
  return sums;
}

std::string_view Name(State state) { return kStateNames[static_cast<std::size_t>(state)]; }

State StateOf(const Kind& kind, const Life& life, const Sights& sights) {
  if (!life.refused.empty()) return State::kRefused;
  if (!Of(sights, Moment::kCreated)) {
    return Of(sights, Moment::kSent) ? State::kNeverSeen : State::kNotSent;
  }
  const bool pod_over = kind.IsPod() && Of(sights, Moment::kFinished);
  const bool pod_failed = pod_over && life.pods.front().failed;
  if (Of(sights, Moment::kFailed) || pod_failed) return State::kFailed;
  if (Of(sights, Moment::kComplete) || pod_over) return State::kComplete;
  if (Of(sights, Moment::kDeleted)) return State::kDeleted;
  return Of(sights, Moment::kReady) ? State::kReady : State::kNotReady;
}

bool IsOver(State state, bool until_ready) {
  switch (state) {
    case State::kComplete:
    case State::kFailed:
    case State::kDeleted:
    case State::kRefused:
      return true;
    case State::kReady:
      return until_ready;
    case State::kNotReady:
    case State::kNeverSeen:
    case State::kNotSent:
      return false;
  }
  return false;
}

}  // namespace twofold::lifecycle
