#include "kubernetes/nodes/model/moment.h"

#include <absl/time/time.h>

namespace twofold::nodes {
namespace {

std::string Formatted(const char* format, Moment moment) {
  return absl::FormatTime(format, absl::FromUnixNanos(moment.time_since_epoch().count()),
                          absl::UTCTimeZone());
}

}  // namespace

std::string InSeconds(Moment moment) { return Formatted("%Y-%m-%dT%H:%M:%SZ", moment); }
std::string InMicroseconds(Moment moment) { return Formatted("%Y-%m-%dT%H:%M:%E6SZ", moment); }
std::string InNanoseconds(Moment moment) { return Formatted("%Y-%m-%dT%H:%M:%E9SZ", moment); }

}  // namespace twofold::nodes
