#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/workload/deadlines.h"
#include "backend/workload/workload.h"
#include "lib/common/instant.h"

namespace twofold::backend {

/// What is told about an attempt when it is over.
struct AttemptEnd {
  AttemptId id;
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  Duration run_time{0};      ///< around the workload, this process's monotonic clock
  bool handed_back = false;  ///< not run to its end: somebody else should have it
  std::string report;        ///< serialized v1::Report; empty: nothing to say
};

/// Why a run is stopped before its time. The first reason wins.
enum class StopReason : std::uint8_t { kNone, kLimit, kNotReady, kCancelled, kHandBack };

struct RunnerOptions {
  std::uint32_t slots = 1;
  Duration limit{0};        ///< longest run time of every attempt; 0 = none
  Duration ready_limit{0};  ///< longest time for the member of a gang to get ready; 0 = none
};

/// Runs attempts in slots: starts the workload, stops it at the limit or when asked, measures.
///
/// The member of a gang is prepared, then ready, then runs from Go on. One that ends or is not
/// ready in time before that has failed.
///
/// Time     Run time is from just before Workload::Start (or Go) to the end that the workload
///          tells; it is 0 for the member of a gang that never ran.
/// Threads  On the thread of the io_context.
/// Cost     O(1) an attempt, plus O(log n) for one with a limit.
class Runner final : private Workload::Listener {
 public:
  /// Who hears of the attempts. All may come before Start, Go, Follow or Stop returns.
  class Listener {
   public:
    /// Once for each Start.
    virtual void OnEnd(AttemptEnd end) = 0;
    virtual void OnReady(const AttemptId& /*id*/) {}
    virtual void OnProgress(const AttemptId& /*id*/, process::ProgressLine /*line*/) {}
    virtual void OnOutput(const AttemptId& /*id*/, std::string_view /*bytes*/) {}

   protected:
    ~Listener() = default;
  };

  Runner(boost::asio::io_context& io, Workload& workload, RunnerOptions options,
         Listener& listener);

  /// REQUIRES: !full(). `limit` is the job's own (0 = none); the smaller one counts.
  void Start(const Job& job, Duration limit);

  /// Lets the member of a gang run. Does nothing unless it is ready and waits for this.
  void Go(const AttemptId& id);

  /// Whether to tell OnOutput what it prints. Does nothing for what does not run.
  void Follow(const AttemptId& id, bool on);

  /// Stops one attempt, or all. What does not run is not stopped.
  void Stop(const AttemptId& id, StopReason reason);
  void StopAll(StopReason reason);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::size_t running() const { return by_id_.size(); }
  [[nodiscard]] bool Runs(const AttemptId& id) const { return by_id_.contains(id); }
  [[nodiscard]] std::vector<AttemptId> Held() const;
  /// Members of gangs that have got ready, also those that run already: a frontend that was
  /// restarted counts anew, and lets nobody go before all have said so.
  [[nodiscard]] std::vector<AttemptId> Ready() const;

 private:
  enum class Phase : std::uint8_t { kPreparing, kReady, kRunning };

  struct Run {
    AttemptId id;
    Instant start;
    Duration limit{0};
    StopReason stop = StopReason::kNone;
    Phase phase = Phase::kRunning;
    bool is_member = false;  // of a gang, with this rank
    std::uint32_t rank = 0;
  };

  void OnEnd(Slot slot, Instant now, RunEnd end) override;
  void OnReady(Slot slot) override;
  void OnProgress(Slot slot, process::ProgressLine line) override;
  void OnOutput(Slot slot, std::string_view bytes) override;

  void LimitPassed(Slot slot);
  void StopSlot(Slot slot, StopReason reason);
  [[nodiscard]] Duration ReadyLimit(const Run& run) const;
  void Overrule(const Run& run, RunEnd& end) const;

  Workload& workload_;
  const RunnerOptions options_;
  Listener& listener_;
  std::vector<Run> runs_;   // by slot
  std::vector<Slot> free_;  // the last one is used next
  absl::flat_hash_map<AttemptId, Slot> by_id_;
  Deadlines limits_;  // of running, or of getting ready
};

}  // namespace twofold::backend
