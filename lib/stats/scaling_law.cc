#include "lib/stats/scaling_law.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lib/stats/plateau_fit.h"
#include "lib/stats/relative_fit.h"

namespace twofold::stats {
namespace {

constexpr double kLawConfidence = 0.95;
constexpr double kFarthest = 2.0;          // times the largest size: a fit says nothing beyond
constexpr double kCloseContention = 0.02;  // less costs under a third of the throughput of 16
constexpr double kLeastEfficiency = 0.5;
constexpr double kRarestFit = 0.01;  // four laws are tested, and a true one shall seldom fail
constexpr double kClearly = 0.05;
constexpr double kEndless = std::numeric_limits<double>::infinity();

// N / X(N) = a0 + a1 N + a2 N (N - 1) has L = 1 / (a0 + a1), s = a1 L, k = a2 L, so that 0 <= s <=
// 1 and k >= 0 hold exactly where no coefficient is negative.
const Coefficients kSerial(0.0, 1.0, 0.0);
const Coefficients kParallel(1.0, 0.0, 0.0);
const Coefficients kPairs(0.0, 0.0, 1.0);
const Coefficients kOne(1.0, 1.0, 0.0);

struct LawTraits {
  std::string_view name;
  std::size_t least_workers;
  std::size_t parameters;
};
constexpr std::array<LawTraits, 4> kTraits = {
    LawTraits{"linear", 1, 1}, {"plateau", 3, 2}, {"amdahl", 3, 2}, {"usl", 4, 3}};
constexpr std::size_t kLeastSizes = 3;

const LawTraits& TraitsOf(Law law) { return kTraits[static_cast<std::size_t>(law)]; }

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
  if (sizes.size() >= kLeastSizes) return sizes.size();
  return absl::InvalidArgumentError(
      absl::StrFormat("not enough sizes: a law needs %d different numbers of workers, there are %d",
                      kLeastSizes, sizes.size()));
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

/// Throughputs, and what their laws are fitted to.
struct Throughputs {
  std::span<const Observation> all;
  std::vector<ShapeRow> rows{};
  bool known_errors = false;
};

Throughputs ThroughputsOf(std::span<const Observation> all) {
  Throughputs measured{.all = all};
  measured.known_errors = std::all_of(all.begin(), all.end(), [](const Observation& one) {
    return one.log_error > 0.0 && std::isfinite(one.log_error);
  });
  for (const Observation& one : all) {
    const double weight = measured.known_errors ? 1.0 / (one.log_error * one.log_error) : 1.0;
    measured.rows.push_back({ShapesAt(one.x), one.x / one.y, weight});
  }
  return measured;
}

/// Squares of what repetitions differ from their weighted means, and the number of sizes.
std::pair<double, std::size_t> PureSquares(const Throughputs& measured) {
  std::map<double, std::pair<double, double>> sums;  // of weights, and of weighted logarithms
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    auto& [weights, logs] = sums[measured.all[i].x];
    weights += measured.rows[i].weight;
    logs += measured.rows[i].weight * std::log(measured.rows[i].value);
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    const auto& [weights, logs] = sums[measured.all[i].x];
    const double error = std::log(measured.rows[i].value) - logs / weights;
    squares += measured.rows[i].weight * error * error;
  }
  return {squares, sums.size()};
}

/// How rarely such a ratio of mean squares is chance.
double FChance(double above, double above_degrees, double below, double below_degrees) {
  if (!(above > 0.0)) return 1.0;
  if (!(below > 0.0)) return 0.0;
  const boost::math::fisher_f_distribution<double> f(above_degrees, below_degrees);
  return cdf(complement(f, (above / above_degrees) / (below / below_degrees)));
}

/// Lack of fit: by repetitions, else beside stated errors, else not testable.
std::optional<double> FitChance(const Throughputs& measured, double squares,
                                std::size_t parameters) {
  constexpr double kExact = 1e-18;  // squares of rounding
  const auto n = measured.all.size();
  const auto [pure, sizes] = PureSquares(measured);
  if (squares <= kExact) return 1.0;
  if (n > sizes && sizes > parameters) {
    return FChance(std::max(squares - pure, 0.0), static_cast<double>(sizes - parameters), pure,
                   static_cast<double>(n - sizes));
  }
  if (!measured.known_errors || n <= parameters) return std::nullopt;
  const boost::math::chi_squared_distribution<double> chi(static_cast<double>(n - parameters));
  return cdf(complement(chi, squares));
}

/// A plateau as a law.
void SetPlateau(const PlateauFit& fit, ScalingLaw& law) {
  law.rate = fit.rate;
  law.level_from = fit.from;
  law.level = fit.level;
  law.efficiency = AtMostOne(
      {fit.from.value / law.largest, fit.from.lower / law.largest, fit.from.upper / law.largest});
  law.peak = {kEndless, kEndless, kEndless};
  law.peak_throughput = fit.level.value;
  law.aicc = fit.aicc;
}

void SetCurve(const RelativeFit& fit, ScalingLaw& law) {
  law.rate = Inverted(fit.Sum(kOne, kLawConfidence));
  if (law.law != Law::kLinear) law.contention = AtMostOne(fit.Ratio(kSerial, kOne, kLawConfidence));
  if (law.law == Law::kUniversal) law.coherency = fit.Ratio(kPairs, kOne, kLawConfidence);
  law.efficiency = {1.0, 1.0, 1.0};
  if (law.law != Law::kLinear) {
    law.efficiency = AtMostOne(fit.Ratio(kOne, ShapesAt(law.largest), kLawConfidence));
  }
  law.aicc = fit.aicc();
  SetPeak(fit, law);
  law.fit = fit;
}

ScalingLaw FitLaw(Law which, const Throughputs& measured) {
  ScalingLaw law{.law = which};
  for (const Observation& one : measured.all) law.largest = std::max(law.largest, one.x);
  law.level_from = law.level = {kEndless, kEndless, kEndless};
  if (which == Law::kPlateau) {
    std::vector<PlateauRow> rows;
    for (std::size_t i = 0; i < measured.all.size(); ++i) {
      rows.push_back({measured.all[i].x, measured.all[i].y, measured.rows[i].weight});
    }
    SetPlateau(FitPlateau(rows, measured.known_errors, kLawConfidence), law);
  } else {
    // Linear: N / X is constant, so the one coefficient is a0.
    const std::size_t shapes = TraitsOf(which).parameters;
    SetCurve(RelativeFit(measured.rows, shapes, measured.known_errors), law);
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    const Observation& one = measured.all[i];
    law.residuals.push_back(std::log(one.y / law.CurveAt(one.x)));
    const double square = law.residuals.back() * law.residuals.back();
    law.scatter += square / static_cast<double>(measured.all.size());
    squares += measured.rows[i].weight * square;
  }
  law.scatter = std::sqrt(law.scatter);
  law.fit_p = FitChance(measured, squares, TraitsOf(which).parameters);
  return law;
}

double SquaresOf(const ScalingLaw& law, const Throughputs& measured) {
  double squares = 0.0;
  for (std::size_t i = 0; i < law.residuals.size(); ++i) {
    squares += measured.rows[i].weight * law.residuals[i] * law.residuals[i];
  }
  return squares;
}

/// Whether `law`, for which there are too few observations for AICc, explains clearly more.
bool ExplainsMore(const ScalingLaw& law, const ScalingLaw& best, const Throughputs& measured) {
  const double more = static_cast<double>(TraitsOf(law.law).parameters) -
                      static_cast<double>(TraitsOf(best.law).parameters);
  const double degrees =
      static_cast<double>(measured.all.size()) - static_cast<double>(TraitsOf(law.law).parameters);
  if (std::isfinite(law.aicc) || !law.Holds() || more <= 0.0 || degrees <= 0.0) return false;
  const double squares = SquaresOf(law, measured);
  return FChance(SquaresOf(best, measured) - squares, more, squares, degrees) < kClearly;
}

void ChooseBest(const Throughputs& measured, ScalingLaws& fitted) {
  double least = kEndless;
  bool any = false;
  for (std::size_t i = 0; i < fitted.laws.size(); ++i) {
    const ScalingLaw& law = fitted.laws[i];
    if (!law.Holds()) continue;
    any = true;
    if (law.aicc >= least) continue;
    least = law.aicc;
    fitted.best = i;
  }
  const bool more = fitted.best &&
                    std::any_of(fitted.laws.begin(), fitted.laws.end(), [&](const ScalingLaw& law) {
                      return ExplainsMore(law, *fitted.Best(), measured);
                    });
  if (more) fitted.best.reset();
  if (fitted.best) return;
  fitted.refused.emplace_back(
      any ? "no best law: too few observations to choose; measure more sizes, or repeat them"
          : "no best law: none fits");
}

ScalingClass JudgeLaw(const ScalingLaw& law) {
  const bool peak = law.coherency.lower > 0.0;
  if (law.efficiency.upper < kLeastEfficiency) return ScalingClass::kIssue;
  if (peak && law.peak.value < kFarthest * law.largest) return ScalingClass::kIssue;
  const bool level = law.law == Law::kPlateau;
  if (!peak && !level && law.contention.upper < kCloseContention) return ScalingClass::kClose;
  return ScalingClass::kPossible;
}

}  // namespace

