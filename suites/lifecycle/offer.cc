#include "lib/suite/text.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::suite::lifecycle {

Result<Labels> Offer(const StageOutput& probe) {
  constexpr std::string_view kWho = "twofold lifecycle server";
  if (const std::string end = BadEnd(probe); !end.empty()) {
    // What was wrong is on stderr, so in the worker's log.
    return ToolFailed(kWho, end + ": no API server of Kubernetes answers with these credentials");
  }
  const std::string version = VersionIn(probe.out);
  if (version.starts_with('v')) return Labels{{std::string(kServerLabel), version}};
  return Unreadable(kWho, "no version of an API server");
}

}  // namespace twofold::suite::lifecycle
