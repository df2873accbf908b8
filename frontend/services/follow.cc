#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/queues/watchers.h"
#include "frontend/services/job_calls.h"
#include "frontend/services/lookup.h"
#include "frontend/services/routed_stream.h"

namespace twofold::frontend {
namespace {

using FollowCall = RoutedStream<v1::FollowJobRequest, v1::JobUpdate>;
constexpr std::size_t kMostWaiting = 4 << 20;

class Follower final : public FollowCall, public Watcher {
 public:
  Follower(const QueueSet& queues, ReaderPool& readers, Peers* peers, const Caller& caller)
      : RoutedStream("/twofold.v1.Clients/FollowJob", peers, caller),
        queues_(queues),
        readers_(readers) {}

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
      // A message of its own: another member's output is not mixed with it.
      return std::max(data.size(), rpc::kMessageBytes);
    });
  }

  void OnMoved() override { moved_ = true; }

  bool wants_output() const override { return output_; }

  void Flush() override {
    FollowCall::Flush();
    if (finished_) over_.Give(absl::OkStatus());
    if (moved_) over_.Give(absl::UnavailableError("its queue is served elsewhere, ask again"));
  }

 private:
  void OnRequest(const v1::FollowJobRequest& request) override {
    job_ = queue::JobId{request.id()};
    output_ = request.output();
    Answer(request, queues_.NameOf(job_));
  }

  Task<Status> Here(const v1::FollowJobRequest& /*request*/) override {
    if (!Watch()) co_return co_await ShowEnd();
    const Status end = co_await over_;
    Unwatch();
    co_return end;
  }

  /// What the caller does not take in time is left out here.
  void PassOn(const v1::JobUpdate& update) override {
    const bool has_output = !update.output().empty();
    if (!has_output) missed_ += update.output_missed();
    if (update.has_job()) OnJob(update.job());
    if (has_output) OnOutput(update.rank(), update.output(), update.output_missed());
    Flush();
    if (finished_) Close(absl::OkStatus());  // however the stream there ends
  }

  /// A volatile job that ran when its queue went ends where it was.
  [[nodiscard]] bool MayBeElsewhere() const override { return !IsDurable(job_); }

  /// False: the queue has no such job.
  bool Watch() {
    QueueHost* host = queues_.Owner(job_);
    if (host == nullptr) return false;
    QueueHost::Turn turn(*host, Now());
    if (!turn.EndsHere(job_)) return false;
    turn.Watch(job_, {shared_from_this(), static_cast<Watcher*>(this)});
    return true;
  }

  void Unwatch() {
    if (QueueHost* host = queues_.Owner(job_)) QueueHost::Turn(*host, Now()).Unwatch(job_, this);
  }

  /// It may have ended: then that is all there is to see.
  Task<Status> ShowEnd() {
    OnPool where_it_is(IsDurable(job_) ? &readers_ : nullptr);
    const Status entered = co_await where_it_is;
    if (!entered.ok()) co_return entered;
    const Result<v1::Job> ended = FindJob(queues_, static_cast<std::uint64_t>(job_));
    if (!ended.ok()) co_return ended.status();
    OnJob(*ended);
    if (!finished_) co_return absl::UnavailableError("the job is just ending, ask again");
    Flush();
    co_return absl::OkStatus();
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

std::shared_ptr<rpc::ByteStream> MakeFollower(const QueueSet& queues, ReaderPool& readers,
                                              Peers* peers, const Caller& caller) {
  return std::make_shared<Follower>(queues, readers, peers, caller);
}

}  // namespace twofold::frontend
