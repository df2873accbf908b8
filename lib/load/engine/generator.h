#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/load/engine/accounts.h"
#include "lib/load/engine/left_jobs.h"
#include "lib/load/load_loop.h"
#include "lib/load/profile.h"
#include "lib/load/recorder.h"
#include "lib/load/schedule.h"
#include "lib/load/snapshot.h"
#include "lib/rpc/batches.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// Where jobs go: the stream that is up. All methods may be called from any thread.
class JobSink {
 public:
  virtual ~JobSink() = default;

  /// Packs jobs made from `job`; nullptr: from the session's own. Called with the generator's lock
  /// held, so it must not call the generator.
  virtual void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) = 0;

  /// Sends the packed jobs. Called without the lock.
  virtual void Flush() = 0;

  /// Asks for a call of Generator::Tick at `when`. Called without the lock.
  virtual void TickAt(Instant when) { static_cast<void>(when); }
};

/// How far a recorded load is.
struct RunState {
  bool over = false;           ///< its stages are
  std::uint64_t measured = 0;  ///< jobs that ended after the warm-up
};

/// Generates the load of one queue and measures it: the loop and the accounts behind one lock,
/// taken once a batch.
///
/// The load is a parallelism, or a profile with stages of a parallelism or a rate. A profile's time
/// begins when it is set, or when the first stream is up if that is later. A job of an open loop is
/// sent as soon as it is due, a stream is up and fewer jobs are outstanding than may be; else it
/// waits and is sent late, however late that is.
///
/// Jobs are submitted only while a sink is connected. When a stream breaks, its unanswered jobs go
/// to the next stream with the same tags and submit instants, so their round trips include the
/// whole time that passed. So do jobs that a frontend gives back because the queue has moved; the
/// others are answered on the stream that they are on, which takes no more. A job that is answered
/// twice counts once.
///
/// A move is no trouble by itself: what it costs shows in the times of the jobs. It begins no mark
/// of Trouble::kLink and ends none: a frontend that says `moved` before it has answered anything
/// does not end the loss of the one before.
///
/// Threads  Safe.
/// Cost     0.1 µs a job in batches, 0.5 µs alone (bench/generator_benchmark). A move looks at all
///          outstanding jobs. Look copies under
///          the lock, about 0.1 ms with 100 000 jobs outstanding, and computes without it.
class Generator {
 public:
  static constexpr std::size_t kOutstandingMax = 100'000;
  static constexpr std::size_t kMostKinds = 1000;

  /// The clock is a parameter for tests.
  Generator(std::string queue, std::string frontend, Instant start, Instant (*clock)() = &Now);

  // ---- for people (pages)

  /// Ends a profile.
  void SetParallelism(std::uint32_t parallelism);

  /// Begins a profile, in place of what was asked for before.
  /// Errors   kResourceExhausted: more than kMostKinds kinds of jobs since the start.
  Status SetProfile(std::shared_ptr<const Profile> profile);

  /// Jobs outstanding at which due jobs of an open loop wait.
  void SetOutstandingMax(std::size_t most);

  /// How long a CPU quota has held the generator's cgroup up until now. Call it before each Look:
  /// what held it up since the last call spoils the window.
  void Observe(Duration throttled);

  void Reset();
  [[nodiscard]] std::uint32_t parallelism() const;
  [[nodiscard]] std::size_t outstanding() const;
  [[nodiscard]] Snapshot Look() const;

  // ---- for a run that is recorded

  /// Records the profile that is set next, from its first instant.
  void RecordNext(WarmUp warm_up);

  /// How far the load is, at little cost.
  [[nodiscard]] RunState State() const;

  /// As Look, with the estimate and times of the record: after the warm-up once it is over.
  [[nodiscard]] Snapshot LookRecorded() const;

  /// Ends the load: nothing more is sent, answers are still taken.
  void EndLoad();

  /// What was recorded, with what is known to have spoiled it; nullopt: the load has not begun.
  /// Call it after EndLoad.
  [[nodiscard]] std::optional<Recorder> Recorded() const;

  // ---- for the session

  /// A stream is up: submits unanswered jobs again, but for those on streams that were left, and
  /// starts the missing ones. Returns how many were submitted again.
  std::size_t Connected(std::shared_ptr<JobSink> sink);

  /// The frontend of `stream` says that the queue has moved, and gives these jobs back. If it is
  /// the stream that is up, it is left: it takes no more. Others are submitted again at once.
  void Moved(const JobSink& stream, std::span<const LoadLoop::Tag> given_back);

  /// `stream` has ended. If it is the one that is up, the frontend is lost; if it was left, its
  /// jobs are submitted again on the one that is up. Returns how many jobs had no answer.
  std::size_t Ended(const JobSink& stream);

  /// No stream is up, and none can be made.
  void Disconnected();

  /// A batch of answers (REQUIRES: rpc::Check has passed). Returns when to call Tick, if at all.
  std::optional<Instant> OnReply(const v1::SubmitReply& reply);

  /// Submits held-back jobs that are due. Returns when to call Tick again, if at all.
  std::optional<Instant> Tick();

  /// Submits nothing from now on.
  void Finish();

 private:
  template <typename Change>
  std::optional<Instant> Do(const Change& change);

  bool EndAll(const v1::ResultBatch& batch, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<JobSink> StartMissing(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool SubmitAgain(LoadLoop::Tag tag) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lose(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeginLoad(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FollowProfile(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SendDue(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<std::vector<std::uint32_t>> KindsOf(const Profile& profile)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Instant> NextTick(Instant now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<Instant> InFlight() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DescribeLoad(Instant now, Snapshot& snapshot) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant.
  const std::string queue_;
  const std::string frontend_;
  Instant (*const clock_)();

  mutable Mutex mutex_;
  LoadLoop loop_ ABSL_GUARDED_BY(mutex_);
  Accounts accounts_ ABSL_GUARDED_BY(mutex_);
  Link link_ ABSL_GUARDED_BY(mutex_) = Link::kConnecting;
  std::shared_ptr<JobSink> sink_ ABSL_GUARDED_BY(mutex_);
  LeftJobs left_ ABSL_GUARDED_BY(mutex_);
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::vector<LoadLoop::Tag>> to_submit_ ABSL_GUARDED_BY(mutex_){1};  // by kind

  // Kinds of jobs since the start: jobs without an answer may be of any. The first is the
  // session's.
  std::vector<std::shared_ptr<const JobTemplate>> kinds_ ABSL_GUARDED_BY(mutex_){nullptr};

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
  std::optional<Instant> lost_since_ ABSL_GUARDED_BY(mutex_);
  std::optional<Instant> lost_before_ ABSL_GUARDED_BY(mutex_);  // a stream without an answer so far
  std::optional<Duration> throttled_ ABSL_GUARDED_BY(mutex_);   // as it was observed last
  Instant observed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::load
