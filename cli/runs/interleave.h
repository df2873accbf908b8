#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/runs/jobs.h"
#include "lib/common/result.h"
#include "lib/spec/expansion.h"

/// Two runs that take turns, so that what drifts meanwhile is in both alike: to a driver they are
/// one run.
namespace twofold::run {

/// The jobs of both. Permutations of `now` have the numbers that follow those of `base`.
struct Turns {
  spec::Expansion expansion;
  std::uint64_t offset = 0;  ///< the last number of a permutation of `base`
};

/// Puts the jobs of two runs in turn, repetition by repetition. Which one goes first is that of the
/// Thue-Morse sequence: A B, B A, B A, A B, ... A drift that is linear in the number of jobs adds
/// the same to the means of both after every second repetition of a permutation. After every fourth
/// a quadratic one does, in all orders but shuffled.
///
/// Each permutation says first, as `run`, whose it is.
/// REQUIRES: both plan the same jobs (SameJobs).
/// Source   E. Prouhet (1851): the sums of equal powers.
Turns TakeTurns(const spec::Expansion& base, const std::string& base_id, const spec::Expansion& now,
                const std::string& now_id);

/// Whether both have as many permutations, and the same warm-ups and repetitions of each in the
/// same order.
bool SameJobs(const spec::Expansion& base, const spec::Expansion& now);

/// The jobs of two runs as those of one, by the numbers of Turns.
///
/// Errors   those of the run that is asked. Submit goes from one run to the other only after what
///          came before is on disk, so a queue has the jobs in this order.
class JobsOfTwo final : public Jobs {
 public:
  /// Both outlive this.
  JobsOfTwo(Jobs& base, Jobs& now, std::uint64_t offset)
      : base_(base), now_(now), offset_(offset) {}

  Result<std::vector<Seen>> List() override;
  Status Submit(const std::vector<JobKey>& keys,
                const std::function<void(const Seen&)>& accepted) override;
  /// Of whichever run has it: ids are those of one frontend.
  Status Cancel(std::uint64_t id) override { return base_.Cancel(id); }

 private:
  [[nodiscard]] bool IsOfNow(const JobKey& key) const { return key.permutation > offset_; }

  Jobs& base_;
  Jobs& now_;
  const std::uint64_t offset_;
};

}  // namespace twofold::run
