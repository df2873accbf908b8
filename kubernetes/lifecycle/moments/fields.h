#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "kubernetes/api/fields.h"

namespace twofold::lifecycle {

using kube::At;
using kube::FindCondition;
using kube::IsTrue;
using kube::LabelOf;
using kube::TextAt;

/// Unix seconds of a time that kube::TimeOf reads; a fraction is cut off. Their nanoseconds can be
/// added and subtracted.
std::optional<std::int64_t> SecondOf(std::string_view time);
std::optional<std::int64_t> SecondAt(const nlohmann::json& object, std::string_view path);

}  // namespace twofold::lifecycle
