#include "kubernetes/lifecycle/times/steps.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <utility>

namespace twofold::lifecycle {
namespace {

constexpr double kBelow = 0.8;  // of what a step carries: its queue stays short there

Step WorkloadStep(const Kind& kind, Moment from, Moment to, const std::vector<Sights>& all) {
  Step step{std::string(Name(to)), std::string(kind.controller), 1.0, {}};
  for (const Sights& sights : all) {
    const auto& in = Of(sights, from);
    const auto& out = Of(sights, to);
    if (!in) continue;
    step.passages.push_back({in->at, out ? std::optional(out->at) : std::nullopt});
  }
  return step;
}

/// What the controller makes pods of: what waits for quota does not wait for the controller.
Moment ReadyForPods(const Kind& kind) {
  const std::vector<Moment> moments = kind.Moments();
  const bool waits = std::find(moments.begin(), moments.end(), Moment::kAdmitted) != moments.end();
  return waits ? Moment::kAdmitted : Moment::kCreated;
}

/// Pods come to the scheduler once their gates are open. Those that it has found no node for wait
/// for the cluster and not for the scheduler, and are bound when others leave.
std::optional<stats::Passage> ThroughScheduler(const PodLife& pod, Instant now) {
  const auto& created = Of(pod.sights, PodPhase::kCreated);
  const TimeByReason pending = pod.pending.Until(now);
  const auto took = [&](Reason reason) { return pending[static_cast<std::size_t>(reason)]; };
  if (!created || took(Reason::kUnschedulable) > Duration::zero()) return std::nullopt;
  const auto& bound = Of(pod.sights, PodPhase::kScheduled);
  return stats::Passage{created->at + took(Reason::kGate),
                        bound ? std::optional(bound->at) : std::nullopt};
}

/// From being bound to being ready; of pods that end before they are ready nothing can be said.
std::optional<stats::Passage> ThroughKubelet(const PodLife& pod) {
  const auto& bound = Of(pod.sights, PodPhase::kScheduled);
  const auto& ready = Of(pod.sights, PodPhase::kReady);
  if (!bound || (!ready && Of(pod.sights, PodPhase::kFinished))) return std::nullopt;
  return stats::Passage{bound->at, ready ? std::optional(ready->at) : std::nullopt};
}

double PodsOf(const std::vector<Life>& lives) {
  double slots = 0.0;
  for (const Life& life : lives) slots += life.slots;
  return lives.empty() ? 1.0 : slots / static_cast<double>(lives.size());
}

std::string RateText(double rate) { return absl::StrFormat("%.3g", rate); }

std::string GrowthText(const stats::QueueGrowth& growth) {
  return absl::StrFormat(" while %s came, so that waits grew from %.1f to %.1f s",
                         RateText(growth.offered), growth.from_seconds, growth.to_seconds);
}

}  // namespace

std::vector<Step> StepsOf(const Kind& kind, const Observer& observer,
                          const std::vector<Sights>& all, Instant now) {
  const std::vector<Life>& lives = observer.lives();
  std::vector<Step> steps;
  if (!kind.IsPod())
    steps.push_back(WorkloadStep(kind, ReadyForPods(kind), Moment::kFirstPod, all));
  Step scheduled{std::string(Name(Moment::kScheduled)), observer.scheduler(), PodsOf(lives), {}};
  Step ready{std::string(Name(Moment::kReady)), std::nullopt, PodsOf(lives), {}};
  for (const Life& life : lives) {
    for (const PodLife& pod : life.pods) {
      if (const auto passage = ThroughScheduler(pod, now)) scheduled.passages.push_back(*passage);
      if (const auto passage = ThroughKubelet(pod)) ready.passages.push_back(*passage);
    }
  }
  steps.push_back(std::move(scheduled));
  steps.push_back(std::move(ready));
  if (!kind.IsPod()) steps.push_back(WorkloadStep(kind, Moment::kFinished, Moment::kComplete, all));
  return steps;
}

std::vector<Plateau> PlateausOf(const std::vector<Step>& steps) {
  std::vector<Plateau> plateaus;
  for (const Step& step : steps) {
    if (!step.program) continue;
    std::vector<Instant> in;
    std::vector<Instant> out;
    for (const stats::Passage& each : step.passages) {
      in.push_back(each.in);
      if (each.out) out.push_back(*each.out);
    }
    auto plateau = FindPlateau(step.name, *step.program, std::move(in), std::move(out));
    if (plateau) plateaus.push_back(*std::move(plateau));
  }
  return plateaus;
}

std::vector<Queue> QueuesOf(const std::vector<Step>& steps, const std::vector<Plateau>& plateaus,
                            Instant now) {
  std::vector<Queue> queues;
  for (const Step& step : steps) {
    const auto plateau = std::find_if(plateaus.begin(), plateaus.end(),
                                      [&](const Plateau& each) { return each.step == step.name; });
    auto growth = stats::FindQueueGrowth(step.name, step.passages, now);
    if (plateau == plateaus.end() && !growth) continue;
    Queue queue{step.name, growth ? growth->carried : 0.0, step.per_workload, "", growth};
    if (plateau != plateaus.end()) {
      queue.carried = plateau->rate;
      queue.limiter = plateau->limiter;
    }
    queues.push_back(std::move(queue));
  }
  return queues;
}

std::optional<std::string> QueueNote(const std::vector<Queue>& queues) {
  if (queues.empty()) return std::nullopt;
  const Queue& first = queues.front();
  double least = first.carried / first.per_workload;
  for (const Queue& each : queues) least = std::min(least, each.carried / each.per_workload);
  return absl::StrCat("the pace was above what ", first.step, " carries: ", RateText(first.carried),
                      " a second", first.growth ? GrowthText(*first.growth) : "",
                      first.limiter.empty() ? "" : ", as under ", first.limiter,
                      "; percentiles from ", first.step,
                      " on are those of the queue and not of the path, and grow with --count; for "
                      "the path try --rate ",
                      RateText(kBelow * least));
}

}  // namespace twofold::lifecycle
