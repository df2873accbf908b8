#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/places.h"

namespace twofold::client {

enum class By : std::uint8_t { kNode, kPod };

/// Jobs that ended on one node (or pod) and device.
struct PlaceGroup {
  std::string name;  ///< of the node or pod; empty: no worker had the job
  std::string device;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;

  [[nodiscard]] std::uint64_t jobs() const { return succeeded + failed; }
};

/// Adds up places with the same name and device. Sorted by both; places without a job are left out.
std::vector<PlaceGroup> GroupPlaces(const std::vector<Place>& places, By by);

}  // namespace twofold::client
