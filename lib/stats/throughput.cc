#include "lib/stats/throughput.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/evidence.h"
#include "lib/stats/parts.h"

namespace twofold::stats {
namespace {

constexpr double kConfidence = 0.95;
constexpr int kFewestBatches = 4;
constexpr int kMostBatches = 16;
constexpr double kLivesPerBatch = 2.0;  // shorter: fluid credit of one job makes neighbours alike
constexpr double kLeastStep = 0.02;     // of halves; smaller ones are not worth a word
constexpr double kLeastHole = 0.1;      // of the window
constexpr double kRareHole = 0.001;     // chance that one hole of a window may have
constexpr double kLongLives = 4.0;      // as long as these mean lives leave a quarter of the rate
constexpr double kMostExpected = 2.0;   // credit with that of jobs that go on / without it
constexpr std::uint64_t kFewestForLooks = 500;  // jobs
constexpr double kCochran = 25.0;
constexpr int kMuchShorter = 16;  // lives of a power law (exponent 2) have such a gap in 0.2 %

/// An even number, so that the window has halves; 0 if it is too short for the fewest.
int BatchesFor(double seconds, double mean_life) {
  const double fit = std::min(seconds / (kLivesPerBatch * mean_life), double{kMostBatches});
  const int batches = static_cast<int>(fit) / 2 * 2;
  return batches >= kFewestBatches ? batches : 0;
}

Parts PartsOf(const FluidBins& credit, Duration length) {
  const std::vector<double> split = credit.Split(length, static_cast<int>(kParts));
  Parts parts{};
  std::copy(split.begin(), split.end(), parts.begin());
  return parts;
}

/// Sets the error of one window and these workers. Noise that may last widens the tails more than
/// Student's t has them, so the error counts with which both intervals that are asked for are wide
/// enough.
void SetError(const MeasuredWindow& window, ThroughputEstimate& estimate) {
  constexpr double kMostDegrees = 1e6;  // hardly differs from the normal distribution
  WaveScatter scatter = ScatterOf(window, 0);
  ExtrapolateOverTime({&scatter, 1});
  const WorkersError workers = ErrorOfThesePods(scatter);
  const RatioChance chance(ExplainCommonNoise(scatter), workers);
  estimate.degrees = std::min(workers.degrees, kMostDegrees);
  const auto error = [&](double confidence) {
    return chance.Distance(0.5 * (1.0 - confidence), 1.0) /
           StudentFactor(confidence, estimate.degrees);
  };
  estimate.log_error = std::max(error(kConfidence), error(kConfidenceOfLooks));
}

std::uint64_t JobsNeeded(const Lives& lives) {
  const double skewness = lives.Skewness();
  return std::max(kFewestForLooks, static_cast<std::uint64_t>(kCochran * skewness * skewness));
}

/// What throughput is multiplied with and divided by for its interval.
double IntervalFactor(const ThroughputEstimate& estimate, double confidence) {
  return std::exp(StudentFactor(confidence, estimate.degrees) * estimate.log_error);
}

void SetInterval(ThroughputEstimate& estimate) {
  const double factor = IntervalFactor(estimate, kConfidence);
  const bool is_known = !SaysNothing(1.0 / factor, factor);
  estimate.lower = is_known ? estimate.throughput / factor : 0.0;
  estimate.upper =
      is_known ? estimate.throughput * factor : std::numeric_limits<double>::infinity();
}

std::string TooShort(double seconds, double mean_life) {
  return absl::StrFormat(
      "the window of %.3g s is too short: %d batches of %.0f mean lives take %.3g s", seconds,
      kFewestBatches, kLivesPerBatch, kFewestBatches * kLivesPerBatch * mean_life);
}

std::string WhyStep(std::span<const double> batches, double least_error, double seconds) {
  const Step step = LargestStep(batches, least_error);
  const double before = static_cast<double>(step.at) / static_cast<double>(batches.size());
  // What a short part differs by matters less to the whole.
  const double matters = 2.0 * std::min(before, 1.0 - before) * std::abs(step.change);
  if (std::abs(step.change) <= step.chance || matters <= kLeastStep) return "";
  const double at = seconds * before;
  if (std::isinf(step.change)) {
    return absl::StrFormat("there is throughput from %.3g s of the window on only", at);
  }
  return absl::StrFormat(
      "throughput %s by %.1f %% at %.3g s of the window; chance explains %.1f %%",
      step.change > 0.0 ? "rises" : "falls", std::abs(step.change) * 100.0, at,
      step.chance * 100.0);
}

/// There is nothing to divide by: no rate, no error.
ThroughputEstimate Unknown(ThroughputEstimate estimate, std::string reason) {
  estimate.log_error = estimate.upper = std::numeric_limits<double>::infinity();
  estimate.reason = std::move(reason);
  return estimate;
}

}  // namespace

bool ThroughputEstimate::IsKnownWithin(double share) const {
  return steady && throughput > 0.0 && succeeded + failed >= jobs_needed &&
         IntervalFactor(*this, kConfidenceOfLooks) <= 1.0 + share;
}

std::optional<double> ThroughputEstimate::SecondsUntilKnownWithin(double share) const {
  const std::uint64_t ended = succeeded + failed;
  if (!steady || ended == 0 || throughput <= 0.0 || !std::isfinite(log_error)) return std::nullopt;
  const double too_wide =
      std::log(IntervalFactor(*this, kConfidenceOfLooks)) / std::log(1.0 + share);
  const double too_few = static_cast<double>(jobs_needed) / static_cast<double>(ended);
  return seconds * std::max(std::max(too_wide * too_wide, too_few) - 1.0, 0.0);
}

void ThroughputWindow::Ended(Instant begun, Instant ended, bool succeeded,
                             std::optional<std::uint32_t> worker) {
  if (ended < start_) return;
  const Instant begin = std::min(begun, ended - Duration(1));  // no life is without length
  lives_.Add(ended - begin, succeeded);
  const Duration from = std::max(begin, start_) - start_;
  busy_.Add(from, ended - start_, 1.0);
  const double density = succeeded ? 1.0 / ToSeconds(ended - begin) : 0.0;
  credit_.Add(from, ended - start_, density);
  if (!worker) return;
  if (*worker >= last_ended_.size()) last_ended_.resize(*worker + 1);
  by_worker_.resize(std::min(last_ended_.size(), kMostWorkers));
  std::optional<Instant>& last = last_ended_[*worker];
  last = std::max(last.value_or(ended), ended);
  by_worker_[*worker % kMostWorkers].Add(from, ended - start_, density);
}

ThroughputEstimate ThroughputWindow::Estimate(Instant now, std::span<const Instant> at_work) const {
  ThroughputEstimate estimate;
  estimate.seconds = ToSeconds(now - start_);
  estimate.succeeded = lives_.succeeded();
  estimate.failed = never_began_ + lives_.count() - lives_.succeeded();
  if (estimate.succeeded + estimate.failed == 0) return Unknown(estimate, "no job has ended yet");
  if (lives_.succeeded() == 0) return Unknown(estimate, "no job has succeeded yet");
  if (estimate.seconds <= 0.0) return Unknown(estimate, "the window has no length yet");

  const FluidBins credit = WithThoseAtWork(now, at_work);
  estimate.counted = static_cast<double>(estimate.succeeded) / estimate.seconds;
  estimate.throughput = credit.Total() / estimate.seconds;
  estimate.mean_life = lives_.MeanSeconds();
  estimate.jobs_needed = JobsNeeded(lives_);
  estimate.batches = BatchesFor(estimate.seconds, estimate.mean_life);
  if (credit.Total() > kMostExpected * credit_.Total()) {
    return Unknown(estimate, "most of what was done is of jobs that have not ended");
  }
  estimate.log_error = lives_.RenewalError();
  estimate.degrees = std::max(static_cast<double>(lives_.count()) - 1.0, 1.0);
  const bool shows_noise = estimate.batches > 0 && std::isfinite(estimate.log_error);
  if (shows_noise && estimate.throughput > 0.0) SetError(MeasuredUpTo(0, now, at_work), estimate);
  SetInterval(estimate);
  estimate.reason = WhyNotSteady(now, at_work, credit, estimate.batches);
  estimate.usable = estimate.batches > 0;
  estimate.steady = estimate.reason.empty();
  return estimate;
}

MeasuredWindow ThroughputWindow::Measured(Instant now, std::span<const Instant> at_work) const {
  return MeasuredUpTo(kMostCut, now, at_work);
}

MeasuredWindow ThroughputWindow::MeasuredUpTo(std::size_t most_cut, Instant now,
                                              std::span<const Instant> at_work) const {
  const Duration length = now - start_;
  if (lives_.succeeded() == 0 || length <= Duration(0)) return {};
  const FluidBins credit = WithThoseAtWork(now, at_work);
  if (credit.Total() > kMostExpected * credit_.Total()) return {};
  Parts unknown = PartsOf(credit, length);
  const std::vector<double> members = MembersByWorker();
  const std::vector<FluidBins> workers = ByWorker(now, at_work);
  std::vector<WorkerGroup> groups;
  double all = 0.0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (members[i] == 0.0) continue;
    groups.push_back({PartsOf(workers[i], length), members[i]});
    all += members[i];
    for (std::size_t k = 0; k < kParts; ++k) unknown[k] -= groups.back().jobs[k];
  }
  if (groups.empty()) groups.push_back({Parts{}, all = 1.0});
  for (WorkerGroup& group : groups) {
    for (std::size_t k = 0; k < kParts; ++k) group.jobs[k] += unknown[k] * group.members / all;
  }
  return MeasureGroups(ToSeconds(length), lives_.MeanSeconds(), std::move(groups), most_cut);
}

