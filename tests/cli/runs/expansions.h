#pragma once

#include <cstdint>
#include <vector>

#include "cli/runs/driver.h"

namespace twofold::run {

/// Permutations 1 .. `permutations`, each repeated so often, one after the other.
inline spec::Expansion ExpansionOf(std::uint32_t permutations, std::uint32_t repetitions,
                                   std::uint32_t warmups = 0) {
  spec::Expansion expansion;
  for (std::uint32_t i = 0; i < permutations; ++i) {
    spec::Permutation permutation;
    permutation.number = i + 1;
    expansion.permutations.push_back(permutation);
    for (std::uint32_t w = 1; w <= warmups; ++w) expansion.jobs.push_back({i, w, true});
    for (std::uint32_t r = 1; r <= repetitions; ++r) expansion.jobs.push_back({i, r, false});
  }
  expansion.most_jobs = expansion.jobs.size();
  return expansion;
}

/// A job that succeeded with this headline after a second.
inline Seen Succeeded(const JobKey& key, std::uint64_t id, double headline) {
  return {.key = key,
          .id = id,
          .phase = Phase::kSucceeded,
          .run_time = std::chrono::seconds(1),
          .headline = headline};
}

inline Seen In(Phase phase, const JobKey& key, std::uint64_t id) {
  return {.key = key, .id = id, .phase = phase};
}

}  // namespace twofold::run
