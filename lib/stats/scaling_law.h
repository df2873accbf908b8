#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/stats/comparison.h"
#include "lib/stats/relative_fit.h"

/// Laws of throughput against workers: what holds it back, and where its peak is. Pure.
namespace twofold::stats {

/// One measurement: `y` at the size `x`. Repetitions are observations with the same `x`.
struct Observation {
  double x = 0.0;
  double y = 0.0;
  double log_error = 0.0;  ///< standard error of ln(y), if the source states it; else 0
};

enum class Law : std::uint8_t {
  kLinear,     ///< X(N) = L N
  kPlateau,    ///< X(N) = L min(N, M)
  kAmdahl,     ///< X(N) = L N / (1 + s (N - 1))
  kUniversal,  ///< X(N) = L N / (1 + s (N - 1) + k N (N - 1))
};

/// "linear", "plateau", "amdahl", "usl"
std::string_view Name(Law law);

/// The verdict on how something scales, by intervals alone.
enum class ScalingClass : std::uint8_t {
  kClose,     ///< to the ideal: certainly within the margin
  kPossible,  ///< not decided
  kIssue,     ///< certainly beyond the margin
};

/// "close", "possible", "scalability issue"
std::string_view Name(ScalingClass scaling_class);

/// A law with its parameters and their 95 % intervals.
struct ScalingLaw {
  Law law = Law::kLinear;
  Bounded rate{};        ///< L: throughput of one worker
  Bounded contention{};  ///< s, 0..1: share of the work that waits for its turn
  Bounded coherency{};   ///< k: cost of each pair that must agree, as a share of one's work

  /// Workers at the greatest throughput, sqrt((1 - s) / k). Infinite: no peak. The upper bound is
  /// infinite exactly where the lower bound of k is 0: no peak was seen.
  Bounded peak{};
  double peak_throughput = 0.0;  ///< at peak.value; L / s without a peak; infinite without both

  Bounded level_from{};  ///< M: workers from which throughput is level; infinite: other laws
  Bounded level{};       ///< L M; infinite: other laws
  std::optional<double> fit_p{};  ///< how rarely a true law fits as badly; nullopt: not testable

  double largest = 0.0;             ///< the most workers measured
  Bounded efficiency{};             ///< X(N) / (N L) there, 1 = ideal
  double aicc = 0.0;                ///< less is better; infinite: too few observations to tell
  double scatter = 0.0;             ///< root of the mean square of `residuals`
  std::vector<double> residuals{};  ///< ln(measured / law) of each observation, in their order
  /// N / X(N) = a0 + a1 N + a2 N (N - 1); nullopt: a plateau.
  std::optional<RelativeFit> fit{};

  /// The fitted curve at `workers` (1 or more). Where the law does not hold, only the nearest one.
  [[nodiscard]] double CurveAt(double workers) const;

  /// Throughput at `workers` (1 or more) with its 95 % interval, if the law is true.
  /// Errors   kOutOfRange: more than twice what was measured; a fit says nothing there.
  ///          kFailedPrecondition: the law does not hold.
  [[nodiscard]] Result<Bounded> At(double workers) const;

  /// Whether the data do not speak against the law: it fits, and is not contradicted.
  [[nodiscard]] bool Holds() const;

  /// Whether the law holds, and its peak is certain and not beyond twice what was measured.
  [[nodiscard]] bool HasPeak() const;

  /// Whether s or k is certainly below 0, which the law excludes: throughput grew faster than any
  /// such law allows. Parameters are those of the nearest law then, and say nothing of the system.
  [[nodiscard]] bool IsContradicted() const;
};

/// All laws that there are sizes enough for.
struct ScalingLaws {
  std::vector<ScalingLaw> laws{};  ///< linear, plateau, amdahl, usl
  /// Of `laws`: of those that hold the one with the least AICc, the simplest of equal ones.
  /// nullopt: none holds, or a law explains clearly more for which there are too few observations
  /// for AICc.
  std::optional<std::size_t> best{};
  std::vector<std::string> refused{};  ///< why a law, or the best one, is missing
  ScalingClass verdict = ScalingClass::kPossible;

  [[nodiscard]] const ScalingLaw* Best() const { return best ? &laws[*best] : nullptr; }

  /// nullptr: refused.
  [[nodiscard]] const ScalingLaw* Of(Law law) const;

  /// The best law's throughput at `workers`; beyond what was measured the interval holds those of
  /// all laws that hold, as data up to there do not tell which one goes on.
  /// Errors   As of ScalingLaw::At; kFailedPrecondition: there is no best law.
  [[nodiscard]] Result<Bounded> At(double workers) const;
};

/// Fits the laws to throughputs. Amdahl's and the plateau need 3 different numbers of workers, the
/// universal one 4, and each more observations than parameters. Each is tested: by repetitions
/// where there are any, else by stated errors.
///
/// If every observation states its log_error, weights follow from them, and errors count as at
/// least as large as stated. docs/statistics.md, "Laws of throughput", has the fit and how often
/// its intervals hold the truth.
///
/// The verdict is by the most general law, the universal or else Amdahl's, if it holds; else by the
/// best one (docs/scaling.md, "Laws of throughput").
///
/// Errors   kInvalidArgument: an x under 1, a y that is not above 0; fewer than 3 sizes.
/// Source   N. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6; arXiv:0808.1431.
Result<ScalingLaws> FitScalingLaws(std::span<const Observation> throughputs);

}  // namespace twofold::stats
