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

  /// One of them, to a job that was outstanding. `again`: it was refused, and goes out again.
  void Answered(const rpc::ResultRow& row, const LoadLoop::Sent& sent, Instant now, bool again);

  /// One of them, to no such job.
  void AnsweredUnknown() { ++totals_.unknown_answers; }

  /// A job was sent for the first time. `open_loop`: a schedule had planned it.
  void Sent(Instant planned, Instant now, bool open_loop);

  /// The load ends with this job refused by the frontend and not sent again.
  void EndedRefused(const OpenJob& job, Instant now);

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
  void WarnOfRefusal(const std::string& error);

  Window window_;
  Totals totals_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<WarmUp> record_next_;
  std::vector<Places::Index> places_;           // of the batch's workers, in the window
  std::vector<Places::Index> recorded_places_;  // the same in the recorder
  std::string last_refusal_;                    // logged already
};

}  // namespace twofold::load
