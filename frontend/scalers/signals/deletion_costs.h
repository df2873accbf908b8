#pragma once

#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"

namespace twofold::scalers {

/// What the deletion cost of a pod says about its workers. A ReplicaSet that shrinks deletes the
/// pods with the lowest cost first; a pod without a cost counts as 0.
enum class DeletionCost : std::int8_t {
  kUseless = -1,  ///< no worker there has a job or takes one: paused, draining or silent
  kIdle = 0,
  kBusy = 1,  ///< a worker there has a job
};

/// Which pods get a new deletion cost next, so that those of idle workers go first when a
/// Deployment shrinks.
///
/// A pod is due when its cost differs from the one that was written last. The pod whose cost has
/// differed for longest is next; a cost that is back at the written one before the turn of its pod
/// is not written. What an earlier frontend has written is not known, so each pod is written once
/// when it is first seen, and when its workers are others: it may be another pod of that name. Pods
/// first seen idle come after all others: most of them have no cost, which counts as idle already.
///
/// Usage    See, then Next; what Next returns is sent, and one of Written, Refused, Failed and
///          AllFailed says what came of it, before anything else is called.
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     See: O(n) for n pods, and O(log n) for each that becomes due. The others: O(log n).
class DeletionCosts {
 public:
  /// How many patches a second, and how many at once after a rest: what client-go, the library of
  /// Kubernetes' own clients, allows a client that says nothing about its rate.
  static constexpr int kPerSecond = 5;
  static constexpr int kAtOnce = 10;

  /// After a failure so long at first, and twice as long after each further one.
  static constexpr Duration kShortestPause = std::chrono::seconds(1);
  static constexpr Duration kLongestPause = std::chrono::seconds(60);

  struct Seen {
    Seen() = default;
    Seen(DeletionCost cost_now, std::uint64_t workers_now = 0)  // NOLINT: a cost says it all
        : cost(cost_now), workers(workers_now) {}

    DeletionCost cost = DeletionCost::kIdle;
    std::uint64_t workers = 0;  ///< differs where they are others
  };
  /// By name.
  using Pods = absl::flat_hash_map<std::string, Seen>;

  struct Patch {
    std::string pod;
    DeletionCost cost;

    friend bool operator==(const Patch&, const Patch&) = default;
  };

  /// `seed`: of the jitter of pauses.
  explicit DeletionCosts(std::uint64_t seed) : pauses_(kShortestPause, kLongestPause, seed) {}

  /// The pods that have workers now. All others are forgotten.
  void See(const Pods& pods, Instant now);

  /// nullopt: no pod is due, or the rate or a pause does not allow a patch yet.
  std::optional<Patch> Next(Instant now);

  void Written(const Patch& patch);
  /// The pod is not there, or must not have a cost: it is left alone until its workers are gone.
  void Refused(const Patch& patch);
  /// The server has failed with this pod: it waits for longer each time, and all for the shortest
  /// pause.
  void Failed(const Patch& patch, Instant now);
  /// The server is away, or busy, or takes none. All wait for longer each time, at least for
  /// `pause`, and this pod behind the others.
  void AllFailed(const Patch& patch, Instant now, Duration pause = {});

  /// When Next has a patch, unless See changes that; Instant::max(): not by itself.
  [[nodiscard]] Instant Due() const;

  /// Pods whose cost is still to be written.
  [[nodiscard]] std::size_t pending() const { return line_.size() + resting_.size(); }

 private:
  /// A place in the line of those that are due.
  struct Place {
    bool after_others;  ///< first seen idle, see above
    Instant since;
    std::string pod;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Pod {
    std::uint64_t workers = 0;
    DeletionCost wanted = DeletionCost::kIdle;
    std::optional<DeletionCost> written;
    bool refused = false;
    int failures = 0;              ///< since it was written
    Instant rests_until;           ///< after a failure
    std::optional<Instant> since;  ///< in the line, or resting
  };

  void Leave(const std::string& name, Pod& pod);
  void Join(const std::string& name, Pod& pod, Instant now);
  void Want(const std::string& name, const Seen& seen, Instant now);
  static Place PlaceOf(const std::string& name, const Pod& pod);

  absl::flat_hash_map<std::string, Pod> pods_;
  std::set<Place> line_;
  std::set<std::pair<Instant, std::string>> resting_;  // until when
  Backoff pauses_;
  Instant paused_until_;
  Instant spent_until_;  // when the rate has paid for the patches so far
};

}  // namespace twofold::scalers
