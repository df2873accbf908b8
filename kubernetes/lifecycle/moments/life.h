#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/moment.h"
#include "kubernetes/lifecycle/moments/pod.h"

namespace twofold::lifecycle {

using TimeByReason = std::array<Duration, kReasons>;

/// Adds up for how long each reason held.
class ReasonClock {
 public:
  /// From `at` on it is `reason`; nullopt: nothing is waited for. `known` is when the reason so far
  /// was last known to hold: what lies between counts as unseen if the reason has changed
  /// meanwhile.
  void Change(std::optional<Reason> reason, Instant known, Instant at);

  /// What has added up until `now`.
  [[nodiscard]] TimeByReason Until(Instant now) const;

 private:
  std::optional<Reason> reason_;
  Instant since_;
  TimeByReason sums_ = {};
};

/// One pod of a workload.
struct PodLife {
  std::uint32_t slot = 0;    ///< which place in the workload it takes
  bool replacement = false;  ///< another pod had this place before
  bool evicted = false;
  bool failed = false;
  std::uint32_t restarts = 0;  ///< of its containers
  PodSights sights;
  ReasonClock pending;
  std::string name = {};
  std::string uid = {};
};

/// One claim of a volume.
struct ClaimLife {
  std::optional<Sight> requested;  ///< the object is there
  std::optional<Sight> bound;      ///< it has a volume
};

/// What a workload is planned with, beside its name, its pods and its instant.
struct Planned {
  std::uint32_t wave = 0;    ///< from 1 on; 0: there are no waves
  std::uint32_t claims = 0;  ///< of volumes that it needs at once
};

/// What is known of one workload.
struct Life {
  std::string space;  ///< namespace
  std::string name;
  std::uint32_t slots = 1;  ///< pods that it needs at once
  Instant begin;            ///< nothing of it can have happened before
  Planned planned = {};
  std::string refused;  ///< why it was not created; empty: it was, or the answer is not there yet
  std::string uid;      ///< of the object that was seen first
  Sights own;           ///< of the object itself and of those beside it; none of pods
  std::vector<PodLife> pods;
  std::vector<ClaimLife> claims;  ///< in the order in which they were seen
  std::uint32_t slots_taken = 0;  ///< by a pod so far, the first ones in order; may exceed `slots`
  std::map<std::string, std::uint32_t> slot_names;  ///< of those that labels name
  ReasonClock held;                                 ///< by quota
  std::uint32_t evictions = 0;                      ///< of the workload as a whole
  std::string eviction;                             ///< which one was counted last
  std::uint32_t recreated = 0;  ///< objects of the same name that came after the first
  std::uint32_t left_out = 0;   ///< pods beyond the limit
};

/// All moments of a workload: its own, and those that its pods have together. A moment of all pods
/// is there once each slot has come to it, by whichever pod; replaced pods never move the first
/// ones. A moment of volumes is there once as many claims as the workload needs have come to it.
Sights SightsOf(const Life& life);

/// Whether there is a workload with more than one pod.
bool HasGangs(const std::vector<Life>& lives);

/// Whether there is a workload with claims of volumes.
bool HasVolumes(const std::vector<Life>& lives);

/// How many pods were replacements, or containers started again.
std::uint32_t RestartsOf(const Life& life);

/// Evictions of its pods and of itself.
std::uint32_t EvictionsOf(const Life& life);

/// Pods that were deleted before they had finished.
std::uint32_t LostPodsOf(const Life& life);

/// Time by reason until `now`: the workload's own, and the sum over its pods.
TimeByReason PendingOf(const Life& life, Instant now);

/// Where a workload has come to at last.
enum class State : std::uint8_t {
  kComplete,
  kFailed,
  kReady,      ///< all pods are or were ready; it has not ended
  kNotReady,   ///< seen, but not all pods became ready
  kNeverSeen,  ///< sent, but its object never came
  kRefused,    ///< the API server did not take it
  kDeleted,    ///< gone before it had ended
  kNotSent,
};
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::kNotSent) + 1;
std::string_view Name(State state);
State StateOf(const Kind& kind, const Life& life, const Sights& sights);

/// Whether nothing more is waited for of a workload.
bool IsOver(State state, bool until_ready);

}  // namespace twofold::lifecycle
