#include "kubernetes/controller/conditions.h"

#include <absl/time/time.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::controller {
namespace {

using kube::Json;

/// By Truth.
constexpr std::array<const char*, 3> kTruth = {"True", "False", "Unknown"};

std::string Format(const char* form, kube::UnixTime time) {
  const absl::Time at = absl::FromUnixNanos(time.time_since_epoch().count());
  return absl::FormatTime(form, at, absl::UTCTimeZone());
}

}  // namespace

bool SetCondition(Json& conditions, const StatusCondition& condition, std::int64_t generation,
                  kube::UnixTime now) {
  if (!conditions.is_array()) conditions = Json::array();
  const std::string status = kTruth[static_cast<std::size_t>(condition.status)];
  Json next = {{"type", condition.type},
               {"status", status},
               {"reason", condition.reason},
               {"message", Printable(condition.message, kLongestMessage)},
               {"observedGeneration", generation},
               {"lastTransitionTime", TimeText(now)}};
  for (Json& present : conditions) {
    if (kube::TextAt(present, "/type") != condition.type) continue;
    const std::string since = kube::TextAt(present, "/lastTransitionTime");
    const bool same = kube::TextAt(present, "/status") == status;
    if (same && !since.empty()) next["lastTransitionTime"] = since;
    const bool is_news = !same || kube::TextAt(present, "/reason") != condition.reason;
    present = std::move(next);
    return is_news;
  }
  conditions.push_back(std::move(next));
  return true;
}

std::string TimeText(kube::UnixTime time) { return Format("%Y-%m-%dT%H:%M:%SZ", time); }

std::string MicroTimeText(kube::UnixTime time) { return Format("%Y-%m-%dT%H:%M:%E6SZ", time); }

std::int64_t GenerationOf(const Json& object) {
  const Json* generation = kube::At(object, "/metadata/generation");
  return generation != nullptr && generation->is_number_integer() ? generation->get<std::int64_t>()
                                                                  : 0;
}

}  // namespace twofold::controller
