#include "lib/stats/slowdown.h"

#include <cmath>
#include <cstdint>
#include <map>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

using Repeats = std::vector<const StepEvidence*>;

/// The mean of what is known, weighted by `weight`.
template <typename Weight>
std::optional<double> MeanKnown(const Repeats& repeats, PartOfTime part, Weight weight) {
  double sum = 0.0;
  double weights = 0.0;
  for (const StepEvidence* one : repeats) {
    if (!(one->*part)) continue;
    sum += weight(*one) * *(one->*part);
    weights += weight(*one);
  }
  return weights > 0.0 ? std::optional(sum / weights) : std::nullopt;
}

/// The geometric mean; independent errors add in squares.
Rate MeanOfRates(const Repeats& repeats) {
  Rate mean{.degrees = 0.0};
  double log_sum = 0.0;
  double squares = 0.0;
  for (const StepEvidence* one : repeats) {
    log_sum += std::log(one->rate.throughput);
    squares += one->rate.log_error * one->rate.log_error;
    mean.degrees += one->rate.degrees;
    mean.seconds += one->rate.seconds;
  }
  const auto count = static_cast<double>(repeats.size());
  mean.throughput = std::exp(log_sum / count);
  mean.log_error = std::sqrt(squares) / count;
  return mean;
}

/// Nodes and the slowest worker are those of the last repeat, as each has new pods.
StepEvidence Merged(const Repeats& repeats) {
  StepEvidence step = *repeats.back();
  step.rate = MeanOfRates(repeats);
  step.jobs = step.failed = 0;
  for (const StepEvidence* one : repeats) {
    step.jobs += one->jobs;
    step.failed += one->failed;
  }
  const auto by_jobs = [](const StepEvidence& one) { return static_cast<double>(one.jobs); };
  const auto by_time = [](const StepEvidence& one) { return one.rate.seconds; };
  for (const NamedPart& part : kTimeParts) {
    step.*part.seconds = MeanKnown(repeats, part.seconds, by_jobs);
  }
  for (const PartOfTime part :
       {&StepEvidence::cpu, &StepEvidence::throttled, &StepEvidence::spread}) {
    step.*part = MeanKnown(repeats, part, by_time);
  }
  return step;
}

Slowdown Between(const StepEvidence& base, const StepEvidence& now) {
  const double factor = static_cast<double>(now.workers) / base.workers;
  return {&base, &now, std::log2(factor),
          std::log(factor) - std::log(now.rate.throughput / base.rate.throughput),
          LogHalfWidth(base.rate, now.rate, 0.95)};
}

}  // namespace

std::vector<StepEvidence> MergeRepeats(std::span<const StepEvidence> evidence) {
  std::map<std::uint32_t, Repeats> repeats;
  for (const StepEvidence& one : evidence) {
    if (one.workers > 0 && IsKnown(one.rate)) repeats[one.workers].push_back(&one);
  }
  std::vector<StepEvidence> steps;
  for (const auto& [workers, of_step] : repeats) steps.push_back(Merged(of_step));
  return steps;
}

Slowdown LargestSlowdown(const std::vector<StepEvidence>& steps) {
  std::optional<Slowdown> most;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const Slowdown next = Between(steps[i - 1], steps[i]);
    if (!next.Matters()) continue;
    if (!most || next.PerDoubling() > most->PerDoubling()) most = next;
  }
  return most.value_or(Between(steps.front(), steps.back()));
}

std::optional<double> TimeOfJob(const StepEvidence& step) {
  double sum = 0.0;
  for (const NamedPart& part : kTimeParts) {
    if (!(step.*part.seconds)) return std::nullopt;
    sum += *(step.*part.seconds);
  }
  return sum > 0.0 ? std::optional(sum) : std::nullopt;
}

double ShareOf(const Slowdown& slowdown, const NamedPart& part) {
  const double more = *(slowdown.now->*part.seconds) - *(slowdown.base->*part.seconds);
  return more / (*TimeOfJob(*slowdown.base) * std::expm1(slowdown.log));
}

}  // namespace twofold::stats
