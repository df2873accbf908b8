#pragma once

#include <vector>

#include "lib/metrics/family.h"
#include "lib/security/gate.h"

namespace twofold::metrics {

/// The counter `name` of what the gates have turned away, by door and reason; all series are there
/// from the start.
Family DeniedFamily(const char* name, const std::vector<const security::Gate*>& gates);

}  // namespace twofold::metrics