std::vector<double> ThroughputWindow::MembersByWorker() const {
  std::vector<double> members(by_worker_.size());
  for (std::size_t i = 0; i < last_ended_.size(); ++i) {
    if (last_ended_[i]) ++members[i % kMostWorkers];
  }
  return members;
}

std::vector<FluidBins> ThroughputWindow::ByWorker(Instant now,
                                                  std::span<const Instant> at_work) const {
  std::vector<std::pair<Instant, std::size_t>> ends;
  for (std::size_t i = 0; i < last_ended_.size(); ++i) {
    if (last_ended_[i]) ends.emplace_back(*last_ended_[i], i);
  }
  std::sort(ends.begin(), ends.end(), std::greater<>());
  std::vector<Instant> begins(at_work.begin(), at_work.end());
  std::sort(begins.begin(), begins.end(), std::greater<>());
  std::vector<FluidBins> credit = by_worker_;
  const std::function<double(Duration)> expected = lives_.ExpectedDensity();
  for (std::size_t i = 0; i < std::min(ends.size(), begins.size()); ++i) {
    const Instant begin = std::max(begins[i], start_);
    if (begin >= now) continue;
    credit[ends[i].second % kMostWorkers].Add(begin - start_, now - start_,
                                              expected(now - begins[i]));
  }
  return credit;
}

