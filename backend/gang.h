#pragma once

#include <absl/container/flat_hash_map.h>

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

/// Which rows of a batch are members of gangs. Points into the batch.
class GangRows {
 public:
  /// Errors   kInvalidArgument: a member names no row, or one that has a member, or its rank is not
  ///          among its peers.
  static Result<GangRows> Of(const v1::AssignBatch& batch);

  /// Null: that row is no member of a gang.
  [[nodiscard]] const v1::GangMember* At(std::uint32_t row) const;

 private:
  absl::flat_hash_map<std::uint32_t, const v1::GangMember*> by_row_;
};

}  // namespace twofold::backend
