#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/queue/job_table.h"
#include "lib/queue/process_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Gangs whose turn has come and that lack workers.
///
/// A gang gets all its members in one step, so somebody has to hold free slots until there are
/// enough. One gang does so at a time, the first by precedence: two that held some each could wait
/// for each other for ever. A gang that the connected workers could never make up holds nothing,
/// and neither does one that has just given up; meanwhile single jobs and other gangs pass.
///
/// What a gang holds goes to those whose turn is before its own, as long as it lacks workers: to
/// the first such gang that any of it suits (Next), and to single jobs (Yield).
///
/// A gang that has held slots for its timeout gives them back, lets others pass for as long as it
/// held them, and then holds for twice as long (at most an hour). If nobody else waits it goes on
/// at once. So while others wait, no slot stands idle in one go for longer than that, nor for
/// longer than the longest job runs (R), and holding takes at most R more time than letting others
/// pass. Small jobs do not starve a gang: once it holds for R, no slot that frees escapes it, so
/// that it starts within 5 R, or R if its timeout is that long. (Jobs that go before the gang by
/// priority come on top, and gangs before it.)
///
/// Cost     Add, Remove O(log g) with g gangs here; Next O(1), but O(g) when the last answer may
///          have changed: a gang or capacity has come, or a pause is over; Gather linear in the
///          slots it takes and in the idle processes that it looks at and cannot use: those of a
///          node that it holds a slot of already, or that share a line with its placement but do
///          not suit it. Each of these is looked at once in a try. A gang that wants distinct nodes
///          looks at all that are idle first, to begin with the first nodes by name. Whether a gang
///          with a placement is possible: see ProcessTable::AbleFor.
class GatheringGangs {
 public:
  GatheringGangs(JobTable& jobs, ProcessTable& processes, const WaitingLine& order)
      : jobs_(jobs), processes_(processes), order_(order) {}

  void Add(Slot gang);
  /// The gang starts or gives up waiting: returns the slots that it held.
  void Remove(Slot gang);

  /// The gang that may take slots now; kNoSlot: none. If it is another one than the one that holds
  /// slots, that one has given them back. REQUIRES: GiveUp(now) came before.
  Slot Next(Instant now, bool others_wait);

  /// Takes idle slots for the gang that Next named. True: it has all its members.
  bool Gather(Instant now, Slot gang);

  /// The gang that holds slots; kNoSlot: none does.
  [[nodiscard]] Slot holder() const { return holder_; }
  /// Where the members of the gang that gathers will be, by rank.
  [[nodiscard]] const std::vector<ProcessId>& held() const { return held_; }
  /// Changes whenever `held` does.
  [[nodiscard]] std::uint64_t held_version() const { return held_version_; }

  /// Gives back one slot that is held at this process.
  void Yield(ProcessId process);

  /// The process no longer takes jobs: what is held there is given back.
  void Withdraw(ProcessId process);

  /// What is held for longer than the gang's patience lasts is given back, and what is held for one
  /// that the connected workers can no longer make up.
  void GiveUp(Instant now);

  /// When GiveUp has to be called, at the latest; nullopt: never.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  /// The connected workers are too few for the gang, busy or not.
  [[nodiscard]] bool Impossible(Slot gang) const { return Missing(*jobs_[gang].options) > 0; }

  /// Calls `visit(const JobOptions&, missing)` for each gang that is impossible.
  template <typename Visit>
  void ForEachImpossible(Visit&& visit) const {
    for (const auto& [key, attempt] : waiting_) {
      const JobOptions& gang = *jobs_[key.second].options;
      if (const std::uint64_t missing = Missing(gang); missing > 0) visit(gang, missing);
    }
  }

  /// Workers that the gang lacks: connected ones if it is impossible, else free ones beside those
  /// that it holds.
  [[nodiscard]] std::uint64_t ShortOf(Slot gang) const;

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Try {
    Duration patience;  // of the next or current try
    Instant again;      // not before
  };
  using Key = std::pair<Precedence, Slot>;

  [[nodiscard]] Key KeyOf(Slot gang) const { return {order_.PrecedenceOf(gang), gang}; }
  [[nodiscard]] std::uint64_t Missing(const JobOptions& gang) const;
  [[nodiscard]] bool Suits(const JobOptions& gang, ProcessId process) const;
  void TakeByNode(const JobOptions& gang, std::uint64_t after,
                  const std::function<bool(ProcessId)>& take);
  [[nodiscard]] bool CouldUseHeld(Slot gang) const;
  void GiveBack();
  void HeldChanged();

  JobTable& jobs_;
  ProcessTable& processes_;
  const WaitingLine& order_;
  std::map<Key, Try> waiting_;

  // The gang that holds slots, if any.
  Slot holder_ = kNoSlot;
  std::vector<ProcessId> held_;
  Instant until_;
  std::uint64_t holder_version_ = 0;  // capacity that it could be made up with
  std::uint64_t held_version_ = 0;

  // Gather has seen all that were idle for this gang by then.
  Slot looked_for_ = kNoSlot;
  std::uint64_t looked_until_ = 0;  // Process::idle_since

  // Next has found nobody but the holder, which stays so until one of these changes, while others
  // wait.
  bool nobody_ = false;
  std::uint64_t nobody_version_ = 0;
  Instant nobody_until_;
};

}  // namespace twofold::queue
