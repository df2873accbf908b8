#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kubernetes/lifecycle/moments/kind.h"

/// What the sender writes into the objects that it creates, so that who watches later, or from
/// elsewhere, knows when each was planned and sent. Pure.
namespace twofold::lifecycle {

/// Annotations: Unix time in microseconds, as text, by the sender's clock.
inline constexpr std::string_view kPlannedStamp = "twofold/planned";
inline constexpr std::string_view kSentStamp = "twofold/sent";

/// Unix time in nanoseconds.
struct Stamps {
  std::optional<std::int64_t> planned_ns;
  std::optional<std::int64_t> sent_ns;
};

/// Puts into an object those that are there, cut off to microseconds. What its metadata cannot take
/// is left out: such an object the server will refuse.
void Stamp(Object& object, const Stamps& stamps);

/// Of an object that may be anybody's: what is missing, or no time from 1970 to 2242, is not there.
Stamps StampsOf(const Object& object);

}  // namespace twofold::lifecycle
