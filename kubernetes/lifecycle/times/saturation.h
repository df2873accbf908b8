#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/plateau.h"

namespace twofold::lifecycle {

/// At which rates a cluster took workloads that were created as fast as could be.
struct Saturation {
  std::uint64_t workloads = 0;              ///< sent
  std::uint64_t created = 0;                ///< and seen
  std::uint64_t ready = 0;                  ///< all their pods are, or were; or they are over
  std::optional<double> created_rate;       ///< workloads a second, from the first seen to the last
  std::optional<double> scheduled_rate;     ///< pods
  std::optional<double> ready_rate;         ///< pods
  std::optional<double> all_ready_seconds;  ///< from the first sent; nullopt: some are not
  std::vector<Plateau> plateaus;
};

/// At `now`.
Saturation SaturationOf(const Kind& kind, const Observer& observer, Instant now);

}  // namespace twofold::lifecycle