std::string_view Name(Law law) { return TraitsOf(law).name; }

std::string_view Name(ScalingClass scaling_class) {
  constexpr std::array<std::string_view, 3> kNames = {"close", "possible", "scalability issue"};
  return kNames[static_cast<std::size_t>(scaling_class)];
}

double ScalingLaw::CurveAt(double workers) const {
  if (fit) return workers / fit->At(ShapesAt(workers));
  return rate.value * std::min(workers, level_from.value);
}

Result<Bounded> ScalingLaw::At(double workers) const {
  if (workers > kFarthest * largest) {
    return absl::OutOfRangeError(absl::StrFormat(
        "workers: %g is more than twice the %g that were measured", workers, largest));
  }
  if (!Holds()) return absl::FailedPreconditionError("does not fit");
  if (fit) {
    const Bounded each = Inverted(fit->Sum(ShapesAt(workers), kLawConfidence));
    return Bounded{workers * each.value, workers * each.lower, workers * each.upper};
  }
  const Bounded rising{workers * rate.value, workers * rate.lower, workers * rate.upper};
  if (workers < level_from.lower) return rising;
  if (workers > level_from.upper) return level;
  return Bounded{CurveAt(workers), std::min(rising.lower, level.lower),
                 std::min(rising.upper, level.upper)};
}

