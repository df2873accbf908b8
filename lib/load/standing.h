#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::load {

/// What a frontend says of the jobs of one stream, as of its last reply.
struct Standing {
  std::uint64_t waiting = 0;  ///< no worker has them
  std::uint64_t running = 0;
  Duration waited{};               ///< by those that run, added up
  std::uint64_t most_running = 0;  ///< at once, so far
};

/// Since when workers have had the open jobs of one stream, of which `sent` has the instants; added
/// to `at_work`. Those that run are taken to be the oldest, and to have waited alike. What was sent
/// after the reply is taken to run if nothing waited then and no more run than ever did; without a
/// reply all is. `sent` is put into another order.
///
/// Cost     O(jobs).
void AddAtWork(std::vector<Instant>& sent, const std::optional<Standing>& standing,
               std::vector<Instant>& at_work);

}  // namespace twofold::load
