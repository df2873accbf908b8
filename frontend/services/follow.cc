#include <atomic>
#include <string_view>
#include <utility>

#include "frontend/queues/watchers.h"
#include "frontend/services/job_calls.h"
#include "frontend/services/lookup.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/unary.h"

namespace twofold::frontend {
namespace {

using FollowCall = rpc::ServerStream<v1::FollowJobRequest, v1::JobUpdate>;
constexpr std::size_t kMessageBytes = rpc::Outbox<v1::JobUpdate>::kMessageBytes;
constexpr std::size_t kMostWaiting = 64 * kMessageBytes;

class Follower final : public rpc::OneRequestCall<v1::FollowJobRequest, v1::JobUpdate>,
                       public Watcher {
 public:
  Follower(const QueueSet& queues, ReaderPool& readers) : queues_(queues), readers_(readers) {}

  void OnJob(const v1::Job& job) override {
    const bool finished = job.state() == v1::JOB_STATE_FINISHED;
    Add([&](v1::JobUpdate& update) {
      *update.mutable_job() = job;
      if (finished && missed_ > 0) update.set_output_missed(std::exchange(missed_, 0));
      return job.ByteSizeLong();
    });
    finished_ = finished;
  }

  void OnOutput(std::uint32_t rank, std::string_view data, std::uint64_t missed) override {
    missed += std::exchange(missed_, 0);
    if (waiting_bytes() + data.size() > kMostWaiting) {
      missed_ = missed + data.size();
      return;
    }
    Add([&](v1::JobUpdate& update) {
      update.set_rank(rank);
      update.mutable_output()->assign(data);
      update.set_output_missed(missed);
      return kMessageBytes;  // a message of its own: another member's output is not mixed with it
    });
  }

  void OnMoved() override { moved_ = true; }

  bool wants_output() const override { return output_; }

  void Flush() override {
    FollowCall::Flush();
    if (finished_) Close(grpc::Status::OK);
    if (moved_) Close({grpc::StatusCode::UNAVAILABLE, "its queue is served elsewhere, ask again"});
  }

 private:
  void OnRequest(const v1::FollowJobRequest& request) override {
    job_ = queue::JobId{request.id()};
    output_ = request.output();
    if (Watch()) return;
    // It may have ended: then that is all there is to see.
    if (!IsDurable(job_)) return ShowEnd();
    const bool posted = readers_.Post([this, self = shared_from_this()] { ShowEnd(); });
    if (!posted) Close(ReaderPool::Refusal());
  }

  void OnGone() override {
    if (QueueHost* host = queues_.Owner(job_)) QueueHost::Turn(*host, Now()).Unwatch(job_, this);
  }

  /// False: the queue has no such job.
  bool Watch() {
    QueueHost* host = queues_.Owner(job_);
    if (host == nullptr) return false;
    QueueHost::Turn turn(*host, Now());
    if (!turn.core().Find(turn.now(), job_)) return false;
    turn.Watch(job_, {shared_from_this(), static_cast<Watcher*>(this)});
    return true;
  }

  void ShowEnd() {
    const Result<v1::Job> ended = FindJob(queues_, static_cast<std::uint64_t>(job_));
    if (!ended.ok()) return Close(rpc::ToGrpc(ended.status()));
    OnJob(*ended);
    if (finished_) return Flush();
    Close({grpc::StatusCode::UNAVAILABLE, "the job is just ending, ask again"});
  }

  const QueueSet& queues_;
  ReaderPool& readers_;
  queue::JobId job_{0};
  bool output_ = false;
  std::uint64_t missed_ = 0;  // by OnOutput, and by the last OnJob
  std::atomic<bool> finished_ = false;
  std::atomic<bool> moved_ = false;
};

}  // namespace

std::shared_ptr<FollowCall> MakeFollower(const QueueSet& queues, ReaderPool& readers) {
  return std::make_shared<Follower>(queues, readers);
}

}  // namespace twofold::frontend
