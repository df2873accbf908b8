#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/common/instant.h"

namespace twofold::lifecycle {

/// The moments in a workload's life, in the order in which they come. Of moments that each pod has,
/// `first_x` is that of the first pod and `x` that of the last: then all pods have come so far.
/// docs/lifecycle.md says where each comes from and when to doubt it.
enum class Moment : std::uint8_t {
  kPlanned,
  kSent,
  kReplied,
  kCreated,
  kQuotaReserved,
  kGroupCreated,
  kAdmitted,
  kChildCreated,
  kFirstPod,
  kLastPod,
  kVolumeRequested,
  kVolumeBound,
  kFirstDecided,
  kDecided,
  kFirstScheduled,
  kScheduled,
  kSandbox,
  kInitialized,
  kFirstStarted,
  kStarted,
  kFirstReady,
  kReady,
  kFirstFinished,
  kFinished,
  kComplete,
  kFailed,
  kDeleted,
};
inline constexpr std::size_t kMoments = static_cast<std::size_t>(Moment::kDeleted) + 1;

/// "created", "pod_ready": its name in tables, files and thresholds.
std::string_view Name(Moment moment);

/// Whether a workload that does well comes past this moment on its way from sending to its end. The
/// steps between such moments add up; the other moments stand beside them.
bool IsOnTheWay(Moment moment);

/// The moments in a pod's life, in order.
enum class PodPhase : std::uint8_t {
  kCreated,      ///< the object is there
  kDecided,      ///< the scheduler has asked for a node (KAI's BindRequest); most have none
  kScheduled,    ///< bound to a node
  kSandbox,      ///< sandbox and network are there
  kInitialized,  ///< init containers are done
  kStarted,      ///< a container runs, or has run
  kReady,
  kFinished,  ///< succeeded or failed
  kDeleted,   ///< the object is gone
};
inline constexpr std::size_t kPodPhases = static_cast<std::size_t>(PodPhase::kDeleted) + 1;

/// When something was seen to have happened, by the clock of the one who watches, and beside it
/// what Kubernetes has written. The two are compared and never mixed.
struct Sight {
  Instant at;                                  ///< it was seen
  Instant after;                               ///< it came after this; `at` if seen as it happened
  std::optional<std::int64_t> cluster_second;  ///< of Kubernetes, Unix time as SecondOf reads it

  /// Seen in a list after the watch was broken: only the interval (after, at] is known.
  [[nodiscard]] bool IsLate() const { return after < at; }
};

/// What has not been seen is missing; it is never 0.
using Sights = std::array<std::optional<Sight>, kMoments>;
using PodSights = std::array<std::optional<Sight>, kPodPhases>;

inline std::optional<Sight>& Of(Sights& sights, Moment moment) {
  return sights[static_cast<std::size_t>(moment)];
}
inline const std::optional<Sight>& Of(const Sights& sights, Moment moment) {
  return sights[static_cast<std::size_t>(moment)];
}
inline std::optional<Sight>& Of(PodSights& sights, PodPhase phase) {
  return sights[static_cast<std::size_t>(phase)];
}
inline const std::optional<Sight>& Of(const PodSights& sights, PodPhase phase) {
  return sights[static_cast<std::size_t>(phase)];
}

}  // namespace twofold::lifecycle
