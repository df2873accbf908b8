#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/queue/inputs.h"
#include "lib/queue/intrusive_list.h"
#include "lib/queue/job_table.h"
#include "lib/queue/places.h"
#include "lib/queue/types.h"

namespace twofold::queue {

enum class Presence : std::uint8_t {
  kNone,       ///< no process: the index is for use
  kConnected,  ///< it has no lease that ran out
  kSilent,     ///< connected, but its lease ran out: it has lost its jobs and gets none
  kAway,       ///< its stream is broken; what it runs stays its own for the grace period
};

/// A host, as far as gangs care.
struct Node {
  const std::string* name = nullptr;
  std::uint64_t processes = 0;  ///< known ones
  std::uint64_t able = 0;       ///< of these, may take jobs when they have a free slot
  std::uint64_t reserved = 0;   ///< slots, see Process
};

/// One backend process and what occupies its slots.
struct Process {
  ProcessKey key{0};
  std::uint32_t slots = 1;
  std::uint32_t reserved = 0;  ///< free slots held for a gang
  std::uint32_t running_count = 0;
  /// Attempts that count, in the order they were handed out, by their entries in all_tries().
  IntrusiveList<TriesTable, &Tries::place> running;
  std::set<Held> unanswered;  ///< attempts that no longer count but occupy a slot until answered
  Instant deadline;           ///< end of the lease or of the grace period, if it has one
  Links in_deadlines;
  Links in_idle;
  Node* node = nullptr;  ///< nullptr until it has connected
  std::string labels;
  Presence presence = Presence::kNone;
  bool leased = false;  ///< what it has to answer for is under a lease
  bool draining = false;
  bool paused = false;
  std::uint64_t unsent_bytes = 0;   ///< of specs, given since input::Sent
  bool is_full = false;             ///< that is as much as may be
  bool sent_asked = false;          ///< input::Sent is due
  std::uint32_t taken_in_turn = 0;  ///< jobs taken since it became idle, or since EndTurn
  bool took = false;                ///< a job since EndTurn: it is in `took_`
  std::uint64_t ended = 0;          ///< attempts whose results counted
  bool is_idle = false;             ///< in the line of those that may take a job
  std::uint64_t idle_since = 0;     ///< when it last came to the back of that line: a counter

  [[nodiscard]] std::uint64_t busy() const { return running_count + unanswered.size(); }
  /// It may have more attempts than slots.
  [[nodiscard]] std::uint64_t busy_slots() const { return std::min<std::uint64_t>(busy(), slots); }
  /// It takes jobs whenever a slot is free.
  [[nodiscard]] bool able() const {
    return presence == Presence::kConnected && !draining && !paused;
  }
  [[nodiscard]] bool MayTake() const { return able() && !is_full && busy() + reserved < slots; }
};

/// What there is for jobs, free or not.
struct Capacity {
  std::uint64_t slots = 0;  ///< of processes that take jobs
  std::uint64_t nodes = 0;  ///< with at least one such process
};

/// Slots ("workers"), by what they do. Those of processes that are silent or away are in none.
struct WorkerCounts {
  std::uint64_t idle = 0;
  std::uint64_t busy = 0;
  std::uint64_t draining = 0;   ///< busy or not
  std::uint64_t paused = 0;     ///< free ones of paused processes
  std::uint64_t reserved = 0;   ///< of the idle ones
  std::uint64_t processes = 0;  ///< connected, silent ones too
  Capacity able;
};

/// Knows the processes: what they run, how long they may be silent, who takes the next job.
///
/// What occupies a slot is listed by name, never merely counted. So an answer that comes twice, or
/// that was never due, cannot free a slot that is not its own.
///
/// A lease is a hold on attempts: a connected process has one while it occupies slots, and need not
/// be heard when it has nothing. All leases last equally long, so a lease that starts now ends
/// last: the lists of deadlines are in order by themselves, and renewing is moving to the back. The
/// same holds for the grace periods.
///
/// Time     Instants never go back.
/// Errors   None checked: pass ids of processes that are there (`Contains`).
/// Cost     O(1) a call; O(log u) for one of u unanswered attempts of a process. What labels and
///          placements add: see Places.
class ProcessTable {
 public:
  /// `unsent_limit`: see QueueOptions.
  ProcessTable(JobTable& jobs, Duration lease, Duration grace, std::uint64_t unsent_limit)
      : jobs_(jobs), lease_(lease), grace_(grace), unsent_limit_(unsent_limit) {}

  [[nodiscard]] bool Contains(ProcessId id) const;
  [[nodiscard]] std::optional<ProcessId> Find(ProcessKey key) const;
  const Process& operator[](ProcessId id) const { return processes_[IndexOf(id)]; }

  /// A process with no slot taken. It counts from Connect on.
  ProcessId Add(ProcessKey key);
  [[nodiscard]] ProcessId NextId() const;  ///< the one that Add will give
  void Remove(ProcessId id);

  // ---- Where it is, until when

  /// It has come, with these attempts that occupy slots without counting.
  void Connect(ProcessId id, Instant now, const input::WorkerJoined& joining,
               std::set<Held> unanswered);
  void Heard(ProcessId id, Instant now);  ///< its lease, if any, starts again; no-op while away
  void FallSilent(ProcessId id) { Become(id, Presence::kSilent, {}); }
  void GoAway(ProcessId id, Instant now) { Become(id, Presence::kAway, now); }
  void SetDraining(ProcessId id);
  void SetPaused(ProcessId id, bool paused);

