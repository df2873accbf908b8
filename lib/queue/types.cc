#include "lib/queue/types.h"

#include <array>

namespace twofold::queue {

std::string_view Name(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomes> kNames = {
      "succeeded", "failed", "timed_out", "cancelled", "lost", "rejected", "abandoned"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

}  // namespace twofold::queue
