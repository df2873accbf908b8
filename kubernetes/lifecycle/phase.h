#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/sending/canaries.h"
#include "kubernetes/lifecycle/sending/etcd_guard.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "kubernetes/lifecycle/sending/submitter.h"
#include "kubernetes/lifecycle/watching/follower.h"
#include "lib/common/instant.h"
#include "lib/common/interruption.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// A line for people on how far it is.
using Say = std::function<void(const std::string& line)>;

/// What a phase does.
struct PhasePlan {
  Record record = {};               ///< of the run; it is there already
  const SendPlan* sends = nullptr;  ///< nullptr: another process sends
  bool watches = true;              ///< else another process does
  bool until_ready = false;         ///< a workload that is ready need not be waited for
  Duration settle{};                ///< to wait at most, after the last was sent
  kube::WatchOptions watch = {};
  std::string canary = {};     ///< the ConfigMap into which this process writes each second
  Journal* journal = nullptr;  ///< for what the Observer does not know; nullptr: none
  Tally before = {};           ///< of the processes that have watched before
};

/// Workloads that are sent, watched, or both, until they have come to their end. A run is one
/// phase; one that fills the cluster first is two, and neither sees the workloads of the other.
///
/// Threads  By one; counts and breaks by any once Start has returned.
class Phase {
 public:
  /// All but the plan must outlive it.
  Phase(const kube::Access& access, PhasePlan plan, Observed& observed, Interruption& interruption);
  ~Phase();

  /// Until all that is there has been listed.
  /// Errors   A kind that controllers add is not installed, no right to watch, the server sends
  ///          nothing for a minute. kCancelled: interrupted.
  Status Begin(kube::Connection& connection);

  /// From now on workloads are sent.
  void Start();

  /// Until all workloads have come to their end, or the time for it is over; then sends no more.
  /// `say` is called each `between`.
  /// Errors   kCancelled: interrupted. kResourceExhausted: the server's store is full.
  Status Await(const Say& say, Duration between);

  /// Watches no more. Observes what was read before.
  void End();

  SendCounts counts();

  /// Of watches, as of the last look.
  [[nodiscard]] std::uint64_t breaks() const { return breaks_; }

  /// What went wrong on the way, a sentence each.
  std::vector<std::string> notes();
  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const Record& record() const { return plan_.record; }

 private:
  /// How far the workloads are.
  struct Look {
    std::size_t all = 0;
    std::size_t open = 0;    // that have not come to their end
    std::size_t unsent = 0;  // of these, not known to be sent
  };

  Result<std::vector<kube::Selection>> Selections(kube::Connection& connection);
  Status AwaitSync();
  Status AwaitEnd(const Say& say, Duration between);
  Status StopSending();
  Look LookAll();
  Instant WaitedSince(Instant now, const Look& look);
  [[nodiscard]] bool IsOver(const Look& look) const;
  std::string LineOf(Duration time, const Look& look);
  void KeepTally();
  void NoteEtcd(std::vector<std::string>& notes);

  const kube::Access& access_;
  const PhasePlan plan_;
  Observed& observed_;
  Interruption& interruption_;
  const Instant made_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<Canaries> canaries_;
  std::unique_ptr<Submitter> submitter_;
  std::unique_ptr<EtcdGuard> etcd_guard_;
  std::optional<Instant> all_sent_;
  std::vector<std::size_t> open_;  // lives that have not come to their end, as of the last look
  std::size_t looked_at_ = 0;      // lives that were open once
  std::vector<std::string> unwatched_;  // notes on what the cluster has no definition of
  Tally tally_;
  std::atomic<std::uint64_t> breaks_ = 0;
};

}  // namespace twofold::lifecycle
