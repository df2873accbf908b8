#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/lifecycle/moments/kind.h"

/// What a Pod object says. Pure.
namespace twofold::lifecycle {

/// Why a workload or a pod is not running yet.
enum class Reason : std::uint8_t {
  kQuota,          ///< suspended, or its group is not let in: it waits for quota
  kGate,           ///< a scheduling gate of the pod is closed
  kScheduler,      ///< no word of the scheduler yet
  kUnschedulable,  ///< the scheduler has found no node
  kSandbox,        ///< bound; sandbox or network are not there yet
  kInit,           ///< init containers run
  kImage,          ///< an image cannot be had
  kStarting,       ///< all else before the first container runs: pulling, mounting, creating
  kCrash,          ///< containers have started and crashed
  kUnseen,         ///< changed while the watch was broken: from when to when is not known
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kUnseen) + 1;

/// "unschedulable", ...
std::string_view Name(Reason reason);

/// What the phases of a pod that this version of its object shows. A phase implies none before it:
/// a pod may fail without having been started.
using PodShown = std::array<std::optional<Shown>, kPodPhases>;
PodShown ShownBy(const Object& pod);

/// nullopt: it runs, or is over.
std::optional<Reason> PendingReason(const Object& pod);

/// How often its containers have been started again.
std::uint32_t RestartsOf(const Object& pod);

/// Whether it was disrupted: preempted, evicted, deleted by a taint or with its node.
bool IsEvicted(const Object& pod);

/// Which place in its workload the pod takes, by the kind's slot labels; empty: they do not say.
std::string SlotOf(const Kind& kind, const Object& pod);

}  // namespace twofold::lifecycle
