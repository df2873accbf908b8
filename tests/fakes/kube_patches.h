#pragma once

#include <map>
#include <string>

#include "kubernetes/api/call.h"

namespace twofold::fakes {

using kube::Json;

/// `base` after a strategic merge patch. `field` is where both stand: lists of some fields are
/// merged by a key, others replaced.
Json Strategic(const Json& base, const Json& patch, const std::string& field);

/// The values in `object`, by path; lists count as values.
void Leaves(const Json& object, const std::string& path, std::map<std::string, Json>& leaves);

}  // namespace twofold::fakes
