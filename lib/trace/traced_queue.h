#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "lib/queue/queue.h"
#include "lib/trace/queue_recorder.h"

namespace twofold::queue::trace {

/// A Queue all of whose inputs are recorded, if somebody wants that. It gives the core away as
/// const only, so no input can pass by the trace; see Queue for what the methods do.
///
/// Cost     That of Queue and a branch; while recording see docs/trace.md.
class TracedQueue {
 public:
  /// `recorder` nullptr: nothing is recorded.
  explicit TracedQueue(const QueueOptions& options,
                       std::unique_ptr<QueueRecorder> recorder = nullptr)
      : queue_(options), recorder_(std::move(recorder)) {}

  [[nodiscard]] const Queue& core() const { return queue_; }

  Submitted Submit(Instant now, SubmitterId submitter, std::uint64_t tag,
                   const std::shared_ptr<const JobOptions>& options, std::string_view spec,
                   Effects& effects) {
    if (!recorder_) return queue_.Submit(now, submitter, tag, options, spec, effects);
    return recorder_->Run(queue_, now, input::Submit{submitter, tag, options, spec}, effects);
  }
  bool Cancel(Instant now, JobId job, Effects& effects) {
    return Do(now, input::Cancel{job}, effects);
  }
  void SubmitterGone(Instant now, SubmitterId submitter, Effects& effects) {
    Do(now, input::SubmitterGone{submitter}, effects);
  }
  ProcessId WorkerJoined(Instant now, const Joining& joining, Effects& effects) {
    if (!recorder_) return queue_.WorkerJoined(now, joining, effects);
    return recorder_->Run(queue_, now, input::WorkerJoined(joining), effects);
  }
  void WorkerGone(Instant now, ProcessId process, Effects& effects) {
    Do(now, input::WorkerGone{process}, effects);
  }
  void WorkerLeft(Instant now, ProcessId process, Effects& effects) {
    Do(now, input::WorkerLeft{process}, effects);
  }
  void Renewed(Instant now, ProcessId process, Effects& effects) {
    Do(now, input::Renewed{process}, effects);
  }
  void WorkerDraining(Instant now, ProcessId process, Effects& effects) {
    Do(now, input::WorkerDraining{process}, effects);
  }
  void PauseWorker(Instant now, ProcessId process, bool paused, Effects& effects) {
    Do(now, input::PauseWorker{process, paused}, effects);
  }
  bool MemberReady(Instant now, ProcessId process, const Held& member, Effects& effects) {
    return Do(now, input::MemberReady{process, member}, effects);
  }
  bool Completed(Instant now, ProcessId process, const Completion& completion, Effects& effects) {
    return Do(now, input::Completed{process, completion}, effects);
  }
  void EndTurn() {
    if (!recorder_) return queue_.EndTurn();
    recorder_->Run(queue_, input::EndTurn{});
  }
  void Pause() {
    if (!recorder_) return queue_.Pause();
    recorder_->Run(queue_, input::Pause{});
  }
  void Drain() {
    if (!recorder_) return queue_.Drain();
    recorder_->Run(queue_, input::Drain{});
  }
  void Resume(Instant now, Effects& effects) { Do(now, input::Resume{}, effects); }
  void Restore(Instant now, const Restored& restored, Effects& effects) {
    if (!recorder_) return queue_.Restore(now, restored, effects);
    recorder_->Run(queue_, now, input::Restore{restored.options, restored}, effects);
  }
  void Tick(Instant now, Effects& effects) { Do(now, input::Tick{}, effects); }

 private:
  template <typename Input>
  ResultOf<Input> Do(Instant now, const Input& input, Effects& effects) {
    if (!recorder_) return input.Apply(queue_, now, effects);
    return recorder_->Run(queue_, now, input, effects);
  }

  Queue queue_;
  std::unique_ptr<QueueRecorder> recorder_;
};

}  // namespace twofold::queue::trace
