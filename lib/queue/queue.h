#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/queue/dedup_keys.h"
#include "lib/queue/effects.h"
#include "lib/queue/gathering_gangs.h"
#include "lib/queue/inputs.h"
#include "lib/queue/job_table.h"
#include "lib/queue/kept_keys.h"
#include "lib/queue/key_limits.h"
#include "lib/queue/placed_jobs.h"
#include "lib/queue/process_table.h"
#include "lib/queue/running_gangs.h"
#include "lib/queue/types.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

struct QueueOptions {
  std::uint64_t limit = 0;        ///< most waiting jobs; 0 = no limit. Requeued jobs may exceed it.
  std::uint64_t limit_bytes = 0;  ///< most bytes of their specs that are here; the same
  /// Bytes of specs that a process is given at most before input::Sent (the last job of them may
  /// pass it), which is asked for with half of them; 0 = no limit.
  std::uint64_t unsent_limit = 0;
  Duration lease = std::chrono::seconds(15);  ///< a process unheard for this long loses its jobs
  Duration grace = std::chrono::seconds(10);  ///< so long may a process with a broken stream return
  Duration ageing = std::chrono::minutes(1);  ///< waiting so long is worth one level; 0 = never
  std::uint8_t number = 0;  ///< of the queue: makes its job ids differ from other queues'
  std::uint32_t first_generation = 1;  ///< of job ids; make it differ between runs of the frontend
  std::uint64_t first_sequence = 1;    ///< of durable jobs' ids; more than all ever given out
};

enum class Admission : std::uint8_t {
  kAccepted,
  kFull,
  kDraining,
  kHeld,  ///< a durable job whose dedup key a volatile one has
};

struct Submitted {
  Admission admission;
  JobId job;               ///< kHeld: the one that has its key; else JobId{0} unless accepted
  bool duplicate = false;  ///< it is a job that was there already, by its dedup key
};

/// A job as people ask for it.
struct JobView {
  JobId job;
  bool running;
  Attempt attempt;    ///< tries started so far
  ProcessId process;  ///< meaningful while running; of a gang: that of rank 0
  Duration wait;      ///< so far, or until it was handed out
  Duration run_time;  ///< since it was handed out, by the frontend's clock
  const JobOptions* options;
  std::size_t spec_size;        ///< here or elsewhere
  std::vector<Member> members;  ///< of a gang that runs, by rank, without those that have ended
  SubmitterId submitter;        ///< kDetached: nobody's
  std::uint64_t tag;            ///< the submitter's
};

/// Which jobs List shows.
struct JobPage {
  std::uint32_t from = 0;     ///< what the page before returned; 0: the first page
  std::size_t limit = 1000;   ///< jobs at most
  std::string_view run = {};  ///< only those of this run; empty: all
  bool waiting = true;        ///< those that wait
  bool running = true;        ///< those that run
};

/// Why a job does not run. The first reason that holds.
enum class WaitReason : std::uint8_t {
  kNotWaiting,
  kDelayed,           ///< its time comes in `in`
  kKeyLimit,          ///< of its limit key as many run, or go before it, as may
  kKeyHeld,           ///< a job of its dedup key has ended whose program still runs
  kHeld,              ///< durable jobs are, see input::HoldDurable
  kPaused,            ///< the queue is
  kNoWorker,          ///< nobody is connected who takes jobs
  kNoSuitableWorker,  ///< of those who are, nobody suits its placement
  kGangShort,         ///< it needs `short_of` workers more
  kBehind,            ///< `ahead` jobs go first
};

struct Explanation {
  WaitReason reason = WaitReason::kNotWaiting;
  std::uint64_t ahead = 0;  ///< see WaitingLine::Ahead
  Duration in{0};
  std::uint64_t short_of = 0;
  JobId held_by{0};        ///< the gang that holds free slots meanwhile; 0: none but this job does
  std::uint64_t held = 0;  ///< so many
};

