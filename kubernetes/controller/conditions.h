#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kubernetes/api/fields.h"

/// The conditions of an object's status. Pure.
namespace twofold::controller {

enum class Truth : std::uint8_t { kTrue, kFalse, kUnknown };

struct StatusCondition {
  std::string type;  ///< "WorkersReady": an adjective or a past participle
  Truth status = Truth::kUnknown;
  std::string reason;   ///< one word in CamelCase; never empty
  std::string message;  ///< for people; cut at kLongestMessage
};

inline constexpr std::size_t kLongestMessage = 1024;  ///< bytes; API servers take 32 KiB

/// Puts `condition` into the list `conditions` (null: there is none yet), in place of the one with
/// its type. lastTransitionTime becomes `now` where the status has changed, and stays where it has
/// not. True: its status or reason is another than before.
///
/// `generation` is the metadata.generation that the condition is about.
bool SetCondition(kube::Json& conditions, const StatusCondition& condition, std::int64_t generation,
                  kube::UnixTime now);

/// "2026-11-29T12:00:00Z": whole seconds, as metav1.Time; and with microseconds, as MicroTime.
std::string TimeText(kube::UnixTime time);
std::string MicroTimeText(kube::UnixTime time);

/// metadata.generation; 0: the server has not set one.
std::int64_t GenerationOf(const kube::Json& object);

}  // namespace twofold::controller
