#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

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
  auto Step(Queue& queue, Instant now, One one, Effects& effects) {
    if (!sink_.open()) return queue.Step(now, std::move(one), effects);
    Input input = std::move(one);
    Begin(now, input, effects);
    const auto step = [&] { return queue.Step(now, std::get<One>(std::move(input)), *this); };
    if constexpr (std::is_void_v<decltype(step())>) {
      step();
      Write();
    } else {
      const auto answer = step();
      Put(answer, *step_.mutable_returned());
      Write();
      return answer;
    }
  }

 private:
  void Begin(Instant now, const Input& input, Effects& effects);
  void Write();

  void Do(const Assign& assign) override { Record(assign); }
  void Do(const Go& go) override { Record(go); }
  void Do(const CancelOnWorker& cancel) override { Record(cancel); }
  void Do(const Requeued& requeued) override { Record(requeued); }
  void Do(const Reply& reply) override { Record(reply); }
  void Do(const ProcessRemoved& removed) override { Record(removed); }
  /// It is written before it is carried out.
  template <typename Effect>
  void Record(const Effect& effect) {
    Put(effect, known_, *step_.add_effects());
    effects_->Do(effect);
  }

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
    return recorder_->Step(queue_, now, std::move(input), effects);
  }

 private:
  Queue queue_;
  std::unique_ptr<QueueRecorder> recorder_;
};

}  // namespace twofold::queue::trace
