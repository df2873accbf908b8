#include "frontend/services/follow.h"

#include <memory>
#include <mutex>
#include <utility>

#include "frontend/queues/watchers.h"
#include "frontend/services/job_lookup.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/outbox.h"
#include "lib/rpc/wire.h"

namespace twofold::frontend {
namespace {

/// One FollowJob call. Output that its reader does not take in time is left out and counted.
///
/// Keeps itself alive until gRPC is done with it.
class Follower final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                       public Watcher,
                       public std::enable_shared_from_this<Follower> {
 public:
  Follower(const QueueSet& queues, std::shared_ptr<void> place)
      : queues_(queues), place_(std::move(place)) {}

  void Start(const grpc::ByteBuffer& bytes, const grpc::Status& refusal) {
    self_ = shared_from_this();
    if (place_ == nullptr) return End(refusal);
    v1::FollowJobRequest request;
    if (Status status = rpc::Parse(bytes, request); !status.ok()) return End(rpc::ToGrpc(status));
    job_ = queue::JobId{request.id()};
    output_ = request.output();
    if (Watch()) return;
    // It may have ended: then that is all there is to see.
    const Result<v1::Job> ended = FindJob(queues_, request.id());
    if (!ended.ok()) return End(rpc::ToGrpc(ended.status()));
    OnJob(*ended);
    if (ended->state() == v1::JOB_STATE_FINISHED) return Flush();
    End({grpc::StatusCode::UNAVAILABLE, "the job is just ending, ask again"});
  }

  void OnJob(const v1::Job& job) override {
    const bool finished = job.state() == v1::JOB_STATE_FINISHED;
    outbox_.Add([&](v1::JobUpdate& update) {
      *update.mutable_job() = job;
      if (finished && missed_ > 0) update.set_output_missed(std::exchange(missed_, 0));
      return job.ByteSizeLong();
    });
    const std::lock_guard lock(mutex_);
    finished_ = finished;
  }

  void OnOutput(std::uint32_t rank, std::string_view data, std::uint64_t missed) override {
    missed += std::exchange(missed_, 0);
    if (outbox_.waiting_bytes() + data.size() > kMostWaiting) {
      missed_ = missed + data.size();
      return;
    }
    outbox_.Add([&](v1::JobUpdate& update) {
      update.set_rank(rank);
      update.mutable_output()->assign(data);
      update.set_output_missed(missed);
      // A message of its own: another member's output must not be mixed with it.
      return rpc::Outbox<v1::JobUpdate>::kMessageBytes;
    });
  }

  bool wants_output() const override { return output_; }

  void Flush() override {
    Do(outbox_.Flush());
    bool finished = false;
    {
      const std::lock_guard lock(mutex_);
      finished = finished_;
    }
    if (finished) End(grpc::Status::OK);
  }

 private:
  static constexpr std::size_t kMostWaiting = 64 * rpc::Outbox<v1::JobUpdate>::kMessageBytes;

  /// False: the queue has no such job.
  bool Watch() {
    QueueHost* host = queues_.Owner(job_);
    if (host == nullptr) return false;
    QueueHost::Turn turn(*host, Now());
    if (!turn.core().Find(Now(), job_)) return false;
    turn.Watch(job_, shared_from_this());
    return true;
  }

  void End(grpc::Status status) {
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(has_status_, true)) status_ = std::move(status);
    }
    Do(outbox_.Close());
  }

  void OnWriteDone(bool ok) override { Do(outbox_.EndWrite(ok)); }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(has_status_, true)) status_ = grpc::Status::CANCELLED;
    }
    Do(outbox_.Abort());
  }

  void OnDone() override {
    if (QueueHost* host = queues_.Owner(job_)) {
      QueueHost::Turn(*host, Now()).Unwatch(job_, this);
    }
    place_.reset();
    self_.reset();
  }

  void Do(rpc::Next next) {
    if (next == rpc::Next::kWrite) {
      written_ = rpc::Serialize(outbox_.Writing());
      StartWrite(&written_);
    }
    if (next != rpc::Next::kFinish) return;
    grpc::Status status;
    {
      const std::lock_guard lock(mutex_);
      status = status_;
    }
    Finish(status);
  }

  const QueueSet& queues_;
  std::shared_ptr<void> place_;
  std::shared_ptr<Follower> self_;
  queue::JobId job_{0};
  bool output_ = false;
  rpc::Outbox<v1::JobUpdate> outbox_;
  grpc::ByteBuffer written_;
  std::uint64_t missed_ = 0;  // by OnOutput, and by the last OnJob
  std::mutex mutex_;
  grpc::Status status_;
  bool has_status_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* FollowJob(const QueueSet& queues,
                                                      const grpc::ByteBuffer& request,
                                                      std::shared_ptr<void> place,
                                                      const grpc::Status& refusal) {
  const auto follower = std::make_shared<Follower>(queues, std::move(place));
  follower->Start(request, refusal);
  return follower.get();
}

}  // namespace twofold::frontend
