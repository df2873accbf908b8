#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "frontend/queues/queue_set.h"
#include "lib/results/journal.h"
#include "tests/fakes/memory_store.h"
#include "tests/fuzz/fake_call.h"

namespace twofold::fuzz {

/// The part of a frontend that handles messages: real sessions, queues and journal, on fake calls.
/// Two queues: "a", and "d" whose jobs are durable.
///
/// Time     Every lease and every grace period ends at the next Tick, and not before.
/// Threads  One, beside that of the journal, for which Sync waits.
class Frontend {
 public:
  /// Without a store durable jobs are refused.
  explicit Frontend(bool with_store);

  /// Opens a new stream.
  std::unique_ptr<FakeCall> Submit(FakeCall::OnWrite on_write);
  std::unique_ptr<FakeCall> Work(FakeCall::OnWrite on_write);

  /// Waits until the journal has nothing left to do.
  void Sync();

  void Tick();
  /// Pauses, drains or resumes the queues, or pauses or resumes all workers.
  void Control(std::uint8_t how);
  /// Cancels the first jobs of each queue.
  void Cancel(std::size_t most);
  /// Follows the first job of each queue and what it prints, for ever.
  void Watch();

  /// How many jobs wait or run.
  [[nodiscard]] std::uint64_t unfinished();

  /// Notes that somebody was given this attempt; false: somebody was given it before.
  bool IsNew(queue::Held attempt) { return given_out_.insert(attempt).second; }

 private:
  void ForEachQueue(const std::function<void(frontend::QueueHost::Turn&)>& visit);

  frontend::QueueSet queues_;
  results::MemoryStore store_;
  std::uint64_t last_submitter_ = 0;
  std::set<queue::Held> given_out_;
  std::optional<results::Journal>
      journal_;  // empty: no store; its thread ends before the rest goes
};

}  // namespace twofold::fuzz
