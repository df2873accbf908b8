#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "frontend/cluster/peers.h"
#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/rpc/unary.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Answers a SubmitJob call when its job ends. A job whose queue goes to another frontend meanwhile
/// is followed there, unless it runs and is volatile, and so ends here. The caller may lose
/// patience before; the job goes on.
///
/// Threads  Start once; Answer from any thread, outside of turns.
/// Errors   the answer is kUnavailable if nobody serves the queue, or the job is not there: then it
///          was not on disk when the queue went.
class EndWaiter final : public Resident, public std::enable_shared_from_this<EndWaiter> {
 public:
  /// Who waits.
  struct Who {
    std::shared_ptr<rpc::UnaryCall<v1::SubmitJobRequest, v1::Job>> call;
    Peers* peers = nullptr;  ///< null: there are no others
    Caller caller;
  };

  /// `host` has the job's queue. All outlive the call. Of several calls of `done` the first counts.
  EndWaiter(const QueueSet& queues, QueueHost& host, Who who,
            std::function<void(Result<v1::Job>)> done)
      : queues_(queues), host_(host), who_(std::move(who)), done_(std::move(done)) {}

  /// In the turn that submits the job, which is served.
  void Start(QueueHost::Turn& turn, queue::JobId job);

  /// Comes before the end. The first answer wins.
  void Answer(Result<v1::Job> answer);

  void OnMoved() override { moved_ = true; }
  void Flush() override;

 private:
  [[nodiscard]] bool CanFollow() const { return who_.peers != nullptr; }
  [[nodiscard]] bool EndsHere();
  void Stop();
  Detached Follow();
  Task<Status> FollowAt(Peers::Answerer answerer);
  void GiveUp(const Status& why);

  const QueueSet& queues_;
  QueueHost& host_;
  const Who who_;
  const std::function<void(Result<v1::Job>)> done_;
  queue::JobId job_{0};
  std::uint64_t number_ = 0;  // among those who wait for the ends of jobs
  std::atomic<bool> moved_ = false;
  std::stop_source stopped_;  // it is answered, or the caller has gone
};

}  // namespace twofold::frontend
