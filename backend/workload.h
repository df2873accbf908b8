#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "lib/common/instant.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

/// One of the places of a process in which a job runs; dense, from 0.
using Slot = std::uint32_t;

/// How one run of a workload ended.
struct RunEnd {
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  v1::Report report;
};

/// A failure before anything was started: the job itself makes no sense.
inline RunEnd PlanError(const std::string& why) {
  RunEnd end{v1::OUTCOME_FAILED, {}};
  end.report.set_error("plan: " + why);
  return end;
}

/// What a suite has to implement: runs jobs, one a slot, and can stop them. It knows nothing about
/// queues, limits or frontends; the Runner does the rest.
///
/// Threads  All on the one thread of the io_context.
/// Errors   A run that goes wrong ends as failed, with the reason in the report.
class Workload {
 public:
  /// Told once for each Start, possibly before Start or Stop returns.
  using OnEnd = std::function<void(Slot, Instant now, RunEnd)>;

  virtual ~Workload() = default;

  /// Who listens. Call once, before the first Start.
  void SetOnEnd(OnEnd on_end) { on_end_ = std::move(on_end); }

  /// What JobOptions.suite may call it.
  [[nodiscard]] virtual std::string_view suite() const = 0;

  /// Runs with the arguments that come with the job. REQUIRES: nothing runs in `slot`. The views
  /// live for the call only.
  virtual void Start(Slot slot, Instant now, std::span<const std::string_view> arguments) = 0;

  /// Ends the run in `slot` before its time, soon; with which outcome is of no interest.
  virtual void Stop(Slot slot) = 0;

 protected:
  void Ended(Slot slot, Instant now, RunEnd end) { on_end_(slot, now, std::move(end)); }

 private:
  OnEnd on_end_;
};

}  // namespace twofold::backend
