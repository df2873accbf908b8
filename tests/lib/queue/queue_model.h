#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/queue/queue.h"
#include "tests/fakes/recording_effects.h"

namespace twofold::queue {

/// The rules of the queue, written as plainly as possible: maps, and a search through all of them.
/// Shares no code and no idea with the core: ageing is computed from `now`, slots are counted anew.
///
/// Call the method that mirrors a call of the queue, then Check with what the queue did. The model
/// foretells all effects: replies, stops and removals as a set, then the assignments in order.
class QueueModel {
 public:
  struct Job {
    SubmitterId submitter;
    std::uint64_t tag;
    int priority;
    std::uint32_t max_attempts;
    Instant accepted;
    std::uint64_t arrival;
    std::string spec;
    Attempt attempts = 0;
    std::uint32_t lost = 0;
    bool running = false;
    ProcessId process{0};
    Instant handed_out;
  };

  enum class State { kConnected, kSilent, kAway };

  struct Process {
    ProcessKey key;
    std::uint32_t slots;
    State state = State::kConnected;
    bool draining = false;
    Instant deadline;
    std::set<Held> stale;  // occupy slots, do not count
  };

  explicit QueueModel(const QueueOptions& options) : options_(options) {}

  void Submit(Instant now, const Submitted& submitted, const Job& job);
  void Cancel(Instant now, JobId job, bool told);
  void SubmitterGone(SubmitterId submitter);
  void WorkerJoined(Instant now, ProcessId process, ProcessKey key, std::uint32_t slots,
                    std::span<const Held> held, bool draining);
  void WorkerGone(Instant now, ProcessId process);
  void WorkerLeft(ProcessId process);
  void EndTurn();
  void Renewed(Instant now, ProcessId process);
  void WorkerDraining(Instant now, ProcessId process);
  void Completed(Instant now, ProcessId process, const Completion& completion, bool told);
  void Pause() { stats_.paused = true; }
  void Drain() { stats_.draining = true; }
  void Resume() { stats_.paused = stats_.draining = false; }
  void Tick(Instant now);

  /// What is wrong with the queue after a call at `now` that had these effects; empty: nothing.
  std::string Check(Instant now, const Queue& queue, const std::vector<Recorded>& effects);

  [[nodiscard]] const std::map<JobId, Job>& jobs() const { return jobs_; }
  [[nodiscard]] const std::map<ProcessId, Process>& processes() const { return processes_; }
  [[nodiscard]] std::vector<Held> HeldBy(ProcessId process) const;  // running and stale
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

 private:
  void Expect(bool condition, const std::string& complaint);
  void Reply(Instant now, JobId id, Outcome outcome, Duration run_time, std::string report);
  void Stop(JobId id);
  void Lose(Instant now, JobId id);
  void Requeue(JobId id);
  void Hear(Instant now, ProcessId process);
  void Forget(ProcessId process);
  std::vector<JobId> RunningOn(ProcessId process) const;
  bool MayTake(ProcessId process) const;
  JobId Best(Instant now) const;
  void RefreshIdle();
  void CountInTurn(ProcessId process);

  void Take(Instant now, const Recorded& effect);
  void TakeAssigned(Instant now, const Assigned& assigned);
  void TakeReplied(const Replied& replied);
  void CheckStats(const QueueStats& stats);
  void CheckJobs(Instant now, const Queue& queue);

  const QueueOptions options_;
  std::map<JobId, Job> jobs_;
  std::set<JobId> all_ids_;
  std::map<ProcessId, Process> processes_;
  std::size_t most_processes_ = 0;
  std::vector<ProcessId> idle_;      // who may take a job, longest idle first
  std::uint32_t taken_in_turn_ = 0;  // by the first of them
  std::uint64_t arrivals_ = 0;
  QueueStats stats_;  // only what is counted, not what is there

  // What must still come in this step
  std::map<JobId, Replied> replies_;
  std::multiset<Stopped> stops_;
  std::set<ProcessId> removals_;

  std::string complaint_;
};

}  // namespace twofold::queue
