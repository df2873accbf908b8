#pragma once

#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "lib/common/instant.h"

namespace twofold::aggregated {

/// What the API server has said of late about who may do what.
///
/// Threads  Not thread-safe.
/// Cost     O(1). At most kMost entries, of which the oldest goes for a new one.
class Decisions {
 public:
  static constexpr Duration kFresh = std::chrono::seconds(10);
  static constexpr std::size_t kMost = 1000;

  /// `question`: the body of a Review. nullopt: it has not been asked for kFresh.
  [[nodiscard]] std::optional<bool> Find(const std::string& question, Instant now) const;

  /// Instants ascend.
  void Note(const std::string& question, bool allowed, Instant now);

 private:
  struct Decision {
    bool allowed;
    Instant at;
  };
  absl::flat_hash_map<std::string, Decision> decisions_;
  std::deque<std::string> by_age_;  // of decisions_, the oldest first
};

}  // namespace twofold::aggregated
