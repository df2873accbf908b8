#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/metrics.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/phase.h"
#include "kubernetes/lifecycle/run_plan.h"
#include "kubernetes/lifecycle/sending/preparing.h"
#include "kubernetes/lifecycle/sending/server.h"
#include "kubernetes/lifecycle/times/saturation.h"
#include "kubernetes/lifecycle/watching/event_follower.h"
#include "lib/common/instant.h"
#include "lib/common/interruption.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// One run, or its sending or watching half. Who sends makes the run's record first, fills the
/// cluster if that is asked for, and begins to watch before the first workload. Who only watches
/// finds the record; with a journal that is there already, it goes on where the process that wrote
/// it has ended.
///
/// Threads  Execute by one; Interrupt and progress from any.
class Run {
 public:
  Run(kube::Access access, RunPlan plan, kube::WatchOptions watch = {});
  ~Run();

  /// Until all workloads have come to their end, or --settle after the last was sent, or Interrupt;
  /// who only sends, until all are answered. A sender that does not say that it has sent all is
  /// waited for until --settle after its last sign of life. `say` is called each `between`.
  ///
  /// Errors   kCancelled: interrupted. Of a watch: it does not come up.
  ///          Who sends: a kind is not installed, the server refuses what we would create, the name
  ///          is taken, the journal is there already, the server's store is full.
  ///          Who only watches: kNotFound: there is no such run. kInvalidArgument: its record is
  ///          none, or --until does not fit its kind. kFailedPrecondition: the journal is of
  ///          another run, is written by another process, or ends in the future.
  Status Execute(const Say& say, Duration between = std::chrono::seconds(5));

  /// Submits nothing more and waits for nothing more.
  void Interrupt();

  /// IsExempt, before Execute; an interrupt ends it.
  bool IsExempt() { return lifecycle::IsExempt(connection_); }

  /// "v1.36.1", before Execute, as IsExempt; empty: the server does not say.
  std::string ServerVersion() { return lifecycle::ServerVersion(connection_).value_or(""); }

  /// Whether there may be objects of it that it has made, which CleanUp removes.
  [[nodiscard]] bool has_begun() const { return begun_; }

  /// Whether it came as far as sending or watching.
  [[nodiscard]] bool has_started() const { return started_; }

  /// What it has come to so far; nullopt: it has not started. Threads  Any, also during Execute.
  /// Cost     O(1 + moments) a workload, in slices, so that the watches go on meanwhile.
  std::optional<RunProgress> progress();

  // ---- After Execute

  /// nullopt: it has not started.
  std::optional<Outcome> outcome();
  SendCounts counts() { return phase_->counts(); }  ///< if it has started
  [[nodiscard]] Duration took() const { return end_ - started_at_; }
  [[nodiscard]] const RunPlan& plan() const { return plan_; }

 private:
  Status Begin(const Say& say);
  Status MakeRun(const Say& say, PhasePlan& phase);
  Status Observe(const Kind& kind, PhasePlan& phase);
  Status MakeRecord(const Record& record);
  Status FillFirst(const Record& record, const Say& say);
  Status JoinRun(PhasePlan& phase);
  Status OpenJournal(const FoundRun& found, Tally& before);
  Status CreateJournal();
  void ListenForJournal();
  Status ExpectAll(const Record& record);
  void End();
  void SayAllSent();
  void RemoveCanary();

  const kube::Access access_;
  const RunPlan plan_;
  const kube::WatchOptions watch_;
  const Anchor anchor_;
  kube::Connection connection_;  // of all that comes before the first workload
  Interruption interruption_;
  std::optional<SendPlan> sending_;  // nullopt: another process sends
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Observed> observed_;
  std::unique_ptr<Phase> phase_;
  std::unique_ptr<EventFollower> events_;   // nullptr: not asked for
  std::optional<kube::ObjectName> canary_;  // made for this process alone
  std::optional<Saturation> fill_;
  std::string flows_;  // whose limits were met
  std::atomic<bool> begun_ = false;
  std::atomic<bool> started_ = false;  // what Execute makes is there, and stays
  Instant started_at_;
  Instant end_;
};

}  // namespace twofold::lifecycle
