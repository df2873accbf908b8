#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Fields of objects that others have made: what is missing or of another type is not there.
namespace twofold::lifecycle {

/// The value at `path` ("/status/phase", RFC 6901 without escapes); nullptr: there is none.
const nlohmann::json* FindField(const nlohmann::json& object, std::string_view path);

/// The text at `path`; empty: there is none.
std::string TextAt(const nlohmann::json& object, std::string_view path);

/// Unix seconds of "2026-11-23T10:00:00Z" (RFC 3339), in [0, 2^33), so that their nanoseconds can
/// be added and subtracted; a fraction is cut off. nullopt: it is none, or not from 1970 to 2242,
/// as the year 1 of what was never set.
std::optional<std::int64_t> SecondOf(std::string_view time);
std::optional<std::int64_t> SecondAt(const nlohmann::json& object, std::string_view path);

/// The label, else empty.
std::string LabelOf(const nlohmann::json& object, std::string_view label);

/// The condition of this type in status.conditions; nullptr: there is none.
const nlohmann::json* FindCondition(const nlohmann::json& object, std::string_view type);
bool IsTrue(const nlohmann::json* condition);

}  // namespace twofold::lifecycle
