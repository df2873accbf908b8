#include "lib/stats/throughput.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/stats/batch_means.h"
#include "lib/stats/student.h"

namespace twofold::stats {
namespace {

constexpr double kConfidence = 0.95;
constexpr int kFewestBatches = 4;
constexpr int kMostBatches = 16;
constexpr double kLivesPerBatch = 2.0;  // shorter: fluid credit of one job makes neighbours alike
constexpr double kLeastTrend = 0.02;    // smaller changes are not worth a word

/// An even number, so that the window has halves; 0 if it is too short for the fewest.
int BatchesFor(double seconds, double mean_life) {
  const double fit = std::min(seconds / (kLivesPerBatch * mean_life), double{kMostBatches});
  const int batches = static_cast<int>(fit) / 2 * 2;
  return batches >= kFewestBatches ? batches : 0;
}

void SetError(const Lives& lives, std::span<const double> batches, ThroughputEstimate& estimate) {
  estimate.log_error = lives.RenewalError();
  estimate.degrees = std::max(static_cast<double>(lives.count()) - 1.0, 1.0);
  if (batches.empty()) return;
  estimate.log_error = std::max(estimate.log_error, RelativeError(batches));
  estimate.degrees = static_cast<double>(batches.size()) - 1.0;
}

void SetInterval(ThroughputEstimate& estimate) {
  const double factor = std::exp(StudentFactor(kConfidence, estimate.degrees) * estimate.log_error);
  estimate.lower = estimate.throughput / factor;
  estimate.upper = estimate.throughput * factor;
}

std::string WhyNotSteady(const Lives& lives, std::span<const double> batches, double seconds) {
  if (batches.empty()) {
    return absl::StrFormat(
        "the window of %.3g s is too short: %d batches of %.0f mean lives take %.3g s", seconds,
        kFewestBatches, kLivesPerBatch, kFewestBatches * kLivesPerBatch * lives.MeanSeconds());
  }
  const auto [change, chance] = CompareHalves(batches, lives.RenewalError());
  if (std::abs(change) <= std::max(chance, kLeastTrend)) return "";
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
  estimate.batches = BatchesFor(estimate.seconds, lives_.MeanSeconds());
  const std::vector<double> batches = credit.Split(now - start_, estimate.batches);
  SetError(lives_, batches, estimate);
  SetInterval(estimate);
  estimate.reason = WhyNotSteady(lives_, batches, estimate.seconds);
  estimate.steady = estimate.reason.empty();
  return estimate;
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