bool ScalingLaw::Holds() const { return !(fit_p && *fit_p < kRarestFit) && !IsContradicted(); }

const ScalingLaw* ScalingLaws::Of(Law law) const {
  for (const ScalingLaw& one : laws) {
    if (one.law == law) return &one;
  }
  return nullptr;
}

Result<Bounded> ScalingLaws::At(double workers) const {
  if (Best() == nullptr) return absl::FailedPreconditionError("there is no best law");
  Result<Bounded> there = Best()->At(workers);
  if (!there.ok() || workers <= Best()->largest) return there;
  for (const ScalingLaw& law : laws) {
    const auto other = law.At(workers);
    if (!other.ok()) continue;
    there->lower = std::min(there->lower, other->lower);
    there->upper = std::max(there->upper, other->upper);
  }
  return there;
}

// The bounds are those of the fit without signs, cut at 0. Those of data that fit exactly are at 0,
// too.
bool ScalingLaw::IsContradicted() const {
  constexpr double kExact = 1e-9;
  if (law == Law::kLinear || law == Law::kPlateau || scatter < kExact) return false;
  return contention.upper <= 0.0 || (law == Law::kUniversal && coherency.upper <= 0.0);
}

bool ScalingLaw::HasPeak() const {
  return Holds() && coherency.lower > 0.0 && peak.value <= kFarthest * largest;
}

Result<ScalingLaws> FitScalingLaws(std::span<const Observation> throughputs) {
  const Result<std::size_t> sizes = CheckThroughputs(throughputs);
  if (!sizes.ok()) return sizes.status();
  const Throughputs measured = ThroughputsOf(throughputs);
  ScalingLaws fitted;
  for (const Law law : {Law::kLinear, Law::kPlateau, Law::kAmdahl, Law::kUniversal}) {
    const LawTraits& traits = TraitsOf(law);
    if (*sizes < traits.least_workers) {
      fitted.refused.push_back(absl::StrFormat("%s: needs %d different numbers of workers",
                                               std::string(traits.name), traits.least_workers));
      continue;
    }
    fitted.laws.push_back(FitLaw(law, measured));
  }
  ChooseBest(measured, fitted);
  const ScalingLaw& general = fitted.laws.back();
  if (general.Holds()) {
    fitted.verdict = JudgeLaw(general);
  } else if (fitted.best) {
    fitted.verdict = JudgeLaw(*fitted.Best());
  }
  return fitted;
}

}  // namespace twofold::stats
