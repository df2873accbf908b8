#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
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

  /// How often the rarer things have happened.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& seen() const {
    return model_.seen();
  }

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
  void PauseWorker();
  void Sent();
  void MemberReady();
  void Complete();
  void Answer();
  void CompleteOld();
  void Pause();
  void Drain();
  void HoldDurable();
  void Resume();
  void Tick();
  void TickAtDeadline();
  void Leap();
  void Stall();
  void Restart();
  void Move();

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  JobOptions RandomJob(std::uint64_t tag);
  std::string Key(std::uint64_t different);
  void NumberSeen(JobId id);
  void Deliver(ProcessId process, const Held& held);
  void Connect(ProcessKey key, std::vector<Held> held);
  void BeginAnew(bool (*goes_on)(const QueueModel::Job&));
  [[nodiscard]] Restored AsStored(JobId id, const QueueModel::Job& job,
                                  const std::map<ProcessId, ProcessKey>& keys);
  void Restore(const QueueModel::Job& job, const Restored& restored);
  std::optional<Held> Speak(ProcessId process);
  void ReturnFromBefore();
  void Check();
  Held OldToken();
  ProcessId AnyProcess();  // now and then one that is not there

  std::mt19937_64 random_;
  QueueOptions options_;
  std::unique_ptr<Queue> queue_;
  QueueModel model_;
  RecordingEffects effects_;
  Watch watch_;
  Instant now_{};
  std::uint64_t next_tag_ = 1;
  std::uint64_t next_key_ = 1;
  std::uint64_t first_submitter_ = 1;  // this and the next two are there
  std::vector<Held> tokens_;           // the latest that were handed out, in a ring
  std::size_t next_token_ = 0;
  std::deque<std::pair<ProcessKey, std::vector<Held>>> before_;  // what was there before a restart
  std::string complaint_;
};

}  // namespace twofold::queue
