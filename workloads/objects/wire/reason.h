#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace twofold::objects {

/// An answer that refuses a signed request, as far as it tells why. Plain data.
struct Refused {
  unsigned code = 0;
  std::string_view cause = {};       ///< "AccessDenied"; empty: it has none, as that to a HEAD
  std::string_view region = {};      ///< which the store names; empty: none
  std::string_view signed_for = {};  ///< the region of our signature
  std::string_view date = {};        ///< its header Date
  std::int64_t now = 0;              ///< of our clock, in seconds since 1970
};

/// What is to be mended on our side.
struct Reason {
  std::string kind;  ///< "wrong clock", "wrong region"; empty: the answer does not show it
  std::string text;  ///< the facts of the answer beside ours
};

/// Holds what the store says of its clock and region against ours. Stores take signatures that are
/// up to 15 minutes old or early.
/// Source   "Error responses" and "Signing requests", Amazon S3 API Reference.
Reason ReasonOf(const Refused& refused);

}  // namespace twofold::objects
