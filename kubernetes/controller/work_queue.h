#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kubernetes/api/call.h"
#include "lib/common/backoff.h"
#include "lib/common/instant.h"
#include "lib/stats/histogram.h"

namespace twofold::controller {

struct QueueLimits {
  Duration first_wait = std::chrono::milliseconds(5);  ///< of a key that failed; doubles
  Duration longest_wait = std::chrono::seconds(1000);
  double retries_per_second = 10;  ///< of all keys together
  double burst = 100;              ///< retries at once
};

/// For dashboards: what client-go's workqueue tells.
struct QueueCounts {
  std::size_t depth = 0;  ///< keys that are due
  std::uint64_t adds = 0;
  std::uint64_t retries = 0;
  stats::Histogram waited{};  ///< from due to taken
  stats::Histogram worked{};
  Duration unfinished{};  ///< of the work that goes on, all together
  Duration longest{};     ///< of the work that goes on
};

/// Which objects have to be looked at, and when. A key is in it once, however often it is added,
/// and one worker at a time has it: what is added meanwhile is due when that one is done.
///
///     while (const auto key = queue.Take(now)) {
///       const auto next = Reconcile(*key);
///       next.ok() ? queue.Done(*key, next->again, now) : queue.Retry(*key, now);
///     }
///
/// Time     Passed in.
/// Threads  Not thread-safe.
/// Cost     O(log keys) a call.
/// Source   client-go's workqueue: 5 ms doubling to 1000 s a key, and 10 retries a second, 100 at
///          once, for all.
class WorkQueue {
 public:
  using Key = kube::ObjectName;

  explicit WorkQueue(const QueueLimits& limits = {}, std::uint64_t seed = 1)
      : limits_(limits), seed_(seed) {}

  /// The key is due at `at`, or before if it was so already.
  void Add(const Key& key, Instant at);

  /// The key that has been due for longest, which the caller works on from now on; nullopt: none.
  std::optional<Key> Take(Instant now);

  /// The work on a key has succeeded. `again`: it is due after so long in any case.
  void Done(const Key& key, std::optional<Duration> again, Instant now);

  /// The work has failed: the key is due after its back-off.
  void Retry(const Key& key, Instant now);

  /// When Take has something; nullopt: not before an Add.
  [[nodiscard]] std::optional<Instant> NextDue() const;

  [[nodiscard]] QueueCounts counts(Instant now) const;

 private:
  struct Work {
    Instant begun;
    std::optional<Instant> due;  // added meanwhile
  };

  void EndWork(const Key& key, Instant now);
  Duration BucketWait(Instant now);

  const QueueLimits limits_;
  const std::uint64_t seed_;
  std::map<Key, Instant> due_;
  std::set<std::pair<Instant, Key>> by_time_;  // the same keys, earliest first
  std::map<Key, Work> working_;
  std::map<Key, Backoff> failing_;
  Instant bucket_full_at_{};  // when all of the burst may be used again
  QueueCounts counts_{};
};

}  // namespace twofold::controller
