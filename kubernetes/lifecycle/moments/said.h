#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

class Observer;

/// How an object came.
enum class Event : std::uint8_t {
  kListed,  ///< in a list: what it has come to may have happened long before
  kAdded,
  kModified,
  kDeleted,
};

/// What an Observer can be told: its functions that are not const.
enum class What : std::uint8_t {
  kExpect,
  kPlan,
  kSent,
  kReplied,
  kRefused,
  kSeen,
  kAlive,
  kListing,
  kListed,
  kCanaryWritten,
  kCanarySeen,
  kResume,
};
inline constexpr std::size_t kWhats = static_cast<std::size_t>(What::kResume) + 1;

/// One thing that an Observer was told. It points to what the caller has.
struct Said {
  What what = What::kSeen;
  Instant at{};
  std::string_view space = {};
  std::string_view name = {};  ///< of the workload or canary; else the kind of a stream's objects
  std::uint32_t slots = 0;
  Planned beside = {};        ///< of kExpect and kPlan
  std::string_view why = {};  ///< of a refusal
  Event event = Event::kListed;
  const Object* object = nullptr;     ///< of kSeen
  std::optional<Instant> other = {};  ///< blind_since of kSeen; the reply to a canary
};

using Hearer = std::function<void(const Said&)>;

/// Tells it to another one, as it was said. kSeen must have its object, kCanaryWritten its `other`.
/// Errors   those of the function.
Status Tell(Observer& observer, const Said& said);

}  // namespace twofold::lifecycle
