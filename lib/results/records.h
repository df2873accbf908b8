#pragma once

#include <google/protobuf/arena.h>
#include <google/protobuf/util/message_differencer.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/common/instant.h"
#include "lib/queue/types.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::v1 {

/// The same in every field.
///
/// Cost     Looks up each field: not for where work is done.
template <std::derived_from<google::protobuf::Message> Message>
bool operator==(const Message& a, const Message& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

}  // namespace twofold::v1

/// What has happened to durable jobs, as values: the journal takes them, a Store keeps them. So are
/// volatile jobs that wait while their queue goes from one frontend to the next.
///
/// Strings called opaque are kept and given back unread. Wall clock times (`_unix_ns`) are of the
/// frontend, nanoseconds since 1970; they are for people and for retention, never for order.
namespace twofold::results {

/// A job as its frontend names it: the number of its queue in the highest byte, below it the job's
/// sequence. The number may change from one start of the frontend to the next, so a queue is stored
/// by name. No two jobs of one store have the same id, and 0 is no job.
using JobId = std::uint64_t;

/// See queue::LowestId.
constexpr JobId LowestId(std::uint8_t queue_number) {
  return static_cast<JobId>(queue::LowestId(queue_number));
}

/// The order of a queue's jobs: what is below the number of the queue.
constexpr std::uint64_t SequenceOf(JobId job) { return job & ~LowestId(0xff); }

/// The ids of a partition's jobs, as a file has them.
constexpr std::int64_t FirstOf(std::uint8_t partition) {
  return static_cast<std::int64_t>(LowestId(partition));
}
constexpr std::int64_t LastOf(std::uint8_t partition) {
  return static_cast<std::int64_t>(LowestId(partition) | SequenceOf(~JobId{0}));
}

/// The lowest id in the order of the file, where ids are signed numbers. No job has it.
inline constexpr JobId kBeforeAllJobs = JobId{1} << 63;

/// A job was taken in. It waits.
struct JobAccepted {
  JobId id = 0;
  std::string queue = {};
  std::string run = {};     ///< the id of the run it belongs to; empty: none
  v1::RunPlace place = {};  ///< in that run; REQUIRES: nothing in it without a run
  std::string suite = {};
  std::int32_t priority = 0;
  std::string options = {};  ///< opaque
  std::string spec = {};     ///< opaque
  std::int64_t accepted_unix_ns = 0;

  bool operator==(const JobAccepted&) const = default;
};

/// One worker of an attempt.
struct Member {
  JobId member_job = 0;  ///< by which the worker knows it; of a job that is no gang: the job
  std::uint64_t process_key = 0;
  std::string node = {};
  std::string pod = {};
  std::string device = {};

  bool operator==(const Member&) const = default;
};

/// An attempt was handed out. The job runs.
struct AttemptStarted {
  JobId job = 0;
  std::uint32_t attempt = 0;        ///< from 1
  std::uint32_t lost_attempts = 0;  ///< earlier ones that vanished with their workers
  std::int64_t started_unix_ns = 0;
  std::vector<Member> members = {};  ///< by rank; at least one

  bool operator==(const AttemptStarted&) const = default;
};

/// The attempt came to nothing. The job waits again.
struct AttemptGivenUp {
  JobId job = 0;
  std::uint32_t attempt = 0;
  std::uint32_t lost_attempts = 0;

  bool operator==(const AttemptGivenUp&) const = default;
};

/// What a benchmark has measured, or nothing. Copies share it; equal ones compare equal.
class SharedBenchmark {
 public:
  SharedBenchmark() = default;
  explicit SharedBenchmark(v1::BenchmarkResult result)
      : result_(std::make_shared<const v1::BenchmarkResult>(std::move(result))) {}

