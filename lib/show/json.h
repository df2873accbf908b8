#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace twofold::cli {

using Json = nlohmann::ordered_json;

/// One line with its line break. Bytes that are no UTF-8 are replaced: programs print anything.
inline std::string JsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Ids as text, as the JSON form of Protobuf has it: jq and JavaScript round numbers above 2^53.
inline std::string IdText(std::uint64_t id) { return std::to_string(id); }

inline double InSeconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace twofold::cli
