#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/queue/queue.h"
#include "lib/trace/effects_encoder.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {

/// Writes what happens to one queue: a record for each call, with what came of it.
///
/// Threads  Not thread-safe: it goes with its queue. The sink may be shared.
class QueueRecorder {
 public:
  /// `number` differs from those of other queues in this sink, which must outlive the recorder.
  QueueRecorder(RecordSink& sink, std::uint64_t number, std::string_view name,
                const QueueOptions& options);
  QueueRecorder(const QueueRecorder&) = delete;
  QueueRecorder& operator=(const QueueRecorder&) = delete;

  /// Makes the call on `queue`, its effects going to `effects`, and writes it all down. The record
  /// is complete when the call is over: a call that brings the program down is not in the trace.
  template <typename Input>
  ResultOf<Input> Run(Queue& queue, Instant now, Input input, Effects& effects) {
    if (!sink_.open()) return input.Apply(queue, now, effects);
    if constexpr (requires { input.options; }) Intern(input.options);
    const EndOfStep end{*this};
    Begin(now);
    PutRow<AnyInput>(body_, input);
    encoder_.ForwardTo(&effects);
    return Perform(input, queue, now, encoder_);
  }

  /// For calls without time and effects. They get the time of the call before.
  template <typename Input>
  void Run(Queue& queue, const Input& input) {
    const EndOfStep end{*this};
    Begin(last_);
    PutRow<AnyInput>(body_, input);
    encoder_.ForwardTo(nullptr);
    input.Apply(queue, last_, encoder_);
  }

 private:
  struct EndOfStep {
    ~EndOfStep() { recorder.sink_.Add(recorder.body_); }
    QueueRecorder& recorder;
  };

  void Begin(Instant now);
  void Intern(OptionsUse& options);

  RecordSink& sink_;
  const std::uint64_t number_;
  Instant last_{};
  OptionsTable options_;
  std::string body_;
  EffectsEncoder encoder_{body_, options_};
};

}  // namespace twofold::queue::trace
