#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/deadlines.h"
#include "backend/workload.h"
#include "lib/common/instant.h"

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

/// What is told about an attempt when it is over.
struct AttemptEnd {
  AttemptId id;
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  Duration run_time{0};      ///< around the workload, this process's monotonic clock
  bool handed_back = false;  ///< not run to its end: somebody else should have it
  std::string report;        ///< serialized v1::Report; empty: nothing to say
};

/// Why a run is stopped before its time. The first reason wins.
enum class StopReason : std::uint8_t { kNone, kLimit, kCancelled, kHandBack };

/// Runs attempts in slots: starts the workload, stops it at the limit or when asked, measures.
///
/// Time     Run time is from just before Workload::Start to the end that the workload tells.
/// Threads  On the thread of the io_context.
/// Cost     O(1) an attempt, plus O(log n) for one with a limit.
class Runner {
 public:
  /// Told once for each Start, possibly before Start or Stop returns.
  using OnEnd = std::function<void(AttemptEnd)>;

  /// `limit` is the longest run time of every attempt; 0 = none.
  Runner(boost::asio::io_context& io, Workload& workload, std::uint32_t slots, Duration limit,
         OnEnd on_end);

  /// REQUIRES: !full(). `limit` is the job's own (0 = none); the smaller one counts.
  void Start(AttemptId id, Duration limit, std::span<const std::string_view> arguments);

  /// Stops one attempt, or all. What does not run is not stopped.
  void Stop(AttemptId id, StopReason reason);
  void StopAll(StopReason reason);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::size_t running() const { return by_id_.size(); }
  [[nodiscard]] std::vector<AttemptId> Held() const;

 private:
  struct Run {
    AttemptId id;
    Instant start;
    Duration limit{0};
    StopReason stop = StopReason::kNone;
  };

  void StopSlot(Slot slot, StopReason reason);
  void Ended(Slot slot, Instant now, RunEnd end);

  Workload& workload_;
  const Duration limit_;
  OnEnd on_end_;
  std::vector<Run> runs_;   // by slot
  std::vector<Slot> free_;  // the last one is used next
  absl::flat_hash_map<AttemptId, Slot> by_id_;
  Deadlines limits_;
};

}  // namespace twofold::backend
