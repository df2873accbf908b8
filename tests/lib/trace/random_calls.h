#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lib/trace/queue_recorder.h"

namespace twofold::queue::trace {

/// Calls a queue in random order with random arguments, sensible or not: every method, every option
/// of a job. It does not judge what comes of it.
class RandomCalls : private NoEffects {
 public:
  RandomCalls(std::uint64_t seed, RecordedQueue& queue);

  void Step();

 private:
  struct Call {
    std::uint64_t weight;
    void (RandomCalls::*make)();
  };
  static const std::vector<Call>& Calls();

  void Do(const Assign& assign) override;
  using NoEffects::Do;

  void Submit();
  void Cancel();
  void EndSubmitter();
  void Join();
  void WorkerGone();
  void WorkerLeft();
  void Renew();
  void StartDraining();
  void PauseWorker();
  void BeReady();
  void Complete();
  void EndTurn();
  void Pause();
  void Drain();
  void HoldDurable();
  void Sent();
  void Resume();
  void Restore();
  void Tick();

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  ProcessId AnyProcess() { return ProcessId{static_cast<std::uint32_t>(Below(8))}; }
  std::shared_ptr<const JobOptions> RandomOptions();
  std::string RandomBytes(std::uint64_t most);

  struct Given {
    ProcessId process;
    Held held;
  };
  Given AnyGiven();

  std::mt19937_64 random_;
  RecordedQueue& queue_;
  Instant now_{};
  std::vector<std::shared_ptr<const JobOptions>> options_;
  std::deque<Given> given_;  // the latest
  std::uint64_t tag_ = 0;
  std::uint64_t restored_ = 0;
};

}  // namespace twofold::queue::trace
