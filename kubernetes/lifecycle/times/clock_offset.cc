#include "kubernetes/lifecycle/times/clock_offset.h"

#include <algorithm>
#include <limits>

namespace twofold::lifecycle {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double SecondsBetween(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / static_cast<double>(kSecondNs);
}

}  // namespace

std::optional<Between> ClockOffset(const std::vector<Life>& lives, const Anchor& anchor) {
  Between offset{-kUnbounded, kUnbounded};
  for (const Life& life : lives) {
    const auto& sent = Of(life.own, Moment::kSent);
    const auto& created = Of(life.own, Moment::kCreated);
    if (!sent || !created || !created->cluster_second) continue;
    const std::int64_t written = *created->cluster_second * kSecondNs;
    const double at_least = SecondsBetween(anchor.UnixNs(created->at), written);
    const double at_most = SecondsBetween(anchor.UnixNs(sent->at), written + kSecondNs);
    offset = {std::max(offset.low, at_least), std::min(offset.high, at_most)};
  }
  if (!offset.Came()) return std::nullopt;
  return offset;
}

}  // namespace twofold::lifecycle
