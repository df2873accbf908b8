#pragma once

#include <vector>

#include "lib/metrics/family.h"
#include "lib/security/gate.h"

namespace twofold::metrics {

/// The counter `name` of calls that the gates refused, by door and reason; all series exist from
/// the start.
Family DeniedFamily(const char* name, const std::vector<const security::Gate*>& gates);

}  // namespace twofold::metrics
