#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/queue/queue.h"
#include "tests/fakes/recording_effects.h"

namespace twofold::queue {

/// The rules of the queue, written as plainly as possible: maps, and a search through all of them.
/// Shares no code and no idea with the core: ageing is computed from `now`, slots, keys and places
/// are counted anew.
///
/// Call the method that mirrors a call of the queue, then Check with what the queue did. The model
/// foretells all effects: replies, stops, goes and removals as a set, then the assignments in
/// order.
class QueueModel {
 public:
  enum class Where { kDelayed, kWaiting, kGathering, kWithheld, kRunning };

  /// Of a gang that runs.
  struct Part {
    JobId id;
    ProcessId process;
    bool ready = false;
    bool ended = false;
  };

  struct Job {
    SubmitterId submitter;
    std::uint64_t tag;
    JobOptions options;
    std::string spec;
    std::uint32_t spec_elsewhere = 0;
    Instant accepted = {};
    std::uint64_t arrival = 0;
    std::uint64_t owned = 0;  // when its submitter came to it
    Attempt attempts = 0;
    std::uint32_t lost = 0;
    Where where = Where::kWaiting;
    ProcessId process{0};
    Instant handed_out = {};
    std::uint64_t given = 0;  // order of assignments
    std::vector<Part> parts = {};
    std::vector<std::pair<SubmitterId, std::uint64_t>> followers = {};
    Duration patience{0};  // of a gang that gathers
    Instant again = {};
    bool held_back = false;  // by its dedup key
  };

  /// An attempt that was stopped and may still run: its owner, a job's attempt, and the keys.
  struct Kept {
    Held owner;
    std::string limit_key;
    std::string dedup_key;
    std::uint64_t key_limit = 1;
  };

  enum class State { kConnected, kSilent, kAway };

  struct Process {
    ProcessKey key;
    std::uint32_t slots = 1;
    std::string node = {};
    std::string labels = {};
    State state = State::kConnected;
    bool draining = false;
    bool paused = false;
    bool leased = false;        // connected, and holds something
    Instant deadline = {};      // of the lease, or of the grace period
    std::uint64_t since = 0;    // order of deadlines
    std::set<Held> stale = {};  // occupy slots, do not count
    std::map<Held, Kept> kept = {};
    std::uint32_t taken = 0;  // in this turn
    std::uint64_t unsent = 0;
    bool asked = false;  // for Sent
  };

  explicit QueueModel(const QueueOptions& options) : options_(options) {}

  void Submit(Instant now, const Submitted& submitted, const Job& job);
  void Cancel(Instant now, JobId job, bool told);
  void SubmitterGone(SubmitterId submitter);
  void WorkerJoined(Instant now, ProcessId process, const input::WorkerJoined& joining);
  void WorkerGone(Instant now, ProcessId process);
  void WorkerLeft(ProcessId process);
  void EndTurn();
  void Renewed(Instant now, ProcessId process);
  void WorkerDraining(Instant now, ProcessId process);
  void PauseWorker(ProcessId process, bool paused);
  void Sent(ProcessId process);
  void MemberReady(Instant now, ProcessId process, const Held& held, bool told);
  void Completed(Instant now, ProcessId process, const Completion& completion, bool told);
  void Pause() { paused_ = true; }
  void Drain() { draining_ = true; }
  void Resume();
  void Tick(Instant now);
  void HoldDurable(bool hold);

  /// The queue is a new one, which knows nothing of the old one's jobs.
  void Restart();
  /// The new one has taken in a job; `processes` are those of its members, or its own.
  void Restore(Instant now, JobId id, const Job& job, const Restored& restored,
               std::span<const ProcessId> processes);

  /// What is wrong with the queue after a call at `now` that had these effects; empty: nothing.
  std::string Check(Instant now, const Queue& queue, const std::vector<Recorded>& effects);

  [[nodiscard]] const std::map<JobId, Job>& jobs() const { return jobs_; }
  [[nodiscard]] const std::map<ProcessId, Process>& processes() const { return processes_; }
  [[nodiscard]] std::vector<Held> HeldBy(ProcessId process) const;  // running and stale
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  /// How often each of the rarer things has happened.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& seen() const { return seen_; }

 private:
  struct Lane {
    double paid = 0;
    std::uint64_t number = 0;
  };
  /// The fair keys of one priority.
  struct Level {
    std::map<std::string, Lane> lanes;
    double reached = 0;
    std::uint64_t numbers = 0;
  };
  using LaneName = std::pair<int, std::string>;  // priority, fair key

  void Join(const Submitted& submitted, JobId id, const Job& job);

