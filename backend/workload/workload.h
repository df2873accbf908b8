#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/workload/job.h"
#include "lib/common/instant.h"
#include "lib/process/process.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

/// One of the places of a process in which a job runs; dense, from 0.
using Slot = std::uint32_t;

/// How one run of a workload ended.
struct RunEnd {
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  std::optional<v1::Report> report = {};  ///< nullopt: there is nothing to say
  std::string stopped_in = {};  ///< the part in which it was, if it was stopped; empty: no parts

  /// Ends so instead; what the report says beside its error stays.
  void Set(v1::Outcome other, const std::string& error) {
    outcome = other;
    if (!report) report.emplace();
    report->set_error(error);
  }
};

/// A run that failed, and why: "plan: ..." if the job itself makes no sense.
inline RunEnd Failed(const std::string& error) {
  RunEnd end;
  end.Set(v1::OUTCOME_FAILED, error);
  return end;
}

/// What a suite has to implement: runs jobs, one a slot, and can stop them. It knows nothing about
/// queues, limits or frontends; the Runner does the rest.
///
/// A run that is the member of a gang starts in two steps: Start prepares it (rank 0: nothing that
/// needs the others, they may not be there yet), Ready says that this is done, Go lets it run.
///
/// Threads  All on the one thread of the io_context.
/// Errors   A run that goes wrong ends as failed, with the reason in the report.
class Workload {
 public:
  /// Who hears of the runs. All may come before Start, Go, Follow or Stop returns.
  class Listener {
   public:
    /// Once for each Start.
    virtual void OnEnd(Slot slot, Instant now, RunEnd end) = 0;
    /// At most once for each Start with a gang.
    virtual void OnReady(Slot slot) = 0;
    virtual void OnProgress(Slot slot, process::ProgressLine line) = 0;
    virtual void OnOutput(Slot slot, std::string_view bytes) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~Workload() = default;

  /// Who listens. Call once, before the first Start.
  void SetListener(Listener& listener) { listener_ = &listener; }

  /// What JobOptions.suite may call it. At least one.
  [[nodiscard]] virtual std::vector<std::string> suites() const = 0;

  /// What this machine has of what its jobs may ask for, beside the labels on the command line.
  [[nodiscard]] virtual std::map<std::string, std::string> labels() const { return {}; }

  /// Runs the job, or prepares it if it is the member of a gang. REQUIRES: nothing runs in `slot`.
  virtual void Start(Slot slot, Instant now, const Job& job) = 0;

  /// All members of the gang are ready. REQUIRES: so is this one; once.
  virtual void Go(Slot slot, Instant now) = 0;

  /// Whether to tell OnOutput what the run in `slot` prints; first comes the end of what it has
  /// printed already. Nothing for suites that print nothing.
  virtual void Follow(Slot /*slot*/, bool /*on*/) {}

  /// Ends the run in `slot` before its time, soon; with which outcome is of no interest.
  virtual void Stop(Slot slot) = 0;

 protected:
  void Ended(Slot slot, Instant now, RunEnd end) { listener_->OnEnd(slot, now, std::move(end)); }
  void Ready(Slot slot) { listener_->OnReady(slot); }
  void Progressed(Slot slot, process::ProgressLine line) {
    listener_->OnProgress(slot, std::move(line));
  }
  void Printed(Slot slot, std::string_view bytes) { listener_->OnOutput(slot, bytes); }

 private:
  Listener* listener_ = nullptr;
};

}  // namespace twofold::backend
