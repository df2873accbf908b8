#pragma once

#include <fnmatch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/queue/types.h"
#include "twofold/v1/queue.pb.h"

/// What a queue host talks to: the ends of streams, seen from the queue. No gRPC here, so tests use
/// plain fakes.
///
/// Threads  The On... methods are called with the queue's lock held, those about durable jobs by
///          the journal's thread instead: they put into an outbox and return, and never call the
///          host. Flush is called without the lock, after a turn in which an On... method was
///          called.
namespace twofold::frontend {

/// The other side of something that gathers messages.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual void Flush() = 0;
};

/// Who a worker process is.
struct WorkerIdentity {
  std::string node;
  std::string pod;
  std::string device = {};
  std::string address = {};
  std::map<std::string, std::string> labels = {};
  std::uint16_t peers_port = 0;  ///< where it serves other members of a gang; 0: nowhere
  std::uint64_t number = 0;      ///< tells those who have joined apart, of all queues; 0: none
};

/// Which workers are meant, by name: shell patterns, empty for any.
struct WorkerPattern {
  std::string node;
  std::string pod;

  [[nodiscard]] bool Matches(const WorkerIdentity& worker) const {
    const auto fits = [](const std::string& pattern, const std::string& name) {
      return pattern.empty() || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    return fits(node, worker.node) && fits(pod, worker.pod);
  }

  bool operator==(const WorkerPattern&) const = default;
};

/// Wants to know when the queue is not served here any more.
class Resident : public Endpoint {
 public:
  /// It is not. This was the last call.
  virtual void OnMoved() = 0;
};

struct TaggedJob {
  queue::JobId id;
  std::uint64_t tag;  ///< its submitter's
};

/// Gets the ends of the jobs it submitted.
class Submitter : public Endpoint {
 public:
  /// A durable job is on disk.
  virtual void OnAccepted(std::uint64_t tag, queue::JobId job) = 0;
  /// The queue is not served here any more. The job was not started, or what it has done does not
  /// count: it goes to the frontend that serves the queue now.
  virtual void OnGivenBack(const std::string& queue, std::uint64_t tag) = 0;
  /// The queue with this number in its jobs' ids is not served here any more. Of its durable jobs
  /// those in `unfinished` are awaited: for each, one of the two calls after this one follows.
  virtual void OnDurableMoved(std::uint8_t queue, const std::vector<TaggedJob>& unfinished) = 0;
  /// Called without the queue's lock.
  virtual void OnEndElsewhere(std::uint64_t tag, const v1::Job& ended) = 0;
  /// The job was never on disk: it goes to the frontend that serves the queue now. Called without
  /// the queue's lock.
  virtual void OnLostElsewhere(const std::string& queue, std::uint64_t tag) = 0;
  /// So many more jobs of others were handed to workers (see SubmitReply.others_started). Comes
  /// before OnReply, if there are any.
  virtual void OnOthersStarted(std::uint64_t /*more*/) {}
  /// `worker` is nullptr if no worker ever had the job.
  virtual void OnReply(const queue::Reply& reply, const WorkerIdentity* worker) = 0;
  /// How its jobs in the queue stand at the end of a turn in which some have ended.
  virtual void OnStanding(const queue::Standing& /*standing*/) {}
};

/// What the members of a gang know of each other.
struct GangPlan {
  queue::JobId job;
  queue::Attempt attempt;
  std::vector<WorkerIdentity> peers;  ///< by rank
  std::string secret;                 ///< 32 bytes
};

/// QueueOptions::unsent_limit: so many bytes of specs a worker is given before the core hears that
/// it was sent them (Turn::Sent). As half as many may still wait then, what waits for a worker is
/// one and a half times this at most, and the last spec; twice this if its jobs are durable, as
/// these go to the disk first.
inline constexpr std::uint64_t kUnsentBytes = 2 << 20;

/// A connected worker process.
class WorkerEndpoint : public Endpoint {
 public:
  /// `gang` is nullptr for a job that is no gang; else assign.seat has the rank.
  virtual void OnAssign(const queue::Assign& assign, const GangPlan* gang) = 0;
  /// Turn::Sent is due once this has been sent and no more than half of kUnsentBytes waits.
  virtual void OnAskSent() = 0;
  virtual void OnGo(const queue::Held& member) = 0;
  virtual void OnCancelAttempt(const queue::Held& attempt) = 0;
  /// The result of a durable job is on disk, or refused: the worker need not keep it.
  virtual void OnKept(const queue::Held& attempt) = 0;
  /// Somebody wants to see what the attempt prints, or nobody does any more.
  virtual void OnFollow(const queue::Held& attempt, bool follow) = 0;
  /// Finish what you have, then leave.
  virtual void OnDrain() = 0;
  /// Join this queue, wherever it is served, with all that you hold. It is the queue of the worker,
  /// which is not served here any more, or another shard of it, which needs workers.
  virtual void OnMoved(const std::string& queue) = 0;
  /// The same process has connected again: this stream is history.
  virtual void OnReplaced() = 0;
  /// The process was not heard of for too long while it had nothing: it does not count any more,
  /// and may connect again.
  virtual void OnSilent() = 0;
};

}  // namespace twofold::frontend
