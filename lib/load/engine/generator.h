#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/load/engine/accounts.h"
#include "lib/load/engine/kinds.h"
#include "lib/load/engine/lanes.h"
#include "lib/load/load_loop.h"
#include "lib/load/profile.h"
#include "lib/load/recorder.h"
#include "lib/load/schedule.h"
#include "lib/load/snapshot.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// How far a recorded load is.
struct RunState {
  bool over = false;           ///< its stages are
  std::uint64_t measured = 0;  ///< jobs that ended after the warm-up
  Duration longest_life{};     ///< of jobs that have ended: from sent to its answer
};

/// Generates the load of one queue and measures it: the loop and the accounts behind one lock,
/// taken once a batch.
///
/// The load is a parallelism, or a profile with stages of a parallelism or a rate. A profile's time
/// begins when it is set, or when the first stream is up if that is later. A job of an open loop is
/// sent as soon as it is due, a stream is up and fewer jobs are outstanding than may be; else it
/// waits and is sent late, however late that is.
///
/// Each shard of the queue has a lane (Lanes). Parallelism, rate and limits are those of all lanes
/// together. A new job goes to the lane with the fewest outstanding jobs of those that are up;
/// among equals, what replaces a job stays where that one ended, and jobs of an open loop take
/// turns. A frontend may say that jobs belong to another shard: they go to its lane, and so do
/// later jobs of the same kind, whether it is up or not. If it contradicts what was said before,
/// the jobs wait a moment (kPause), so that frontends of two minds do not pass them round as fast
/// as they can.
///
/// When a stream breaks, its unanswered jobs go to the next stream of the lane with the same tags
/// and submit instants, so their round trips include the whole time that passed. Jobs that a
/// frontend gives back because the shard has moved go there as well; the others are answered on the
/// stream that they are on, which takes no more. A job that is answered twice counts once.
///
/// A lane that is lost is trouble (Trouble::kLink) until it is connected again, also while others
/// are up: what was measured is less than the whole queue. A move is no trouble by itself: what it
/// costs shows in the times of the jobs.
///
/// Threads  Safe.
/// Cost     0.1 µs a job in batches, 0.5 µs alone (bench/generator_benchmark), and a look at each
///          lane if there are several. The begin and the end of a stream look at all outstanding
///          jobs. Look copies under the lock, about 0.1 ms with 100 000 jobs outstanding, and
///          computes without it.
class Generator {
 public:
  static constexpr std::size_t kOutstandingMax = 100'000;
  static constexpr Duration kPause = std::chrono::milliseconds(100);

  /// Which shard of the queue.
  using Lane = LoadLoop::Lane;

  /// The clock is a parameter for tests.
  Generator(std::string queue, std::string frontend, Instant start, Instant (*clock)() = &Now);

  // ---- for people (pages)

  /// Ends a profile.
  void SetParallelism(std::uint32_t parallelism);

  /// Begins a profile, in place of what was asked for before.
  /// Errors   kResourceExhausted: more than Kinds::kMost kinds of jobs since the start.
  Status SetProfile(std::shared_ptr<const Profile> profile);

  /// Jobs outstanding at which due jobs of an open loop wait.
  void SetOutstandingMax(std::size_t most);

  /// How long a CPU quota has held the generator's cgroup up until now. Call it before each Look:
  /// what held it up since the last call spoils the window.
  void Observe(Duration throttled);

  void Reset();
  [[nodiscard]] std::uint32_t parallelism() const;
  [[nodiscard]] std::size_t outstanding() const;
  /// Of a load that is recorded, the estimate and times are those after the warm-up once it is
  /// over.
  [[nodiscard]] Snapshot Look() const;

  // ---- for a run that is recorded

  /// Records the profile that is set next, from its first instant.
  void RecordNext(WarmUp warm_up);

  /// How far the load is, at little cost.
  [[nodiscard]] RunState State() const;

  /// Ends the load: nothing more is sent, answers are still taken.
  void EndLoad();

  /// What was recorded, with what is known to have spoiled it: jobs without an answer are
  /// unanswered from now on. nullopt: the load has not begun. Call it after EndLoad.
  [[nodiscard]] std::optional<Recorder> Recorded() const;

  // ---- for the session

  /// `tick_at` is told when to call Tick next, on any thread. nullptr: nobody is.
  void OnTick(std::function<void(Instant when)> tick_at);

  /// There is this lane. Call it before anything is said of the lane; the first one is open.
  void Open(Lane lane);

