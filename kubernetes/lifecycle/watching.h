#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/canaries.h"
#include "kubernetes/lifecycle/follower.h"
#include "kubernetes/lifecycle/interruption.h"
#include "kubernetes/lifecycle/journal.h"
#include "kubernetes/lifecycle/journal_lines.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/observed.h"
#include "kubernetes/lifecycle/record.h"
#include "kubernetes/lifecycle/settings.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// How far the workloads are.
struct Progress {
  std::size_t all = 0;
  std::size_t open = 0;    ///< that have not come to their end
  std::size_t unsent = 0;  ///< of these, not known to be sent
};

/// How far the sending is, whoever does it.
struct Sending {
  bool over = false;
  Instant since;        ///< of `over`; else of the last sign that it goes on
  SubmitCounts counts;  ///< if it is us, or was somebody whose journal we have
  Status failure = {};  ///< why nothing more is sent, nor waited for
};

/// Whether nothing more is waited for of a workload.
bool IsOver(State state, bool until_ready);

/// What to watch, and until when.
struct WatchPlan {
  Record record;
  EndSettings end;
  kube::WatchOptions watch;
  std::string canary = {};  ///< the ConfigMap into which this process writes each second
  bool fills = false;       ///< these are the workloads that fill; else all but these
  bool is_sender = false;   ///< this process sends; else the stamps of workloads say when they were
  Journal* journal = nullptr;  ///< for what the Observer does not know; nullptr: none
  Tally before = {};           ///< of the processes that have watched before
};

/// The watching half of a run: follows its workloads and writes canaries, until they have come to
/// their end.
///
/// Threads  By one, but for breaks.
class Watching {
 public:
  Watching(kube::Access access, WatchPlan plan, Observed& observed, Interruption& interruption);
  ~Watching();

  /// Until all that is there has been listed.
  /// Errors   A kind that controllers add is not installed, no right to watch, the server sends
  ///          nothing for a minute. kCancelled: interrupted.
  Status Begin(kube::Connection& connection);

  /// Until all workloads have come to their end, or the time for it is over. `sending` is asked
  /// ten times a second, `progress` is called each `between`.
  /// Errors   kCancelled: interrupted. The failure of the sending.
  Status Await(const std::function<Sending(Instant, const Progress&)>& sending,
               const std::function<void(Duration, const Progress&)>& progress, Duration between);

  /// Watches no more. Observes what was read before. `counts`: the last ones of the sending.
  void End(const SubmitCounts& counts);

  SenderSign sender() { return follower_->sender(); }
  Canaries& canaries() { return *canaries_; }

  /// What went wrong on the way, a sentence each.
  std::vector<std::string> notes();
  [[nodiscard]] const Tally& tally() const { return tally_; }

  /// Of watches, as of the last look. Threads  Any.
  [[nodiscard]] std::uint64_t breaks() const { return breaks_; }
  [[nodiscard]] const Record& record() const { return plan_.record; }

 private:
  Result<std::vector<kube::Selection>> Selections(kube::Connection& connection) const;
  Progress LookAll();
  Tally TallyWith(const SubmitCounts& counts);
  void Keep(const Tally& tally);

  const kube::Access access_;
  const WatchPlan plan_;
  Observed& observed_;
  Interruption& interruption_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<Canaries> canaries_;
  std::vector<std::size_t> open_;  // lives that have not come to their end, as of the last look
  std::size_t looked_at_ = 0;      // lives that were open once
  Tally tally_;
  std::atomic<std::uint64_t> breaks_ = 0;
};

}  // namespace twofold::lifecycle
