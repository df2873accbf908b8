#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/instant.h"

/// Fields of objects that others have made: what is missing or of another type is not there. Pure.
namespace twofold::kube {

using Json = nlohmann::json;

/// A point in calendar time (UTC), as Kubernetes writes it.
using UnixTime = std::chrono::sys_time<Duration>;

/// The value at `path` ("/status/phase", RFC 6901 without escapes); nullptr: there is none. Lives
/// as long as `object`.
const Json* At(const Json& object, std::string_view path);

/// The text at `path`; empty: there is none.
std::string TextAt(const Json& object, std::string_view path);

/// What "2026-11-23T10:00:00.123456Z" (RFC 3339) says, to the nanosecond. nullopt: it is none, or
/// not from 1970 to 2242, as the year 1 of what was never set; so sums and differences of two fit.
std::optional<UnixTime> TimeOf(std::string_view text);
std::optional<UnixTime> TimeAt(const Json& object, std::string_view path);

/// The Unix second of such a time; a fraction is cut off.
std::optional<std::int64_t> SecondOf(std::string_view time);
std::optional<std::int64_t> SecondAt(const Json& object, std::string_view path);

/// The label, else empty.
std::string LabelOf(const Json& object, std::string_view label);

/// The condition of this type in status.conditions; nullptr: there is none.
const Json* FindCondition(const Json& object, std::string_view type);
bool IsTrue(const Json* condition);

/// Bytes that the value has on the heap, nearly.
std::size_t MemoryOf(const Json& value);

}  // namespace twofold::kube
