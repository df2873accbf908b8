#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kubernetes/nodes/model/pod.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/common/distribution.h"

namespace twofold::nodes {

/// How busy a pod keeps its GPUs, in percent.
struct Utilisation {
  int least = 80;
  int most = 100;
};

/// "70" or "60-90". kInvalidArgument: anything else, or not 0 to 100.
Result<Utilisation> ParseUtilisation(const std::string& text);

/// How pods live, unless their annotations (names.h) say otherwise.
struct Habits {
  std::uint64_t seed = 1;
  Distribution start{std::chrono::seconds(1)};  ///< from being seen to running
  /// From running to the end; nullopt: until deleted. A pod with restartPolicy Always never ends.
  std::optional<Distribution> run = Distribution{std::chrono::seconds(10)};
  /// From the deletion to being gone; at most its grace.
  Distribution stop{Duration::zero()};
  double failures = 0;   ///< the share of pods that fail instead of succeeding
  int exit_code = 1;     ///< of failed containers
  double evictions = 0;  ///< the share of pods that are evicted, if they run so long
  Distribution evict_after{std::chrono::minutes(1)};
  Utilisation utilisation;
};

/// The ways in which a pod ends.
enum class Ending : std::uint8_t {
  kSucceeded,
  kFailed,
  kEvicted,  ///< by its node, for lack of memory
  kKilled,   ///< it was deleted while it ran
  kRefused,  ///< the node has not as many free devices as the pod asks for
  kInvalid,  ///< an annotation cannot be read
};

/// Their names in metrics and reports.
inline constexpr std::array<const char*, 6> kEndingNames = {"succeeded", "failed",  "evicted",
                                                            "killed",    "refused", "invalid"};

/// What becomes of one pod.
struct Fate {
  Duration start{};
  std::optional<Duration> run;  ///< from the planned start; nullopt: until it is deleted
  Ending ending = Ending::kSucceeded;
  int exit_code = 0;
  Duration stop{};
  int utilisation = 0;  ///< percent
};

/// The same for the same seed, namespace and name; `attempt` counts the restarts of its containers.
/// Errors   kInvalidArgument: which annotation, and what it may look like.
Result<Fate> FateOf(const Habits& habits, const Pod& pod, int attempt = 0);

}  // namespace twofold::nodes
