#pragma once

#include <cstdint>
#include <cstdlib>

namespace twofold::stats {

/// The number that an environment variable has, such as TWOFOLD_TRIES; else `otherwise`.
inline std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace twofold::stats
