#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lib/queue/queue.h"
#include "lib/trace/convert.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {

/// Writes what happens to one queue: a record for each input, with what came of it.
///
/// Threads  Not thread-safe: it goes with its queue. The sink may be shared.
class QueueRecorder : private Effects {
 public:
  /// `number` differs from those of other queues in this sink, which must outlive the recorder.
  QueueRecorder(RecordSink& sink, std::uint32_t number, std::string_view name,
                const QueueOptions& options);
  QueueRecorder(const QueueRecorder&) = delete;
  QueueRecorder& operator=(const QueueRecorder&) = delete;

  /// Takes the step on `queue`, its effects going to `effects`, and writes it all down. The record
  /// is complete when the step is over: one that brings the program down is not in the trace.
  template <typename One>
  auto Step(Queue& queue, Instant now, const One& input, Effects& effects) {
    if (!sink_.open()) return queue.Step(now, input, effects);
    Begin(now, input, effects);
    if constexpr (std::is_void_v<decltype(queue.Step(now, input, *this))>) {
      queue.Step(now, input, *this);
      Write();
    } else {
      const auto answer = queue.Step(now, input, *this);
      Put(answer, *step_.mutable_returned());
      Write();
      return answer;
    }
  }

 private:
  void Begin(Instant now, const Input& input, Effects& effects);
  void Write();

  void Do(const Assign& assign) override;
  void Do(const Go& go) override;
  void Do(const CancelOnWorker& cancel) override;
  void Do(const Requeued& requeued) override;
  void Do(const Reply& reply) override;
  void Do(const ProcessRemoved& removed) override;

  RecordSink& sink_;
  Instant last_{};
  Effects* effects_ = nullptr;  // of this step
  KnownOptions known_;
  // Filled again and again, which is why they cost little.
  proto::Record record_;
  proto::Step& step_ = *record_.mutable_step();
  std::string body_;
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