/// Counts since the queue was made, and what is there now.
struct QueueStats {
  std::uint64_t waiting = 0;        ///< all that do not run; the next three are part of it
  std::uint64_t delayed = 0;        ///< their time has not come
  std::uint64_t key_limited = 0;    ///< kKeyLimit or kKeyHeld
  std::uint64_t waiting_bytes = 0;  ///< of their specs that are here
  std::uint64_t gangs_waiting = 0;  ///< gangs at the head of the line that lack workers
  std::uint64_t running = 0;        ///< a gang is one job
  /// Slots that would leave no job waiting that may run; while the queue is paused none of those
  /// that wait may.
  std::uint64_t wanted_workers = 0;
  std::array<std::uint64_t, kOutcomes> finished{};  ///< by Outcome
  std::uint64_t requeued = 0;  ///< attempts given up and put back: worker lost or handed back
  std::uint64_t refused_results = 0;  ///< late, doubled or invented; an answer to a cancel is none
  std::uint64_t workers_idle = 0;     ///< free slots; as the next two: of processes in their lease
  std::uint64_t workers_busy = 0;
  std::uint64_t workers_draining = 0;  ///< busy or not, of draining processes
  std::uint64_t workers_paused = 0;    ///< free slots of paused processes
  std::uint64_t workers_reserved = 0;  ///< of the idle ones: held for a gang
  std::uint64_t processes = 0;         ///< connected
  /// When the job was accepted that waits longest, of those that more workers would help.
  std::optional<Instant> oldest_waiting;
  bool paused = false;
  bool draining = false;
};

/// Workers that waiting jobs lack, however long they wait: of those that suit them, too few are
/// connected, busy or not.
struct Shortage {
  std::string placement;    ///< whom it would take, see placement.h
  std::uint64_t slots = 0;  ///< that more would have to be there
  bool is_gangs = false;    ///< fewer would not do

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

/// The state machine of one queue: which job is where, who runs it, and how it ends.
///
/// A job waits in a line until a worker has a free slot, runs there under a lease, and ends exactly
/// once. Attempts are numbered; what an old attempt says no longer counts. The rules are those of
/// docs/architecture.md ("queue core"), each with a test named after it.
///
/// A slot is taken by an Assign and freed by the answer to it (Completed), also when the job was
/// lost or cancelled meanwhile, or by a process that comes back without the attempt. So a worker
/// never has more attempts than slots. The limit key and the dedup key of an attempt that was
/// stopped are free at that moment, too, or when the lease of its process is over.
///
/// Outside a call there is never both a waiting job and a slot that may take it, unless the queue
/// is paused, or the job is durable and such jobs are held, or a Tick is due at once (see
/// kMostAtOnce).
///
/// A gang is a job that several slots run together, one member each. It starts when all are there,
/// with a barrier: its members get Go when all have said that they are ready. It ends when rank 0
/// does; a member that fails or is lost before ends it, too. The other members are then stopped.
///
/// Durable jobs differ in two things only: their ids are never used again, and they outlive their
/// submitter. Keeping them on disk is for the shell, which has all it needs in the effects.
///
/// Time     Callers pass `now`, never going back. The class reads no clock.
/// Threads  Not thread-safe: one lock or strand a queue.
/// Errors   Calls about unknown jobs or processes are no-ops that say so in what they return.
/// Cost     O(1) a call, plus O(log r) with r requeued jobs waiting, and O(log) for jobs that have
///          keys, delays, deadlines, a run, a placement or members (see lib/queue/*.h).
///          WorkerJoined, WorkerLeft: O(log) for each attempt of the process. Tick, SubmitterGone:
///          O(log) for each job concerned, of which there are kMostAtOnce at most. List: see there.
///          Explain: see Lane and ProcessTable::AbleFor. A waiting job takes some 80 bytes beside
///          its spec.
/// Order    Same calls, same effects, byte for byte: no hashing order, no randomness.
class Queue {
 public:
  /// If more jobs than this are due at once, one call deals with so many, and Tick is due again at
  /// once for the others: jobs of submitters that are gone, attempts whose lease or grace period is
  /// over, delays, deadlines, durable jobs that are held or no longer are. Nothing is handed out by
  /// a call that leaves delays, deadlines or the latter over, nor by a Tick that leaves leases
  /// over.
  static constexpr std::size_t kMostAtOnce = 1000;
  /// The longest time that anybody may ask for: keeps sums of instants and 20 levels of ageing far
  /// from the ends of the clock.
  static constexpr Duration kLongest = std::chrono::hours(24 * 365 * 10);
  /// So many places of the job table one call of List looks at.
  static constexpr std::uint32_t kMostListed = 4096;