  /// What these bytes are; nothing if they are none. It is in memory of its own that is freed in
  /// one go: a result is some hundred small messages.
  static SharedBenchmark Parse(const std::string& bytes) {
    const auto arena = std::make_shared<google::protobuf::Arena>();
    auto* const result = google::protobuf::Arena::CreateMessage<v1::BenchmarkResult>(arena.get());
    SharedBenchmark parsed;
    if (result->ParseFromString(bytes)) parsed.result_ = {arena, result};
    return parsed;
  }

  /// nullptr: nothing.
  [[nodiscard]] const v1::BenchmarkResult* get() const { return result_.get(); }

  friend bool operator==(const SharedBenchmark& a, const SharedBenchmark& b) {
    if (a.result_ == b.result_) return true;
    return a.result_ && b.result_ && *a.result_ == *b.result_;
  }

 private:
  std::shared_ptr<const v1::BenchmarkResult> result_;
};

/// The job has ended, from whatever state it was in.
struct JobEnded {
  JobId job = 0;
  queue::Outcome outcome = queue::Outcome::kSucceeded;
  std::uint32_t attempts = 0;
  Duration wait{0};
  Duration run_time{0};
  Duration total{0};
  std::string node = {};  ///< who had the last attempt (of a gang: rank 0); empty: nobody
  std::string pod = {};
  std::string device = {};
  std::string report = {};  ///< opaque
  std::string reason = {};  ///< of ends that the frontend decided; else empty
  std::int64_t ended_unix_ns = 0;
  SharedBenchmark benchmark = {};  ///< what the report had of it, and has no more
  std::string refused = {};        ///< why what looks like a benchmark's result was left in there

  bool operator==(const JobEnded&) const = default;
};

/// A volatile job that the last frontend of its queue had left here, as accepted and waiting, is
/// with the next one: nothing is kept of it any more.
struct JobTaken {
  JobId job = 0;

  bool operator==(const JobTaken&) const = default;
};

/// A finished job was submitted again, as another one.
struct JobRequeued {
  JobId from = 0;
  JobId to = 0;

  bool operator==(const JobRequeued&) const = default;
};

/// Sequences up to this one were given out in the queue; they are not used again, even when no job
/// that has one is left. A lower one than before changes nothing.
struct SequenceUsed {
  std::string queue = {};
  std::uint64_t sequence = 0;

  bool operator==(const SequenceUsed&) const = default;
};

/// A run was begun. A run whose first job comes before, or that is never begun, is there as well,
/// with nothing but its id.
struct RunCreated {
  /// Its id, name, kind, definition, labels, planned jobs, plan, and when it was created.
  v1::Run run = {};
  std::vector<v1::Permutation> permutations = {};

  bool operator==(const RunCreated&) const = default;
};

/// Somebody asked for the end of a run. The ends of its jobs are records of their own.
struct RunCancelled {
  std::string run = {};
  std::int64_t cancelled_unix_ns = 0;

  bool operator==(const RunCancelled&) const = default;
};

/// Somebody wants a run gone, with its finished jobs and what they have measured: so many jobs of
/// it now, and the run with the last one. Nothing is deleted of a run that has unfinished jobs.
struct RunDeleted {
  std::string run = {};
  std::size_t at_most = 0;

  bool operator==(const RunDeleted&) const = default;
};

/// Somebody has paused, drained or resumed a queue that several frontends share: how it is now, for
/// the next one that serves it. Kept by a PostgresStore with a fence; other stores pass it over.
struct QueueHalted {
  bool paused = false;  ///< it hands out nothing
  bool drains = false;  ///< it takes in nothing

  bool operator==(const QueueHalted&) const = default;
};

using Record =
    std::variant<JobAccepted, AttemptStarted, AttemptGivenUp, JobEnded, JobRequeued, SequenceUsed,
                 RunCreated, RunCancelled, QueueHalted, RunDeleted, JobTaken>;

/// About what the record takes in memory and on disk.
std::size_t ByteSize(const Record& record);

}  // namespace twofold::results
