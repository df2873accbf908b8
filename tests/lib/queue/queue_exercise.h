#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lib/queue/queue.h"
#include "tests/fakes/recording_effects.h"
#include "tests/lib/queue/queue_model.h"

namespace twofold::queue {

/// Does to a queue all that submitters, workers, people and time may do, in random order, honest or
/// not, and compares it with the model after each step. Small numbers on purpose: few jobs, few
/// processes and coarse time meet each other in more ways.
class QueueExercise {
 public:
  /// Sees the effects of each step.
  using Watch = std::function<void(const std::vector<Recorded>&)>;

  /// The seed decides all, the options of the queue too.
  explicit QueueExercise(std::uint64_t seed, Watch watch = {});

  /// One random step. What is wrong after it, and after what; empty: nothing.
  std::string Step();

 private:
  struct Action;
  static const std::vector<Action>& Actions();
  static QueueOptions RandomOptions(std::mt19937_64& random);

  // Steps
  void Submit();
  void Cancel();
  void EndSubmitter();
  void Join();
  void Return();
  void EndTurn();
  void Leave();
  void Renew();
  void StartDraining();
  void Complete();
  void Answer();
  void CompleteOld();
  void Pause();
  void Drain();
  void Resume();
  void Tick();
  void TickAtDeadline();
  void Leap();

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  void Deliver(ProcessId process, const Held& held);
  void Connect(ProcessKey key, std::vector<Held> held);
  Held OldToken();
  ProcessId AnyProcess();  // now and then one that is not there

  std::mt19937_64 random_;
  const QueueOptions options_;
  Queue queue_;
  QueueModel model_;
  RecordingEffects effects_;
  Watch watch_;
  Instant now_{};
  std::uint64_t next_tag_ = 1;
  std::uint64_t next_key_ = 1;
  std::uint64_t first_submitter_ = 1;  // this and the next two are there
  std::vector<Held> tokens_;           // the latest that were handed out, in a ring
  std::size_t next_token_ = 0;
};

}  // namespace twofold::queue
