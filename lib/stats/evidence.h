#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lib/stats/measured_window.h"

/// How well the ratio of two windows' throughputs is known, from how their workers scatter and from
/// noise that hits all workers at once. Pure; docs/statistics.md ("The test") explains it.
namespace twofold::stats {

/// Fewer workers cannot tell their own noise from that of all by how they scatter. What the fastest
/// waves of their mean show is taken for their own, without memory, and what is slower for common.
inline constexpr std::size_t kFewestWorkers = 4;

/// What a window shows about its noise. Variances are relative to the credit of the mean worker.
struct WaveScatter {
  double seconds = 0.0;
  double mean_life = 0.0;
  double workers = 0.0;         ///< workers, or groups of them
  double log_throughput = 0.0;  ///< jobs a second
  double between = 0.0;         ///< variance between workers of the whole window
  double over_time = 0.0;       ///< part of it that is each worker's noise over time
  WaveValues common{};          ///< each wave, mean of the workers
  WaveValues own{};             ///< each wave, variance between workers
  WaveValues error{};           ///< variance that the workers' own noise gives to `common`

  [[nodiscard]] double degrees() const { return workers - 1.0; }
};

/// Of `window`, which is known, without its first `cut` blocks. `over_time` is set only for fewer
/// than kFewestWorkers.
WaveScatter ScatterOf(const MeasuredWindow& window, std::size_t cut);

/// Sets `over_time` of all windows with kFewestWorkers or more: the waves between workers,
/// extrapolated to the whole window by a mean over shapes of noise, each weighted by how well it
/// explains all windows.
void ExtrapolateOverTime(std::span<WaveScatter> windows);

/// How much workers differ, pooled over windows.
struct WorkersPool {
  double variance = 0.0;  ///< of ln(speed) between workers, 0 at least
  double excess = 1.0;    ///< variance of whole windows / what is expected; less if that is more
  double degrees = 0.0;   ///< of freedom; 0: nothing is known
};
WorkersPool Pooled(std::span<const WaveScatter> windows);

/// Base and step of a repeat.
struct WindowPair {
  WaveScatter base;
  WaveScatter now;
  double distance = 0.0;  ///< seconds between their middles, without what was between them
};

/// An explanation of what the windows show about noise that is common to all workers.
struct Explained {
  double weight = 0.0;    ///< how likely it is beside the others; their sum is 1
  double variance = 0.0;  ///< of ln(ratio)
  double drift = 0.0;     ///< that it adds to ln(ratio)
  double drift_variance = 0.0;
};

/// All explanations of `repeats`, one or more, which have the same noise.
/// Cost     310 explanations, 0.1 ms a repeat.
std::vector<Explained> ExplainCommonNoise(std::span<const WindowPair> repeats);

/// The same of a window by itself, without a drift.
std::vector<Explained> ExplainCommonNoise(const WaveScatter& window);

/// The variance of a mean ln(ratio) that comes from workers, and how well it is known.
struct WorkersError {
  double variance = 0.0;
  double degrees = 0.0;  ///< infinity: known exactly; 0: not at all
};

/// For the pods of another deployment.
WorkersError ErrorOfAnyPods(std::span<const WindowPair> repeats, const WorkersPool& pool);
/// For these pods: noise over time alone.
WorkersError ErrorOfThesePods(std::span<const WindowPair> repeats);
/// The same for ln(throughput) of one window.
WorkersError ErrorOfThesePods(const WaveScatter& window);

/// How likely chance is to move a ln(ratio) at least so far.
class RatioChance {
 public:
  RatioChance(std::vector<Explained> explanations, const WorkersError& workers);

  /// The chance that ln(ratio) is above the true one by `distance` or more, if `side` is 1, or
  /// below it, if -1. A drift that speaks for that side is taken from the distance, one that speaks
  /// against it is not believed.
  [[nodiscard]] double Of(double distance, double side) const;

  /// The distance that chance exceeds with probability `alpha`; infinity if nothing bounds it.
  [[nodiscard]] double Distance(double alpha, double side) const;

  /// As if there were `factor` times as many repeats like those that were seen.
  [[nodiscard]] RatioChance WithMore(double factor) const;

 private:
  struct Term {
    double weight;
    double drift;
    double error;  // without that of workers
  };
  void MakeTerms();

  std::vector<Explained> explanations_;
  WorkersError workers_;
  std::vector<Term> terms_;
};

/// The chance that a Student t variable is above `t`, from 0.5 down; `degrees` may be infinity.
/// Within 1 % of the true one for eight degrees or more, and above it for few.
/// Source   D. Wallace, "Bounds on normal approximations to Student's and the chi-square
///          distributions" (1959).
double StudentTail(double t, double degrees);

}  // namespace twofold::stats
