#pragma once

#include <cstdint>
#include <vector>

namespace twofold::results {

/// When a job ran: nanoseconds since 1970, by the frontend's wall clock.
struct Ran {
  std::int64_t began = 0;
  std::int64_t ended = 0;
};

/// Of a job that has ended, or is taken to end at `ended_unix_ns`.
///
/// Its end is of the frontend's clock, its run time of the worker's. The first hundredth of the run
/// is left out, so that no difference between the two makes it begin before the job ahead of it has
/// ended.
Ran RanUntil(std::int64_t ended_unix_ns, std::int64_t run_ns);

/// Of a job that still runs.
Ran RanSince(std::int64_t started_unix_ns);

/// How many jobs of a run ran at the same time: what they measure may be each other.
///
/// Threads  Any; nothing changes.
/// Cost     Sorts once; 16 bytes a job.
class Overlaps {
 public:
  Overlaps() = default;
  explicit Overlaps(const std::vector<Ran>& all);

  /// The others that ran at some time while `job`, which is one of all, did. 0 of none.
  [[nodiscard]] std::uint64_t With(const Ran& job) const;

 private:
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> ends_;
};

}  // namespace twofold::results