  /// A stream is up: submits unanswered jobs of the lane again, but for those on streams that were
  /// left, and starts the missing ones. Returns how many were submitted again.
  std::size_t Connected(std::shared_ptr<JobSink> sink, Lane lane = 0);

  /// The frontend of `stream`, which is the lane's, says that the shard has moved, and gives these
  /// jobs back. If it is the stream that is up, it is left: it takes no more. Others are submitted
  /// again at once.
  void Moved(const JobSink& stream, std::span<const LoadLoop::Tag> given_back, Lane lane = 0);

  /// The frontend of `stream` gives these jobs back, for they belong to the shard of another lane,
  /// which may not be connected yet. The stream stays.
  void Belong(std::span<const LoadLoop::Tag> given_back, Lane to, const JobSink& stream,
              Lane lane = 0);

  /// `stream` has ended. If it is the one that is up, the frontend is lost; if it was left, its
  /// jobs are submitted again on the one that is up. Returns how many jobs had no answer.
  std::size_t Ended(const JobSink& stream, Lane lane = 0);

  /// The lane has no stream, and none can be made.
  void Disconnected(Lane lane = 0);

  /// A batch of answers from the lane. REQUIRES: rpc::Check has passed.
  void OnReply(const v1::SubmitReply& reply, Lane lane = 0);

  /// Submits held-back jobs that are due.
  void Tick();

  /// Submits nothing from now on.
  void Finish();

 private:
  void Do(absl::FunctionRef<void(Instant now)> change, Lane preferred = 0);

  // generator.cc: the way of a job
  void SendMissing(Instant now, Lane preferred, FlushList& flushes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::size_t SendSome(Instant now, std::size_t count, Lane preferred)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SendDue(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The lane of a new job. If its kind belongs to one without a stream it waits there for the next.
  [[nodiscard]] Lane LaneFor(std::uint32_t kind, Lane preferred) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::optional<Lane> home = kinds_.lane(kind);
    return home ? *home : lanes_.Choose(loop_, preferred);
  }
  void Heard(const v1::SubmitReply& reply, Lane lane, Instant now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool EndAll(const v1::ResultBatch& batch, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Instant> NextTick(Instant now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeginLoad(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FollowProfile(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Close(Instant at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[nodiscard]] bool IsDue(Instant now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  [[nodiscard]] bool IsClosed() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // generator_streams.cc
  void SubmitAgain(LoadLoop::Tag tag, std::uint32_t kind, Lane lane)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::size_t SubmitAllAgain(LoadLoop::Stream stream, std::optional<Lane> lane = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndPause(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lose(Lane lane, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // generator_looks.cc
  InFlight Outstanding() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DescribeLoad(Instant now, Snapshot& snapshot) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant.
  const std::string queue_;
  const std::string frontend_;
  Instant (*const clock_)();

  mutable Mutex mutex_;
  std::function<void(Instant)> tick_at_ ABSL_GUARDED_BY(mutex_);
  LoadLoop loop_ ABSL_GUARDED_BY(mutex_);
  Accounts accounts_ ABSL_GUARDED_BY(mutex_);
  Kinds kinds_ ABSL_GUARDED_BY(mutex_);
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);
  std::optional<Instant> paused_until_ ABSL_GUARDED_BY(mutex_);  // jobs; their stream meanwhile
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;

  // Of a profile.
  std::shared_ptr<const Profile> profile_ ABSL_GUARDED_BY(mutex_);  // nullptr: none is carried out
  std::vector<std::uint32_t> profile_kinds_
      ABSL_GUARDED_BY(mutex_);                                // index into kinds_, of its jobs
  std::optional<Schedule> schedule_ ABSL_GUARDED_BY(mutex_);  // once its time has begun
  Instant began_ ABSL_GUARDED_BY(mutex_);
  std::optional<Duration> next_change_ ABSL_GUARDED_BY(mutex_);  // of its parallelism, and its end
  bool open_ ABSL_GUARDED_BY(mutex_) = false;                    // the stage has a rate
  bool over_ ABSL_GUARDED_BY(mutex_) = false;                    // its stages are
  std::size_t outstanding_max_ ABSL_GUARDED_BY(mutex_) = kOutstandingMax;
  std::optional<Instant> full_since_ ABSL_GUARDED_BY(mutex_);
  std::optional<Duration> throttled_ ABSL_GUARDED_BY(mutex_);  // as it was observed last
  Instant observed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::load
