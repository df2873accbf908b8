#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::frontend {

/// One worker process at one moment.
struct WorkDone {
  std::size_t queue = 0;    ///< any number that all of its queue have; they stand together
  std::uint32_t slots = 1;  ///< 1 or more
  std::uint64_t ended = 0;  ///< jobs, since it came
  bool busy = false;
};

/// Says which workers do much less than the others of their queue.
///
/// Since the last judgement, kLeastTime ago or more, a straggler has ended less than kMuchLess
/// times as many jobs a slot as the median of its queue's workers. Only workers that were busy both
/// times count, kLeastWorkers at least; and the queue is judged only once the median worker has
/// ended kLeastJobs, so that fewer than half as many come by chance in one of 200 cases even if the
/// times of jobs are exponential (Poisson counts). A judgement stands until the next one.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(1) until the time has come; then O(workers).
class Stragglers {
 public:
  static constexpr Duration kLeastTime = std::chrono::seconds(10);
  static constexpr double kLeastJobs = 20;
  static constexpr std::size_t kLeastWorkers = 3;
  static constexpr double kMuchLess = 0.5;

  /// The rule in a sentence, for people.
  static std::string Rule();

  using Workers = std::span<const WorkDone>;

  /// A flag for each of `workers`. `set` is another number whenever they are others, or in another
  /// order: then all begins anew.
  const std::vector<bool>& Judge(Instant now, std::size_t set, Workers workers);

 private:
  bool JudgeQueue(Workers workers, std::size_t first);
  void Begin(Instant now, std::size_t set, Workers workers);

  Instant began_{};
  std::size_t set_ = 0;
  std::vector<WorkDone> before_;
  std::vector<bool> straggles_;
};

}  // namespace twofold::frontend
