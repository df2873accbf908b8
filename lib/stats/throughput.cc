#include "lib/stats/throughput.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/parts.h"

namespace twofold::stats {
namespace {

constexpr double kConfidence = 0.95;
constexpr int kFewestBatches = 4;
constexpr int kMostBatches = 16;
constexpr double kLivesPerBatch = 2.0;  // shorter: fluid credit of one job makes neighbours alike
constexpr double kLeastTrend = 0.02;    // smaller changes are not worth a word
constexpr double kLeastHole = 0.1;      // of the window
constexpr double kRareHole = 0.001;     // chance that one hole of a window may have
constexpr double kLongLives = 4.0;      // as long as these mean lives leave a quarter of the rate
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

void SetError(const Lives& lives, const Parts& parts, ThroughputEstimate& estimate) {
  estimate.log_error = lives.RenewalError();
  estimate.degrees = std::max(static_cast<double>(lives.count()) - 1.0, 1.0);
  if (estimate.batches == 0) return;
  const double lives_per_part = estimate.seconds / estimate.mean_life / double{kParts};
  const LongRunError seen = ErrorOfMean(parts, lives_per_part);
  const double least = StudentFactor(kConfidence, estimate.degrees) * estimate.log_error;
  if (StudentFactor(kConfidence, seen.degrees) * seen.relative < least) return;
  estimate.log_error = seen.relative;
  estimate.degrees = seen.degrees;
}

/// What throughput is multiplied with and divided by for its interval.
double IntervalFactor(const ThroughputEstimate& estimate, double confidence) {
  return std::exp(StudentFactor(confidence, estimate.degrees) * estimate.log_error);
}

void SetInterval(ThroughputEstimate& estimate) {
  const double factor = IntervalFactor(estimate, kConfidence);
  estimate.lower = estimate.throughput / factor;
  estimate.upper = estimate.throughput * factor;
}

std::string TooShort(double seconds, double mean_life) {
  return absl::StrFormat(
      "the window of %.3g s is too short: %d batches of %.0f mean lives take %.3g s", seconds,
      kFewestBatches, kLivesPerBatch, kFewestBatches * kLivesPerBatch * mean_life);
}

std::string WhyTrend(std::span<const double> batches, double least_error) {
  const auto [change, chance] = CompareHalves(batches, least_error);
  if (std::abs(change) <= std::max(chance, kLeastTrend)) return "";
  if (std::isinf(change)) return "there is throughput in the second half of the window only";
  return absl::StrFormat(
      "throughput %s by %.1f %% from the first half of the window to the second; chance explains "
      "%.1f %%",
      change > 0.0 ? "rises" : "falls", std::abs(change) * 100.0, chance * 100.0);
}

/// There is nothing to divide by: no rate, no error.
ThroughputEstimate Unknown(ThroughputEstimate estimate, std::string reason) {
  estimate.log_error = estimate.upper = std::numeric_limits<double>::infinity();
  estimate.reason = std::move(reason);
  return estimate;
}

}  // namespace

bool ThroughputEstimate::IsKnownWithin(double share) const {
  return steady && throughput > 0.0 && IntervalFactor(*this, kConfidenceOfLooks) <= 1.0 + share;
}

void ThroughputWindow::Ended(Instant submitted, Instant ended, bool succeeded) {
  if (ended < start_) return;
  const Instant begin = std::min(submitted, ended - Duration(1));  // no life is without length
  lives_.Add(ended - begin, succeeded);
  if (!succeeded) return;
  credit_.Add(std::max(begin, start_) - start_, ended - start_, 1.0 / ToSeconds(ended - begin));
}

ThroughputEstimate ThroughputWindow::Estimate(Instant now,
                                              std::span<const Instant> in_flight) const {
  ThroughputEstimate estimate;
  estimate.seconds = ToSeconds(now - start_);
  estimate.succeeded = lives_.succeeded();
  estimate.failed = lives_.count() - lives_.succeeded();
  if (lives_.count() == 0) return Unknown(estimate, "no job has ended yet");
  if (lives_.succeeded() == 0) return Unknown(estimate, "no job has succeeded yet");
  if (estimate.seconds <= 0.0) return Unknown(estimate, "the window has no length yet");

  const FluidBins credit = WithInFlight(now, in_flight);
  estimate.counted = static_cast<double>(estimate.succeeded) / estimate.seconds;
  estimate.throughput = credit.Total() / estimate.seconds;
  estimate.mean_life = lives_.MeanSeconds();
  estimate.batches = BatchesFor(estimate.seconds, estimate.mean_life);
  const Parts parts = PartsOf(credit, now - start_);
  estimate.drift = Drift(parts);
  SetError(lives_, parts, estimate);
  SetInterval(estimate);
  estimate.reason = WhyNotSteady(now, in_flight, credit, estimate.batches);
  estimate.steady = estimate.reason.empty();
  return estimate;
}

std::string ThroughputWindow::WhyNotSteady(Instant now, std::span<const Instant> in_flight,
                                           const FluidBins& credit, int batches) const {
  const Duration length = now - start_;
  if (batches == 0) return TooShort(ToSeconds(length), lives_.MeanSeconds());
  const Hole hole = LongestHole(PartsOf(credit, length));
  const double seconds = hole.length * ToSeconds(length);
  if (hole.length >= kLeastHole && !IsNatural(FromSeconds(seconds), now, in_flight)) {
    return absl::StrFormat(
        "next to nothing was done for %.3g s of the window's %.3g s, from %.3g s on", seconds,
        ToSeconds(length), hole.begin * ToSeconds(length));
  }
  return WhyTrend(credit.Split(length, batches), lives_.RenewalError());
}

// Long lives make holes, too, where few jobs run at a time. A hole is not natural if all jobs in
// flight would have to be in long lives at once by chance; or if it stands alone: lives are as long
// as it is or much shorter, none between, and no more are long than are in it.
bool ThroughputWindow::IsNatural(Duration hole, Instant now,
                                 std::span<const Instant> in_flight) const {
  const auto from = [&](Duration least) {
    Lives::Tail tail = lives_.From(least);
    for (const Instant submitted : in_flight) {
      if (now - submitted < least) continue;
      ++tail.count;
      tail.seconds += ToSeconds(now - submitted);
    }
    return tail;
  };
  const Lives::Tail longer =
      from(std::min(hole / 2, FromSeconds(kLongLives * lives_.MeanSeconds())));
  const auto lanes = std::max(static_cast<double>(in_flight.size()), 1.0);
  if (std::pow(longer.seconds / from(Duration(0)).seconds, lanes) < kRareHole) return false;
  return longer.count > lanes || from(hole / kMuchShorter).count > from(hole / 2).count;
}

FluidBins ThroughputWindow::WithInFlight(Instant now, std::span<const Instant> in_flight) const {
  FluidBins credit = credit_;
  const Lives::ExpectedDensities expected = lives_.Expected();
  for (const Instant submitted : in_flight) {
    const Instant begin = std::max(submitted, start_);
    if (begin < now) credit.Add(begin - start_, now - start_, expected(now - submitted));
  }
  return credit;
}

}  // namespace twofold::stats
