#include "lib/stats/scaling_law.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "lib/stats/relative_fit.h"

namespace twofold::stats {
namespace {

constexpr double kLawConfidence = 0.95;
constexpr double kFarthest = 2.0;          // times the largest size: a fit says nothing beyond
constexpr double kCloseContention = 0.02;  // less costs under a third of the throughput of 16
constexpr double kLeastEfficiency = 0.5;
constexpr double kEndless = std::numeric_limits<double>::infinity();

// N / X(N) = a0 + a1 N + a2 N (N - 1) has L = 1 / (a0 + a1), s = a1 L, k = a2 L, so that 0 <= s <=
// 1 and k >= 0 hold exactly where no coefficient is negative.
const Coefficients kSerial(0.0, 1.0, 0.0);
const Coefficients kParallel(1.0, 0.0, 0.0);
const Coefficients kPairs(0.0, 0.0, 1.0);
const Coefficients kOne(1.0, 1.0, 0.0);

constexpr std::array<std::size_t, 3> kLeastWorkers = {1, 3, 4};  // of each law

Coefficients ShapesAt(double n) { return {1.0, n, n * (n - 1.0)}; }

/// How many sizes there are.
Result<std::size_t> CheckThroughputs(std::span<const Observation> all) {
  std::set<double> sizes;
  for (const Observation& one : all) {
    if (!(one.x >= 1.0) || !std::isfinite(one.x)) {
      return absl::InvalidArgumentError(absl::StrFormat("workers: %g is not 1 or more", one.x));
    }
    if (!(one.y > 0.0) || !std::isfinite(one.y)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("throughput at %g workers: %g is not above 0", one.x, one.y));
    }
    sizes.insert(one.x);
  }
  if (sizes.size() >= kLeastWorkers[1]) return sizes.size();
  return absl::InvalidArgumentError(
      absl::StrFormat("not enough sizes: a law needs %d different numbers of workers, there are %d",
                      kLeastWorkers[1], sizes.size()));
}

Bounded Inverted(const Bounded& sum) {
  return {1.0 / sum.value, 1.0 / sum.upper, sum.lower > 0.0 ? 1.0 / sum.lower : kEndless};
}

Bounded Root(const Bounded& square) {
  return {std::sqrt(square.value), std::sqrt(square.lower), std::sqrt(square.upper)};
}

Bounded AtMostOne(Bounded share) {
  share.lower = std::min(share.lower, 1.0);
  share.upper = std::min(share.upper, 1.0);
  return share;
}

/// What the law says of its peak, once s and k are known.
void SetPeak(const RelativeFit& fit, ScalingLaw& law) {
  law.peak = {kEndless, kEndless, kEndless};
  if (law.law == Law::kUniversal) {
    law.peak = Root(fit.Ratio(kParallel, kPairs, kLawConfidence));
    // The same question, asked of k: rounding must not answer it in two ways.
    if (law.coherency.lower <= 0.0) law.peak.upper = kEndless;
  }
  const double s = law.contention.value;
  if (std::isfinite(law.peak.value)) {
    const double n = std::max(law.peak.value, 1.0);
    law.peak_throughput = n / fit.At(ShapesAt(n));
  } else {
    law.peak_throughput = s > 0.0 ? law.rate.value / s : kEndless;
  }
}

ScalingLaw FitLaw(Law which, std::span<const Observation> all, std::span<const ShapeRow> rows,
                  bool known_errors) {
  const std::size_t shapes = static_cast<std::size_t>(which) + 1;
  // Linear: N / X is constant, so the one coefficient is a0.
  const RelativeFit fit(rows, shapes, known_errors);
  ScalingLaw law{.law = which};
  law.rate = Inverted(fit.Sum(kOne, kLawConfidence));
  if (which != Law::kLinear) law.contention = AtMostOne(fit.Ratio(kSerial, kOne, kLawConfidence));
  if (which == Law::kUniversal) law.coherency = fit.Ratio(kPairs, kOne, kLawConfidence);
  for (const Observation& one : all) {
    law.largest = std::max(law.largest, one.x);
    law.residuals.push_back(std::log(one.y / (one.x / fit.At(ShapesAt(one.x)))));
    law.scatter += law.residuals.back() * law.residuals.back();
  }
  law.scatter = std::sqrt(law.scatter / static_cast<double>(all.size()));
  law.efficiency = {1.0, 1.0, 1.0};
  if (which != Law::kLinear) {
    law.efficiency = AtMostOne(fit.Ratio(kOne, ShapesAt(law.largest), kLawConfidence));
  }
  law.aicc = fit.aicc();
  law.coefficients.assign(fit.coefficients().begin(), fit.coefficients().end());
  SetPeak(fit, law);
  return law;
}

ScalingClass JudgeLaw(const ScalingLaw& law) {
  const bool peak = law.coherency.lower > 0.0;
  if (law.efficiency.upper < kLeastEfficiency) return ScalingClass::kIssue;
  if (peak && law.peak.value < kFarthest * law.largest) return ScalingClass::kIssue;
  if (!peak && law.contention.upper < kCloseContention) return ScalingClass::kClose;
  return ScalingClass::kPossible;
}

}  // namespace

