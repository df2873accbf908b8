#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/event_follower.h"
#include "kubernetes/lifecycle/interruption.h"
#include "kubernetes/lifecycle/journal.h"
#include "kubernetes/lifecycle/metrics.h"
#include "kubernetes/lifecycle/observed.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/server.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/storage.h"
#include "kubernetes/lifecycle/submitter.h"
#include "kubernetes/lifecycle/times/saturation.h"
#include "kubernetes/lifecycle/watching.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// One run: watches first, then workloads, then the wait for the last of them.
///
/// Threads  Execute by one; Interrupt and progress from any.
class Run {
 public:
  Run(kube::Access access, RunSettings settings, kube::WatchOptions watch = {});
  ~Run();

  using Say = std::function<void(const std::string& line)>;

  /// Until all workloads have come to their end, or the time for it is over, or Interrupt.
  /// `progress` is called each `between`, with a line for people.
  ///
  /// Errors   Before the first workload: a kind is not installed, the server refuses what we would
  ///          create, the name is taken, a watch does not come up, the journal is there already.
  ///          kCancelled: interrupted.
  Status Execute(const Say& progress, Duration between = std::chrono::seconds(5));

  /// Submits nothing more and waits for nothing more.
  void Interrupt();

  /// IsExempt, before Execute; an interrupt ends it.
  bool IsExempt() { return lifecycle::IsExempt(connection_); }

  /// "v1.36.1", before Execute, as IsExempt; empty: the server does not say.
  std::string ServerVersion() { return lifecycle::ServerVersion(connection_).value_or(""); }

  /// Whether there may be objects of it, which CleanUp removes.
  [[nodiscard]] bool has_begun() const { return begun_; }

  /// What it has come to so far; nullopt: nothing is sent yet. Threads  Any, also during Execute.
  /// Cost     O(1 + moments) a workload, in slices, so that the watches go on meanwhile.
  std::optional<RunProgress> progress();

  /// After Execute; nullopt: nothing was to be sent yet.
  std::optional<Outcome> outcome();
  Report report();
  std::vector<Life> lives();
  [[nodiscard]] const RunSettings& settings() const { return settings_; }

 private:
  Status Begin(const Say& progress);
  Status CheckStorage();
  Status FillFirst(const Record& record, const Say& progress);
  Status SendAndWatch(const Say& progress, Duration between);
  void EndEvents();
  Status OpenJournal();
  Sending SendingAt(Instant now);
  [[nodiscard]] std::vector<std::string> Notes();
  [[nodiscard]] std::string ProgressLine(Duration time, const Progress& look);

  const kube::Access access_;
  const RunSettings settings_;
  const kube::WatchOptions watch_;
  kube::Connection connection_;  // of all that comes before the first workload
  Interruption interruption_;
  std::unique_ptr<Journal> journal_;
  Observed observed_;
  std::unique_ptr<Watching> watching_;
  std::unique_ptr<EventFollower> events_;  // nullptr: not asked for
  std::unique_ptr<Submitter> submitter_;
  std::unique_ptr<StorageGuard> guard_;
  std::optional<Saturation> fill_;
  std::string flows_;  // whose limits were met
  std::optional<Instant> submitted_;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> sends_ = false;  // what Execute makes is there, and stays
  Instant end_;
};

}  // namespace twofold::lifecycle