  /// The connected process whose lease is over at `now`, longest first.
  [[nodiscard]] std::optional<ProcessId> LeaseOver(Instant now) const { return Over(leases_, now); }
  [[nodiscard]] std::optional<ProcessId> GraceOver(Instant now) const { return Over(graces_, now); }
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  // ---- What occupies its slots

  /// It runs the job, in a slot that was free, and has to be sent so many bytes.
  inline void Give(ProcessId id, Slot job, std::size_t bytes, Instant now);
  /// Whether input::Sent has to be asked for now: from half of the limit on, so that a process that
  /// reads is never full, which would cut a batch in two. True once before Sent.
  bool AskSent(ProcessId id);
  void Sent(ProcessId id);  ///< see input::Sent
  /// It no longer runs the job, and the slot is free.
  inline void TakeBack(ProcessId id, Slot job);
  void CountEnded(ProcessId id) { ++processes_[IndexOf(id)].ended; }
  void Revoke(ProcessId id, Slot job);  ///< it should stop; the slot stays taken until Answered
  bool Answered(ProcessId id, const Held& held);  ///< false: nothing by that name was unanswered

  void Reserve(ProcessId id);  ///< one slot. REQUIRES: MayTake()
  void Unreserve(ProcessId id, std::uint32_t slots);

  // ---- Who is next

  /// Those that have taken a job in this turn give way to the others.
  void EndTurn();

  /// The process that has been idle longest; one that takes a job and still has a free slot goes to
  /// the back, so that jobs spread over the processes.
  [[nodiscard]] std::optional<ProcessId> NextIdle() const { return IdOf(idle_.front()); }
  /// Those that may suit the placement and have become idle after that (Process::idle_since), in
  /// that order, until `visit` returns false. `visit` may take slots of the process that it is
  /// given. Others cost nothing.
  void VisitIdle(std::string_view placement, std::uint64_t after,
                 const std::function<bool(ProcessId)>& visit);
  /// The same for all that have one of these lines (see Places).
  void VisitIdle(const std::vector<std::string>& lines, std::uint64_t after,
                 const std::function<bool(ProcessId)>& visit);
  /// That order from the back, where `idle_since` is largest.
  [[nodiscard]] std::optional<ProcessId> LastIdle() const { return IdOf(idle_.back()); }
  [[nodiscard]] std::optional<ProcessId> IdleBefore(ProcessId id) const {
    return IdOf((*this)[id].in_idle.prev);
  }
  /// The largest `idle_since` so far.
  [[nodiscard]] std::uint64_t last_idle_since() const { return last_idle_since_; }

  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] const WorkerCounts& counts() const { return counts_; }

  [[nodiscard]] bool Suits(std::string_view placement, ProcessId id) const;
  /// What there is for jobs with this placement. Linear in the processes that have the label of it
  /// that fewest have, or are on its nodes; O(1) if nothing has changed since it was asked before.
  [[nodiscard]] Capacity AbleFor(std::string_view placement) const;
  /// Changes whenever what AbleFor says does, of any placement.
  [[nodiscard]] std::uint64_t capacity_version() const { return capacity_version_; }

 private:
  using Table = std::vector<Process>;
  using Deadlines = IntrusiveList<Table, &Process::in_deadlines>;

  /// Where a process takes jobs, and with how many slots; nullptr: it does not.
  using Able = std::pair<const Node*, std::uint32_t>;

  static Slot IndexOf(ProcessId id) { return static_cast<Slot>(id); }
  static std::optional<ProcessId> IdOf(Slot index) {
    return index == kNoSlot ? std::nullopt : std::optional(ProcessId{index});
  }
  Node* EnterNode(std::string_view name);
  void LeaveNode(Node* node);

  /// Applies `change` to the process, and keeps what follows from its state: the counts and the
  /// line of idle processes. All changes to slots or presence go through here.
  template <typename Function>
  void Change(ProcessId id, const Function& change);
  /// The same for a change of what occupies its slots and of nothing else, which is every job.
  template <typename Function>
  inline void ChangeBusy(ProcessId id, const Function& change);
  inline void KeepIdle(Process& process, Slot slot);
  void EnterIdle(Slot slot);
  void LeaveIdle(Slot slot);
  void Become(ProcessId id, Presence presence, Instant now);
  void StartLease(Process& process, Slot slot, Instant now);
  void EndLease(Process& process, Slot slot);
  Able Count(const Process& process, bool add);
  [[nodiscard]] std::optional<ProcessId> Over(const Deadlines& deadlines, Instant now) const;

  JobTable& jobs_;
  const Duration lease_;
  const Duration grace_;
  const std::uint64_t unsent_limit_;
  Table processes_;
  Places places_{processes_};
  std::vector<ProcessId> unused_;
  std::unordered_map<ProcessKey, ProcessId> by_key_;
  IntrusiveList<Table, &Process::in_idle> idle_;
  std::vector<Slot> took_;  // see Process::took
  Deadlines leases_;
  Deadlines graces_;
  std::unordered_map<std::string, Node> nodes_;  // nodes of the map: processes point to them
  WorkerCounts counts_;
  std::uint64_t capacity_version_ = 0;
  mutable std::unordered_map<std::string, Capacity> able_for_;  // answers of AbleFor,
  mutable std::uint64_t able_for_version_ = 0;                  // as long as this is the version
  std::uint64_t last_idle_since_ = 0;
};

}  // namespace twofold::queue
