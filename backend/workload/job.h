#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// What a suite gets to run. What it points to lives for the call only.
struct Job {
  AttemptId id;  ///< as the frontend calls it
  std::span<const std::string_view> arguments = {};
  const GangSeat* gang = nullptr;  ///< null: it is no member of a gang
  std::string_view suite = {};     ///< one of Workload::suites(); empty: the first of them
};

/// Whether the program of this job is started before the gang goes, and says when it is ready.
/// Rank 0 is started last: it may rely on the others.
inline bool PreparesByProgram(const Job& job) { return job.gang != nullptr && job.gang->rank > 0; }

/// What the program of a job is told by its environment, as NAME=VALUE: TWOFOLD_JOB and
/// TWOFOLD_ATTEMPT (of the gang, if there is one), TWOFOLD_PROGRESS_FD, and for gangs
/// TWOFOLD_GANG_RANK, _SIZE, _PEERS, _NODES, _SECRET and TWOFOLD_READY_FD. Names alone: what does
/// not apply and must not be inherited, as a backend may itself be the program of a job.
std::vector<std::string> JobEnvironment(const Job& job);

}  // namespace twofold::backend
