#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "frontend/queues/queue_set.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// What is remembered of a reply until it leaves.
struct ReplyNotes {
  std::int64_t volatile_ends = 0;  ///< volatile jobs that it ends
  std::uint64_t worker = 0;        ///< WorkerIdentity::number of its last row; 0: none
  std::uint32_t worker_index = 0;  ///< that worker in its table

  void clear() { *this = {}; }
};

/// One client's Submit stream: jobs in, their ends out.
///
/// Threads  See rpc::ServerStream and endpoints.h.
class ClientSession final
    : public rpc::ServerStream<v1::SubmitRequest, v1::SubmitReply, ReplyNotes>,
      public Submitter {
 public:
  /// `can_follow`: the client is told who serves a queue that is served elsewhere; else, that it
  /// asks again where it came from.
  ClientSession(QueueSet& queues, queue::SubmitterId id, bool can_follow = true);

  void OnAccepted(std::uint64_t tag, queue::JobId job) override;
  void OnGivenBack(const std::string& queue, std::uint64_t tag) override;
  void OnDurableMoved(std::uint8_t queue, const std::vector<TaggedJob>& unfinished) override;
  void OnEndElsewhere(std::uint64_t tag, const v1::Job& ended) override;
  void OnLostElsewhere(const std::string& queue, std::uint64_t tag) override;
  void OnOthersStarted(std::uint64_t more) override { others_started_ += more; }
  void OnReply(const queue::Reply& reply, const WorkerIdentity* worker) override;
  void OnStanding(const queue::Standing& standing) override;
  void Flush() override;

 private:
  // What a batch's entry in `options` means here.
  struct Target {
    QueueHost* host = nullptr;
    std::shared_ptr<const queue::JobOptions> options;
    std::string error;  ///< why its jobs are rejected; empty if they are not
    v1::RunPlace place;
  };

  void OnOpen() override;
  void OnMessage(const v1::SubmitRequest& request) override;
  void OnWrite(const v1::SubmitReply& reply, const ReplyNotes& notes) override;
  void OnHalfClosed() override;
  void OnGone() override;

  void Resolve(const v1::SubmitRequest& request);
  Target MakeTarget(const v1::JobOptions& options);
  void Came(std::uint64_t moved_epoch);
  void SayShards(const QueueHost& queue);
  void Submit(const v1::SubmitRequest& request);
  bool SubmitOne(const rpc::JobRow& row, const Target& target, QueueHost::Turn& turn);
  void SendAway();
  std::uint64_t NewestEpoch(const std::string& queue);
  void SendAway(const v1::Moved& where, const std::vector<std::uint64_t>& tags);
  void CountDurable(std::uint8_t queue, std::int64_t more);
  bool AwaitsDurable();
  void CloseIfDone();
  v1::ResultBatch& ResultsOf(v1::SubmitReply& message) const;
  void Reject(std::uint64_t tag, const Status& why);
  void Reject(std::uint64_t tag, std::string_view error, Duration retry_after);
  std::shared_ptr<Submitter> Self();

  QueueSet& queues_;
  const queue::SubmitterId id_;
  const bool can_follow_;

  // Used by OnMessage only.
  std::vector<Target> targets_;
  std::string first_options_;   ///< of targets_[0], serialized: a client sends the same again
  std::uint64_t load_key_ = 0;  ///< see SubmitRequest
  bool said_shards_ = false;
  std::size_t reason_bytes_ = 0;  ///< of the refusals of this message

  /// Volatile jobs whose ends were not written, and jobs that are given back. Counted for each
  /// message, as a job would pay for an atomic instruction.
  std::atomic<std::int64_t> outstanding_ = 0;
  std::atomic<bool> half_closed_ = false;
  std::atomic<std::uint64_t> others_started_ = 0;  ///< see SubmitReply

  Mutex mutex_;
  /// Under which others serve their queues, as the client knows.
  std::map<std::string, std::uint64_t> moved_epochs_ ABSL_GUARDED_BY(mutex_);
  /// Durable jobs that have not ended, by the numbers of their queues.
  std::map<std::uint8_t, std::int64_t> durable_ ABSL_GUARDED_BY(mutex_);
  std::int64_t elsewhere_ ABSL_GUARDED_BY(mutex_) = 0;  // durable jobs that have moved away
  /// Jobs to be told where their queue is served, by queue.
  std::map<std::string, std::vector<std::uint64_t>> given_back_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::frontend
