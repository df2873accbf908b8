#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/load_loop.h"
#include "lib/load/recorder.h"
#include "lib/load/schedule.h"
#include "lib/load/snapshot.h"
#include "lib/load/window.h"
#include "lib/rpc/batches.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// What a peer says in an unsigned field, in nanoseconds; more than 292 years is as good as that.
Duration FromWire(std::uint64_t ns);

/// Counts what became of a load's jobs, for all who show it: the present window, the totals since
/// the start, and the recorder of a load that is recorded. Says once what the frontend rejects.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe: the generator has it behind its lock.
/// Cost     O(1) a job; a look-up of names for each worker of a batch.
class Accounts {
 public:
  explicit Accounts(Instant start) : window_(start) {}

  // ---- jobs

  /// Answers of these workers come next.
  void BeginAnswers(const v1::ResultBatch& batch);

  /// One of them, to a job that was outstanding.
  void Answered(const rpc::ResultRow& row, const LoadLoop::Sent& sent, Instant now);

  /// One of them, to no such job.
  void AnsweredUnknown() { ++totals_.unknown_answers; }

  /// A job of a closed loop was sent.
  void Sent(Instant now);

  /// A job of an open loop was sent.
  void SentDue(Instant now, Instant due);

  // ---- troubles

  void Interrupted();
  void Spoil(const Mark& mark);

  // ---- windows and records

  /// Begins a new window.
  void Reset(Instant now) { window_ = Window(now); }

  /// Records the load that begins next.
  void RecordNext(WarmUp warm_up) { record_next_ = warm_up; }
  void BeginLoad(const Schedule& schedule, Instant now);

  [[nodiscard]] Window& window() { return window_; }
  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  /// nullptr: no load was recorded.
  [[nodiscard]] Recorder* recorder() { return recorder_.get(); }
  [[nodiscard]] const Recorder* recorder() const { return recorder_.get(); }

 private:
  void Record(const rpc::ResultRow& row, Answer job);
  void Count(v1::Outcome outcome, const Answer& job, std::string_view report);

  Window window_;
  Totals totals_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<WarmUp> record_next_;
  std::vector<Places::Index> places_;           // of the batch's workers, in the window
  std::vector<Places::Index> recorded_places_;  // the same in the recorder
  std::string last_rejection_;                  // logged already
};

}  // namespace twofold::load
