#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "lib/queue/effects.h"
#include "lib/queue/queue.h"
#include "lib/trace/options_table.h"
#include "lib/trace/put.h"

namespace twofold::queue::trace {

/// Writes what a queue decides and answers as bytes: the same for the same decisions.
class EffectsEncoder final : public Effects {
 public:
  /// Appends to `out`. `options` are those of the queue's trace.
  EffectsEncoder(std::string& out, const OptionsTable& options) : out_(out), options_(options) {}

  /// All effects go there as well, each after it was written; nullptr: nowhere.
  void ForwardTo(Effects* effects) { forward_ = effects; }

  void Do(const Assign& assign) override;
  void Do(const Go& go) override;
  void Do(const CancelOnWorker& cancel) override;
  void Do(const Requeued& requeued) override;
  void Do(const Reply& reply) override;
  void Do(const ProcessRemoved& removed) override;

  void Returned(const Submitted& submitted) { Write(output::ReturnedSubmitted{submitted}); }
  void Returned(ProcessId process) { Write(output::ReturnedProcess{process}); }
  void Returned(bool answer) { Write(output::ReturnedBool{answer}); }

  /// Effects so far.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  template <typename Row>
  void Write(const Row& row) {
    PutRow<AnyOutput>(out_, row);
  }
  template <typename Row, typename Effect>
  void Pass(const Row& row, const Effect& effect) {
    Write(row);
    ++count_;
    if (forward_ != nullptr) forward_->Do(effect);
  }
  [[nodiscard]] Fingerprint Of(const std::shared_ptr<const JobOptions>& options) const {
    return {options_.DigestOf(*options)};
  }

  std::string& out_;
  const OptionsTable& options_;
  Effects* forward_ = nullptr;
  std::uint64_t count_ = 0;
};

/// Takes the step, and writes what comes of it.
template <typename One>
auto Perform(const One& input, Queue& queue, Instant now, EffectsEncoder& effects) {
  if constexpr (std::is_void_v<decltype(queue.Step(now, input, effects))>) {
    queue.Step(now, input, effects);
  } else {
    auto answer = queue.Step(now, input, effects);
    effects.Returned(answer);
    return answer;
  }
}

}  // namespace twofold::queue::trace