std::string_view Name(Law law) {
  constexpr std::array<std::string_view, 3> kNames = {"linear", "amdahl", "usl"};
  return kNames[static_cast<std::size_t>(law)];
}

std::string_view Name(ScalingClass scaling_class) {
  constexpr std::array<std::string_view, 3> kNames = {"close", "possible", "scalability issue"};
  return kNames[static_cast<std::size_t>(scaling_class)];
}

Result<double> ScalingLaw::At(double workers) const {
  if (workers > kFarthest * largest) {
    return absl::OutOfRangeError(absl::StrFormat(
        "workers: %g is more than twice the %g that were measured", workers, largest));
  }
  return workers / Eigen::Map<const Coefficients>(coefficients.data()).dot(ShapesAt(workers));
}

// The bounds are those of the fit without signs, cut at 0. Those of data that fit exactly are at 0,
// too.
bool ScalingLaw::IsContradicted() const {
  constexpr double kExact = 1e-9;
  if (law == Law::kLinear || scatter < kExact) return false;
  return contention.upper <= 0.0 || (law == Law::kUniversal && coherency.upper <= 0.0);
}

bool ScalingLaw::HasPeak() const {
  return coherency.lower > 0.0 && peak.value <= kFarthest * largest;
}

Result<ScalingLaws> FitScalingLaws(std::span<const Observation> throughputs) {
  const Result<std::size_t> sizes = CheckThroughputs(throughputs);
  if (!sizes.ok()) return sizes.status();
  const bool known_errors = std::all_of(
      throughputs.begin(), throughputs.end(),
      [](const Observation& one) { return one.log_error > 0.0 && std::isfinite(one.log_error); });
  std::vector<ShapeRow> rows;
  for (const Observation& one : throughputs) {
    const double weight = known_errors ? 1.0 / (one.log_error * one.log_error) : 1.0;
    rows.push_back({ShapesAt(one.x), one.x / one.y, weight});
  }
  ScalingLaws fitted;
  for (const Law law : {Law::kLinear, Law::kAmdahl, Law::kUniversal}) {
    const std::size_t least = kLeastWorkers[static_cast<std::size_t>(law)];
    if (*sizes < least) {
      fitted.refused.push_back(absl::StrFormat("%s: needs %d different numbers of workers",
                                               std::string(Name(law)), least));
      continue;
    }
    fitted.laws.push_back(FitLaw(law, throughputs, rows, known_errors));
    if (fitted.laws.back().aicc < fitted.Best().aicc) fitted.best = fitted.laws.size() - 1;
  }
  fitted.verdict = JudgeLaw(fitted.laws.back());
  return fitted;
}

}  // namespace twofold::stats
