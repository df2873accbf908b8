#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/run/driver.h"
#include "lib/common/instant.h"
#include "lib/stats/mean_interval.h"

namespace twofold::run {

/// How far a run is.
struct Progress {
  std::size_t jobs = 0;  ///< in all, as far as is known now
  std::size_t running = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t withdrawn = 0;
  /// The first job that runs, else that waits; place in Driver::jobs().
  std::optional<std::size_t> current{};
  /// Time until the jobs that are known have ended; nothing before the first has.
  std::optional<Duration> left{};

  [[nodiscard]] std::size_t ended() const { return succeeded + failed + withdrawn; }
};

/// Each job that is left is expected to take as long as those of its permutation took on the
/// average, or as all did if none of them has ended; as many go on at once as run now, and one at
/// least.
Progress ProgressOf(const Driver& driver);

/// One headline over the measured repetitions of a permutation.
struct HeadlineSummary {
  Headline of;  ///< its value is the mean
  std::vector<double> values{};
  stats::MeanInterval interval{};
};

/// What came of a permutation; warm-ups are left out.
struct PermutationSummary {
  std::size_t permutation = 0;  ///< place in Expansion::permutations
  std::size_t jobs = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::vector<HeadlineSummary> headlines{};  ///< in the order in which results have them
};

/// One entry a permutation, in their order.
std::vector<PermutationSummary> SummariesOf(const Driver& driver);

}  // namespace twofold::run