  explicit Queue(const QueueOptions& options);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Takes in what has happened; see each input. The answers:
  ///     Submit        whether the job was accepted, and its id
  ///     WorkerJoined  the id of the process, as IdFor has said
  ///     Cancel        false: no such job
  ///     MemberReady   false: no attempt that counts, or of no gang
  ///     Completed     false: it does not count
  Submitted Step(Instant now, input::Submit submit, Effects& effects);
  bool Step(Instant now, const input::Cancel& cancel, Effects& effects);
  void Step(Instant now, const input::SubmitterGone& gone, Effects& effects);
  ProcessId Step(Instant now, const input::WorkerJoined& joined, Effects& effects);
  void Step(Instant now, const input::WorkerGone& gone, Effects& effects);
  void Step(Instant now, const input::WorkerLeft& left, Effects& effects);
  void Step(Instant now, const input::Renewed& renewed, Effects& effects);
  void Step(Instant now, const input::WorkerDraining& draining, Effects& effects);
  void Step(Instant now, const input::PauseWorker& pause, Effects& effects);
  void Step(Instant now, const input::Sent& sent, Effects& effects);
  bool Step(Instant now, const input::MemberReady& ready, Effects& effects);
  bool Step(Instant now, const input::Completed& completed, Effects& effects);
  void Step(Instant now, const input::EndTurn& end, Effects& effects);
  void Step(Instant now, const input::Pause& pause, Effects& effects);
  void Step(Instant now, const input::Drain& drain, Effects& effects);
  void Step(Instant now, const input::Resume& resume, Effects& effects);
  void Step(Instant now, const input::Restore& restore, Effects& effects);
  void Step(Instant now, const input::Tick& tick, Effects& effects);
  void Step(Instant now, const input::HoldDurable& hold, Effects& effects);

  // ---- Questions

  /// The id that WorkerJoined gives to this key now: the caller needs it before, as jobs are handed
  /// out at once.
  [[nodiscard]] ProcessId IdFor(ProcessKey key) const;

  /// When a Tick is due; nullopt: nothing is due ever.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] QueueStats Stats() const;
  /// At most so many, those of gangs first: one for each placement. A gang that lacks more than
  /// `elsewhere`, the slots that there are in other places, lacks nothing that can be had. O(g + p)
  /// with g gangs that lack workers and p placements of waiting jobs; see ProcessTable::AbleFor.
  [[nodiscard]] std::vector<Shortage> Shortages(std::uint64_t elsewhere, std::size_t most) const;
  /// Jobs that wait, and of these those that a worker could have now.
  [[nodiscard]] std::uint64_t waiting() const;
  [[nodiscard]] std::uint64_t runnable() const;
  [[nodiscard]] std::optional<JobView> Find(Instant now, JobId job) const;
  [[nodiscard]] std::optional<Explanation> Explain(Instant now, JobId job) const;
  /// What input::Restore takes to have the job go on elsewhere under its id; a gang that runs waits
  /// again there. nullopt: there is no such job.
  [[nodiscard]] std::optional<Restored> Save(JobId job) const;
  /// The highest id that a durable job has, or could have, so far; see
  /// QueueOptions::first_sequence.
  [[nodiscard]] JobId last_durable_id() const { return jobs_.DurableId(next_sequence_ - 1); }
  [[nodiscard]] Standing StandingOf(SubmitterId submitter) const;
  [[nodiscard]] const Process* FindProcess(ProcessId process) const;

  /// Whose member an attempt is: the gang's job and the rank. For a job that is no gang itself and
  /// 0; nullopt: no such attempt runs.
  struct Role {
    JobId job;
    std::uint32_t rank;
  };
  [[nodiscard]] std::optional<Role> RoleOf(const Held& attempt) const;

