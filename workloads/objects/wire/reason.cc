#include "workloads/objects/wire/reason.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace twofold::objects {
namespace {

constexpr std::int64_t kMostSkew = 15 * 60;  // seconds
constexpr std::string_view kSkewed = "RequestTimeTooSkewed";

// With these a store says that the bucket is elsewhere, or that the signature is for elsewhere.
constexpr std::array<std::string_view, 4> kElsewhere = {
    "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException",
    "IncorrectEndpoint"};

// "Wed, 21 Oct 2015 07:28:00 GMT" in seconds since 1970.
std::optional<std::int64_t> ParseDate(std::string_view text) {
  absl::Time time;
  if (!absl::ParseTime("%a, %d %b %E4Y %H:%M:%S GMT", std::string(text), &time, nullptr)) {
    return std::nullopt;
  }
  return absl::ToUnixSeconds(time);
}

Reason OfClock(const Refused& refused) {
  const auto date = ParseDate(refused.date);
  const std::int64_t ahead = date ? refused.now - *date : 0;
  if (refused.cause != kSkewed && std::abs(ahead) <= kMostSkew) return {};
  const std::string facts =
      date ? absl::StrCat("the store's clock says ", std::string(refused.date), ", ours is ",
                          std::abs(ahead), " s ", ahead < 0 ? "behind" : "ahead")
           : "the store finds ours wrong, and does not say what its own is";
  return {"wrong clock", facts + ": set the clock of this host"};
}

Reason OfRegion(const Refused& refused) {
  const bool is_other = !refused.region.empty() && refused.region != refused.signed_for;
  const bool says_so =
      std::find(kElsewhere.begin(), kElsewhere.end(), refused.cause) != kElsewhere.end();
  if (!is_other && !(says_so && refused.region.empty())) return {};
  return {"wrong region",
          absl::StrCat("the store's region is ",
                       is_other ? std::string(refused.region) : "another, not said which",
                       ", and requests are signed for ", std::string(refused.signed_for),
                       ": set region")};
}

}  // namespace

Reason ReasonOf(const Refused& refused) {
  constexpr std::array<unsigned, 4> kRefusing = {301, 400, 401, 403};
  if (std::find(kRefusing.begin(), kRefusing.end(), refused.code) == kRefusing.end()) return {};
  Reason reason = OfClock(refused);
  return reason.kind.empty() ? OfRegion(refused) : reason;
}

}  // namespace twofold::objects
