#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::stats {

/// One piece of work that came to a step, and when the step was done with it.
struct Passage {
  Instant in;
  std::optional<Instant> out;  ///< nullopt: not yet
};

/// A step whose waits grew for as long as work came: it came faster than the step carries, so the
/// waits are those of the queue, and depend on how long the load went on.
struct QueueGrowth {
  std::string step;
  double offered = 0.0;       ///< that came, a second
  double carried = 0.0;       ///< that were done, a second, from the first to the last
  double from_seconds = 0.0;  ///< the median wait of the first third that came
  double to_seconds = 0.0;    ///< and of the last third
};

/// nullopt: the waits did not grow, or it cannot be told. They did if
/// - the medians of the three thirds, in the order in which they came, rise, each by a quarter of
///   the whole rise or more; by 0.1 s at least, and by 5 % of the time in which they came: long
///   waits by themselves, as for an image, are no queue;
/// - less than 95 % of what came a second was done a second;
/// - the waits of the last third are longer than those of the first by the Mann-Whitney test with
///   z > 5, for which there must be 51 of them or more.
/// What is not done by `now` has waited until then at least.
///
/// Cost    O(n log n).
/// Source  H. Mann, D. Whitney, "On a test of whether one of two random variables is stochastically
///         larger than the other" (1947).
std::optional<QueueGrowth> FindQueueGrowth(std::string_view step, std::vector<Passage> passages,
                                           Instant now);

}  // namespace twofold::stats