  /// The next jobs in table order. Returns where the next page begins; 0: there are no more. A page
  /// may have fewer jobs than asked for, or none, though there are more.
  ///
  /// Cost     O(1) for each job of the page, O(log) if it is of a run; as well a look at up to
  ///          kMostListed places of the table or jobs of the run.
  std::uint32_t List(Instant now, const JobPage& page,
                     const std::function<void(const JobView&)>& visit) const;

 private:
  using Timers = std::set<std::pair<Instant, Slot>>;

  /// How a job ends; what its Reply needs beside what the job knows.
  struct Ending {
    Outcome outcome;
    std::string_view reason = {};
    std::uint32_t rank = 0;
    std::optional<Duration> run_time = {};  ///< as its worker says; nullopt: the core ends it
    std::string_view device = {};
    std::string_view report = {};
  };

  /// A process that has fallen silent and may have attempts left to lose.
  struct Losing {
    ProcessId process;
    Instant since;
  };

  void Hear(Instant now, ProcessId process, Effects& effects);
  void Resume(Instant now, Slot slot, std::span<const Restored::Member> members);
  ProcessId Absent(Instant now, ProcessKey key);

  // The way of a job: to the line, to a worker, to its end. Inline is what every job passes.
  inline void Register(Slot slot);
  [[nodiscard]] inline bool HasFreeWay(const Job& job) const;
  inline void Wait(Instant now, Slot slot, Effects& effects);
  inline void Arrive(Slot slot);
  inline void EnterLine(Slot slot);
  void LeaveLine(Slot slot);
  inline void EnterPlace(Slot slot);
  void SettleKey(const std::string& key);
  void KeepKeys(Slot slot);
  void FreeKeys(const KeptKeys::Options& options);
  void FreeKeysOf(ProcessId process, const std::set<Held>& but = {});
  void Dispatch(Instant now, Effects& effects);
  bool Withhold(Slot slot);
  bool WithholdNext();
  bool ReturnWithheld();
  void SetAside(Slot front);
  bool Yield(Instant now);
  bool YieldToPlaced(Slot holder);
  bool HandOutSetAside(Instant now, Slot front, Effects& effects);
  bool HandOutPlaced(Instant now, Slot before, Effects& effects);
  void HandOut(Instant now, Slot slot, ProcessId process, Effects& effects);
  inline const Tries& Begin(Instant now, Slot slot, ProcessId process);
  void EnterRunning(const Job& job);
  inline void LeaveRunning(Slot slot);
  inline void CountRunning(Slot slot, int more);
  inline void SetSubmitter(Slot slot, Submitter* submitter);
  inline void MeetDeadline(Slot slot);
  inline void Finish(Instant now, Slot slot, const Completion& completion, Effects& effects);
  inline void Conclude(Instant now, Slot slot, const Completion& completion, std::uint32_t rank,
                       Effects& effects);
  void Stop(Slot slot, Effects& effects);
  void Requeue(Slot slot, Effects& effects);
  inline void End(Instant now, Slot slot, const Ending& ending, Effects& effects);
  inline void Forget(Slot slot);
  inline void LeaveSubmitter(Slot slot);

  // Gangs
  void StartGang(Instant now, Slot gang, Effects& effects);
  Slot AddMember(Slot gang, std::uint32_t rank, ProcessId process, std::uint64_t sequence);
  void MemberEnded(Instant now, Slot member, const Completion& completion, Effects& effects);
  void LetGo(Slot gang, Effects& effects);
  void StopMembers(Slot gang, Effects& effects);

  // Attempts that come to nothing
  void Lose(Instant now, Slot slot, const std::string& why, Effects& effects);
  void HandBack(Instant now, Slot slot, Effects& effects);
  void LoseAttempt(Instant now, Slot slot, const std::string& why, Effects& effects);
  bool EndLeases(Instant now, std::size_t& left, Effects& effects);
  bool EndGraces(Instant now, std::size_t& left, Effects& effects);
  bool LoseAll(Instant now, ProcessId process, const std::string& why, std::size_t& left,
               Effects& effects);
  void Remove(ProcessId process, Effects& effects);
  std::set<Held> Reconcile(Instant now, ProcessId process, std::span<const Held> held,
                           Effects& effects);
  void Refuse(ProcessId process, const Completion& completion);
  bool RunTimers(Instant now, Effects& effects);

