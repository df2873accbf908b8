#include "lib/metrics/denied.h"

#include <string>

namespace twofold::metrics {

Family DeniedFamily(const char* name, const std::vector<const security::Gate*>& gates) {
  Family family(name, "Calls and requests turned away, by door and reason.", MetricType::Counter);
  for (const security::Gate* gate : gates) {
    for (std::size_t i = 0; i < security::kReasonNames.size(); ++i) {
      family.Add({{"door", gate->door()}, {"reason", std::string(security::kReasonNames[i])}},
                 gate->denied(static_cast<security::Reason>(i)));
    }
  }
  return family;
}

}  // namespace twofold::metrics
