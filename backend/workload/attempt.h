#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <utility>

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

/// One try at a job; `attempt` is the fencing token.
struct AttemptId {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const AttemptId&, const AttemptId&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const AttemptId& id) {
    return H::combine(std::move(hash), id.job, id.attempt);
  }
};

/// The place of a row in its gang. Points into the batch.
struct GangSeat {
  const v1::GangRoster* gang;
  std::uint32_t rank;  ///< less than the number of its peers
};

/// Which rows of a batch are members of gangs. Points into the batch.
class GangRows {
 public:
  /// Errors   kInvalidArgument: a member names no row, or one that has a member, or no gang, or its
  ///          rank is not among the peers.
  static Result<GangRows> Of(const v1::AssignBatch& batch);

  /// Null: that row is no member of a gang.
  [[nodiscard]] const GangSeat* At(std::uint32_t row) const;

 private:
  absl::flat_hash_map<std::uint32_t, GangSeat> by_row_;
};

}  // namespace twofold::backend