std::string ThroughputWindow::WhyNotSteady(Instant now, std::span<const Instant> at_work,
                                           const FluidBins& credit, int batches) const {
  const Duration length = now - start_;
  if (batches == 0) return TooShort(ToSeconds(length), lives_.MeanSeconds());
  const Hole hole = LongestHole(PartsOf(credit, length));
  const double seconds = hole.length * ToSeconds(length);
  if (hole.length >= kLeastHole && !IsNatural(FromSeconds(seconds), now, at_work)) {
    return absl::StrFormat(
        "next to nothing was done for %.3g s of the window's %.3g s, from %.3g s on", seconds,
        ToSeconds(length), hole.begin * ToSeconds(length));
  }
  return WhyStep(credit.Split(length, batches), lives_.RenewalError(), ToSeconds(length));
}

// Long lives make holes, too, where few jobs run at a time. A hole is not natural if all workers
// would have to be in long lives at once by chance; or if it stands alone: lives are as long as it
// is or much shorter, none between, and no more are long than there are workers.
bool ThroughputWindow::IsNatural(Duration hole, Instant now,
                                 std::span<const Instant> at_work) const {
  const auto from = [&](Duration least) {
    Lives::Tail tail = lives_.From(least);
    for (const Instant begun : at_work) {
      if (now - begun < least) continue;
      ++tail.count;
      tail.seconds += ToSeconds(now - begun);
    }
    return tail;
  };
  const Lives::Tail longer =
      from(std::min(hole / 2, FromSeconds(kLongLives * lives_.MeanSeconds())));
  const Parts busy = PartsOf(busy_, now - start_);
  const double most = *std::max_element(busy.begin(), busy.end()) * double{kParts};
  const double workers = std::max(
      {std::round(most / ToSeconds(now - start_)), static_cast<double>(at_work.size()), 1.0});
  if (std::pow(longer.seconds / from(Duration(0)).seconds, workers) < kRareHole) return false;
  return longer.count > workers || from(hole / kMuchShorter).count > from(hole / 2).count;
}

FluidBins ThroughputWindow::WithThoseAtWork(Instant now, std::span<const Instant> at_work) const {
  FluidBins credit = credit_;
  const std::function<double(Duration)> expected = lives_.ExpectedDensity();
  for (const Instant begun : at_work) {
    const Instant begin = std::max(begun, start_);
    if (begin < now) credit.Add(begin - start_, now - start_, expected(now - begun));
  }
  return credit;
}

}  // namespace twofold::stats
