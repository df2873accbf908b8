#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/lifecycle/event_follower.h"
#include "cli/lifecycle/follower.h"
#include "cli/lifecycle/metrics.h"
#include "cli/lifecycle/record.h"
#include "cli/lifecycle/server.h"
#include "cli/lifecycle/settings.h"
#include "cli/lifecycle/submitter.h"
#include "cli/lifecycle/times/clock_offset.h"
#include "cli/lifecycle/times/report.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/kube/connection.h"
#include "lib/kube/watch.h"

namespace twofold::lifecycle {

/// What the server says to the objects of one workload, of which it stores nothing (dryRun=All).
/// A line each.
///
/// Errors   Those of the first object that it would refuse.
Result<std::vector<std::string>> TryOut(kube::Connection& connection, const RunSettings& settings);

/// Whether the server takes us for one of system:masters, whom its limits on the rate of requests
/// leave out. False also if it does not say.
bool IsExempt(kube::Connection& connection);

/// One run: watches first, then workloads, then the wait for the last of them.
///
/// Threads  Execute by one; Interrupt from any.
class Run {
 public:
  Run(kube::Access access, RunSettings settings, kube::WatchOptions watch = {});
  ~Run();

  /// Until all workloads have come to their end, or the time for it is over, or Interrupt.
  /// `progress` is called each `between`, with a line for people.
  ///
  /// Errors   Before the first workload: a kind is not installed, the server refuses what we would
  ///          create, the name is taken, a watch does not come up. kCancelled: interrupted.
  Status Execute(const std::function<void(const std::string&)>& progress,
                 Duration between = std::chrono::seconds(5));

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

  /// After Execute.
  Report report();
  std::string TimesCsv();
  std::vector<Life> lives();
  [[nodiscard]] const Anchor& anchor() const { return anchor_; }
  [[nodiscard]] const RunSettings& settings() const { return settings_; }

 private:
  Status Prepare(kube::Connection& connection);
  Status WriteRecord(kube::Connection& connection);
  [[nodiscard]] Status NameIsTaken() const;
  Status Watch(kube::Connection& connection);
  Status Settle(const std::function<void(const std::string&)>& progress, Duration between);
  std::size_t CountOpen();
  std::string ProgressLine(Duration time);
  bool Pause(Instant until);
  void AddNotes(Report& report, const SubmitCounts& counts);

  const kube::Access access_;
  const RunSettings settings_;
  const kube::WatchOptions watch_;
  const Anchor anchor_;
  kube::Connection connection_;            // of all that comes before the first workload
  std::vector<Object> first_;              // the objects of the first workload
  std::vector<kube::Resource> resources_;  // theirs, in their order
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<EventFollower> events_;  // nullptr: not asked for
  std::unique_ptr<Canaries> canaries_;
  std::unique_ptr<Submitter> submitter_;
  std::vector<std::size_t> open_;  // lives that have not come to their end, as of the last look
  std::size_t looked_at_ = 0;      // lives that were open once
  std::atomic<bool> begun_ = false;
  std::atomic<bool> sends_ = false;  // what Execute makes is there, and stays
  Instant end_;
  std::uint64_t breaks_ = 0;  // of watches until then
  Mutex mutex_;
  Condition changed_;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::lifecycle