  [[nodiscard]] Admission Admit(std::size_t spec) const;
  Submitted Join(Slot slot, SubmitterId submitter, std::uint64_t tag, bool durable);
  Submitted Reject(Admission why, JobId job = {});
  Submitter* SubmitterFor(SubmitterId id);
  Submitter* AddSubmitter(SubmitterId id);
  bool HandOver(Slot slot);
  void EndDeparted(Instant now, Effects& effects);
  bool EndJobsOf(SubmitterId submitter, std::size_t& left, Effects& effects);

  [[nodiscard]] bool IsWanted(const JobPage& page, Slot slot) const;
  std::uint32_t ListRun(Instant now, const JobPage& page,
                        const std::function<void(const JobView&)>& visit) const;

  static bool IsKeyLimited(const Job& job) { return !job.options->limit_key.empty(); }
  /// Whether it waits for a kept dedup key.
  [[nodiscard]] bool IsHeldBack(Slot slot) const {
    if (held_back_.empty()) return false;
    const auto found = held_back_.find(jobs_[slot].options->dedup_key);
    return found != held_back_.end() && found->second == slot;
  }
  static bool IsGang(const Job& job) { return job.options->gang.size > 1; }
  /// Not any free slot will do.
  static bool IsChoosy(const Job& job) { return IsGang(job) || !job.options->placement.empty(); }
  static Duration DelayOf(const JobOptions& options) {
    return std::clamp(options.delay, Duration::zero(), kLongest);
  }
  static std::uint64_t ExtraSlots(const Job& job) {
    return IsGang(job) ? job.options->gang.size - 1 : 0;
  }
  static bool IsRunning(const Job& job) {
    return job.state == JobState::kRunning || job.state == JobState::kGang;
  }
  [[nodiscard]] Explanation WhoGoesFirst(Slot slot) const;
  [[nodiscard]] Slot FindJob(JobId id) const;
  [[nodiscard]] Slot FindAttempt(ProcessId process, const Held& held) const;
  [[nodiscard]] JobView View(Instant now, Slot slot) const;

  const QueueOptions options_;
  JobTable jobs_;
  WaitingLine line_;
  ProcessTable processes_;
  KeyLimits key_limits_;
  KeptKeys kept_keys_;
  std::unordered_map<std::string, Slot> held_back_;  // by dedup key: jobs that wait for a kept one
  Timers delays_;                                    // jobs whose time has not come
  Timers deadlines_;                                 // jobs that nobody has had yet
  DedupKeys dedup_keys_;
  GatheringGangs gathering_;
  PlacedJobs placed_;
  std::set<std::pair<Precedence, Slot>> withheld_;  // in the order of their turns
  std::size_t may_withhold_ = 0;                    // so many more in this call
  std::optional<Instant> withhold_more_at_;         // or give them back: when Tick has to go on
  // Of these versions no placed job goes before the gang that holds what would suit it.
  std::pair<std::uint64_t, std::uint64_t> none_to_yield_to_;
  RunningGangs running_gangs_;
  std::unordered_map<SubmitterId, Submitter> submitters_;  // nodes: jobs point to them
  Submitter* last_submitter_ = nullptr;  // of the job that came last: mostly of the next one, too
  std::deque<SubmitterId> departed_;     // those that are gone and may have jobs left
  std::optional<Instant> end_more_at_;   // of these: when Tick has to go on
  std::optional<Losing> losing_;
  std::unordered_map<std::string, std::set<Slot>> runs_;
  std::uint64_t next_sequence_;
  std::uint64_t running_ = 0;
  std::uint64_t running_slots_ = 0;  // of these: a gang has several
  std::uint64_t waiting_bytes_ = 0;  // specs of jobs that do not run
  std::uint64_t gang_slots_ = 0;     // what gangs in the line want beyond one slot each
  std::uint64_t requeued_ = 0;
  std::uint64_t refused_results_ = 0;
  std::array<std::uint64_t, kOutcomes> finished_{};
  bool paused_ = false;
  bool draining_ = false;
  bool hold_durable_ = false;
};

}  // namespace twofold::queue