  // What follows from what callers do (queue_model_consequences.cc)
  void Reply(Instant now, JobId id, Outcome outcome, std::uint32_t rank = 0,
             std::optional<Duration> told = {}, std::string report = {});
  void Stop(JobId id);
  void StopParts(JobId gang);
  void StopAt(ProcessId process, const Held& held, JobId owner);
  void FreeKept(ProcessId process, const std::set<Held>& but = {});
  void EnterPlace(JobId id);
  void Lose(Instant now, const Held& held);
  void PutBack(JobId id);
  void Arrive(JobId id);
  void Forget(JobId id);
  void Hear(Instant now, ProcessId process);
  void NotThere(Instant now, ProcessId process, const Held& held);
  void Become(ProcessId process, State state, Instant now);
  void Remove(ProcessId process);
  void Conclude(Instant now, JobId id, const Completion& completion, std::uint32_t rank);
  void PartEnded(Instant now, JobId gang, Part& part, const Completion& completion);
  void OpenBarrier(JobId gang);
  void RunTimers(Instant now);

  // Who and what is next (queue_model_order.cc)
  [[nodiscard]] std::vector<Held> RunningOn(ProcessId process) const;
  [[nodiscard]] std::pair<JobId, Part*> Counting(ProcessId process, const Held& held);
  [[nodiscard]] bool MayTake(ProcessId process) const;
  [[nodiscard]] bool IsFull(std::uint64_t unsent) const;
  [[nodiscard]] bool AskSent(Process& process, std::uint64_t unsent) const;
  [[nodiscard]] bool GoesBefore(const Job& job, const Job& other) const;
  [[nodiscard]] std::set<Held> Keepers(std::string Kept::*key, const std::string& value) const;
  [[nodiscard]] std::uint64_t Ahead(JobId id) const;
  [[nodiscard]] std::uint64_t LimitOf(const std::string& limit_key) const;
  [[nodiscard]] bool IsParked(const Job& job) const;
  [[nodiscard]] bool IsInLine(const Job& job) const;
  [[nodiscard]] std::optional<JobId> Front() const;
  [[nodiscard]] bool Suits(const Job& job, ProcessId process) const;
  [[nodiscard]] std::uint64_t Able(const Job& job, Spread spread) const;
  [[nodiscard]] bool IsImpossible(const Job& gang) const;
  std::optional<JobId> GatheringNext(Instant now, bool others_wait);
  [[nodiscard]] std::optional<std::pair<JobId, ProcessId>> FirstForHeld() const;
  void SetAside(JobId id);
  bool Withhold(std::optional<JobId> id);
  bool Yield(Instant now);
  void YieldAt(ProcessId process);
  [[nodiscard]] std::optional<std::pair<JobId, ProcessId>> PlacedNext() const;
  bool Gather(Instant now, JobId gang);
  void Withdraw(ProcessId process);
  void GiveBack();
  void Refresh();
  void RefreshLanes();
  void RefreshLeases();
  void RefreshIdle();
  void Pay(const Job& job);
  void CountInTurn(ProcessId process);

  // What the queue did (queue_model_check.cc)
  void Expect(bool condition, const std::string& complaint);
  void Take(const Recorded& effect);
  void TakeReplied(const Replied& replied);
  void Dispatch(Instant now, std::vector<Assigned>& assigned);
  bool StartPlaced(Instant now, std::optional<JobId> before, std::vector<Assigned>& assigned);
  void StartSingle(Instant now, JobId id, ProcessId process, std::vector<Assigned>& assigned);
  void StartGang(Instant now, JobId id, std::vector<Assigned>& assigned);
  Assigned NextAssigned(std::vector<Assigned>& assigned);
  void CheckLaws();
  void CheckKeyOf(JobId id);
  void CheckStats(const QueueStats& stats);
  void CheckStandings(const Queue& queue);
  void CheckJobs(Instant now, const Queue& queue);
  void CheckExplanation(Instant now, const Queue& queue, JobId id);
  void Saw(std::string_view what) { ++seen_[what]; }

  const QueueOptions options_;
  std::map<JobId, Job> jobs_;
  std::set<JobId> all_ids_;
  std::map<ProcessId, Process> processes_;
  std::size_t most_processes_ = 0;
  std::vector<ProcessId> idle_;  // who may take a job, longest idle first
  std::vector<ProcessId> took_;  // a job, in this turn
  std::map<int, Level> levels_;
  std::map<JobId, LaneName> lined_;  // who was in the line at the last look, and where
  std::uint64_t events_ = 0;         // numbers all that has an order
  Instant now_;
  std::set<SubmitterId> submitters_;  // who has submitted
  bool paused_ = false;
  bool draining_ = false;
  bool hold_durable_ = false;

  JobId holder_{0};  // the gang that holds slots
  std::vector<ProcessId> held_;
  Instant until_;

  std::array<std::uint64_t, kOutcomes> finished_{};
  std::uint64_t requeued_ = 0;
  std::uint64_t refused_ = 0;

  // What must still come in this step
  bool dispatches_ = false;
  std::map<std::pair<SubmitterId, std::uint64_t>, Replied> replies_;
  std::multiset<Stopped> stops_;
  std::multiset<LetGo> goes_;
  std::multiset<twofold::queue::PutBack> put_back_;
  std::set<ProcessId> removals_;

  std::map<std::string_view, std::uint64_t> seen_;
  std::string complaint_;
};

}  // namespace twofold::queue
