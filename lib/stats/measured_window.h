#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/stats/parts.h"

/// What a verdict needs of a window: how fast it was, part by part, and how its workers scatter.
/// Workers are independent replications of one measurement, so their scatter shows how well their
/// mean is known, however each one's noise lasts.
namespace twofold::stats {

/// Waves that a window is projected on: half a wave a window, one, one and a half ...
inline constexpr std::size_t kNoiseWaves = 20;
using WaveValues = std::array<double, kNoiseWaves>;

/// Cosines, scaled so that noise without memory gives each one the variance of the window's mean.
const std::array<Parts, kNoiseWaves>& NoiseWaves();
/// The product of each wave with `parts`.
WaveValues WavesOf(const Parts& parts);

/// The credit of some workers together.
struct WorkerGroup {
  Parts jobs{};
  double members = 1.0;  ///< workers
};

/// More groups than these are put together: Student's t with 2 x 31 degrees of freedom is within
/// 2 % of the one with any number.
inline constexpr std::size_t kMostGroups = 32;

/// Sixteenths of a window, of which the first eight may be left out as a warm-up.
inline constexpr std::size_t kBlocks = 16;
inline constexpr std::size_t kMostCut = kBlocks / 2;

/// The variance between workers (n - 1), relative to the credit of the mean worker.
struct BetweenGroups {
  double whole = 0.0;  ///< of the whole window
  WaveValues waves{};  ///< of each wave
};

/// A window, with the scatter for each cut that may be made. Flat: about 2 KiB.
struct MeasuredWindow {
  double seconds = 0.0;
  double mean_life = 0.0;    ///< seconds that a worker had a job; 0 until one has ended
  std::uint32_t groups = 0;  ///< workers, or groups of them, that scatter
  Parts total{};             ///< jobs of all workers
  std::array<BetweenGroups, kMostCut + 1> between{};  ///< by the blocks that are left out

  /// Whether there is a throughput above 0.
  [[nodiscard]] bool IsKnown() const;
  /// Jobs a second in [begin, end], seconds from the window's start.
  [[nodiscard]] double Throughput(double begin, double end) const;
  /// So many blocks hold `cut` seconds; at most kMostCut.
  [[nodiscard]] std::size_t BlocksIn(double cut) const;
  [[nodiscard]] double BlockSeconds() const { return seconds / double{kBlocks}; }
  /// That WarmUpOf leaves out.
  [[nodiscard]] double WarmUpSeconds() const;
};

/// `most_cut`: the scatter of longer cuts is left out.
///
/// Cost     O(32 groups x 9 cuts x 64 x 20), 0.3 ms for 32 groups, 0.1 ms for eight.
MeasuredWindow MeasureGroups(double seconds, double mean_life, std::vector<WorkerGroup> groups,
                             std::size_t most_cut = kMostCut);

/// `parts` without the first `cut` blocks, in 64 parts again. Inside a part, credit is even.
Parts WithoutBlocks(const Parts& parts, std::size_t cut);

/// How the beginning of a window differs from its second half.
struct WarmUp {
  std::size_t blocks = 0;  ///< to leave out, at most kMostCut; 0: none
  double change = 0.0;     ///< speed meanwhile / speed of the second half - 1
};

/// Looks for a warm-up: the first block differs from the last eight by more than chance (0.2 %) and
/// by 2 %. It lasts while blocks are on the same side by 1.5 standard deviations, and half as long
/// again, as its end cannot be seen. Faster and slower count alike, so a cut has no side.
/// Source   K. Hoad, S. Robinson, R. Davies, "Automating warm-up length estimation" (2008), for the
///          idea that the rest of the series judges the beginning.
WarmUp WarmUpOf(const Parts& total);

}  // namespace twofold::stats
