#pragma once

#include <string>

#include "kubernetes/api/fields.h"
#include "lib/common/instant.h"

namespace twofold::nodes {

using Moment = kube::UnixTime;

/// What the wall clock shows when the monotonic one shows `at`. All moments of a simulation come
/// from one pair, so that two that are a second apart are so in what is written as well.
struct Clocks {
  Instant at;
  Moment moment;

  [[nodiscard]] Moment operator()(Instant instant) const { return moment + (instant - at); }
  [[nodiscard]] Instant operator()(Moment then) const { return at + (then - moment); }
};

std::string InSeconds(Moment moment);       ///< 2026-11-23T12:00:00Z, as in a status; fraction cut
std::string InMicroseconds(Moment moment);  ///< six digits after the point, as in a Lease
std::string InNanoseconds(Moment moment);   ///< nine digits

}  // namespace twofold::nodes
