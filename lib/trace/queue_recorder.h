#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/queue/queue.h"
#include "lib/trace/effects_encoder.h"
#include "lib/trace/put.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {

/// Writes what happens to one queue: a record for each input, with what came of it.
///
/// Threads  Not thread-safe: it goes with its queue. The sink may be shared.
class QueueRecorder {
 public:
  /// `number` differs from those of other queues in this sink, which must outlive the recorder.
  QueueRecorder(RecordSink& sink, std::uint64_t number, std::string_view name,
                const QueueOptions& options);
  QueueRecorder(const QueueRecorder&) = delete;
  QueueRecorder& operator=(const QueueRecorder&) = delete;

  /// Takes the step on `queue`, its effects going to `effects`, and writes it all down. The record
  /// is complete when the step is over: one that brings the program down is not in the trace.
  template <typename One>
  auto Step(Queue& queue, Instant now, const One& input, Effects& effects) {
    if (!sink_.open()) return queue.Step(now, input, effects);
    if constexpr (requires { input.options; }) Intern(input.options);
    if constexpr (requires { input.restored.options; }) Intern(input.restored.options);
    const EndOfStep end{*this};
    Begin(now);
    PutRow<Input>(body_, input, &options_);
    encoder_.ForwardTo(&effects);
    return Perform(input, queue, now, encoder_);
  }

 private:
  struct EndOfStep {
    ~EndOfStep() { recorder.sink_.Add(recorder.body_); }
    QueueRecorder& recorder;
  };

  void Begin(Instant now);
  void Intern(const std::shared_ptr<const JobOptions>& options);

  RecordSink& sink_;
  const std::uint64_t number_;
  Instant last_{};
  OptionsTable options_;
  std::string body_;
  EffectsEncoder encoder_{body_, options_};
};

/// A queue all of whose inputs are recorded, if somebody wants that. It gives the core away as
/// const only, so no input can pass by the trace.
///
/// Cost     That of Queue and a branch; while recording see docs/trace.md.
class RecordedQueue {
 public:
  /// `recorder` nullptr: nothing is recorded.
  explicit RecordedQueue(const QueueOptions& options,
                         std::unique_ptr<QueueRecorder> recorder = nullptr)
      : queue_(options), recorder_(std::move(recorder)) {}

  [[nodiscard]] const Queue& core() const { return queue_; }

  /// See Queue::Step.
  template <typename One>
  auto Step(Instant now, One input, Effects& effects) {
    if (!recorder_) return queue_.Step(now, std::move(input), effects);
    return recorder_->Step(queue_, now, input, effects);
  }

 private:
  Queue queue_;
  std::unique_ptr<QueueRecorder> recorder_;
};

}  // namespace twofold::queue::trace
