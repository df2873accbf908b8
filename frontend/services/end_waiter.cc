#include "frontend/services/end_waiter.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <utility>

namespace twofold::frontend {
namespace {

// A queue that has moved twice is not known everywhere at once.
constexpr int kMostFollows = 100;
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

void EndWaiter::Start(QueueHost::Turn& turn, queue::JobId job) {
  job_ = job;
  number_ = queues_.finished().WhenFinished(job, [self = shared_from_this()](v1::Job ended) {
    ended.set_queue(self->host_.name());
    self->Answer(std::move(ended));
  });
  if (CanFollow()) turn.Stay(shared_from_this());
  turn.Then(
      [self = shared_from_this()] { self->who_.call->WhenCancelled([self] { self->Stop(); }); });
}

void EndWaiter::Answer(Result<v1::Job> answer) {
  done_(std::move(answer));
  Stop();
}

void EndWaiter::Stop() {
  stopped_.request_stop();
  queues_.finished().StopWaiting(job_, number_);
  if (CanFollow()) QueueHost::Turn(host_, Now()).Leave(this);
}

void EndWaiter::Flush() {
  if (moved_.exchange(false) && !EndsHere()) Follow();
}

/// Then it stays among those who want to know if the queue comes back and goes again.
bool EndWaiter::EndsHere() {
  QueueHost::Turn turn(host_, Now());
  const bool ends_here = turn.EndsHere(job_);
  if (ends_here) turn.Stay(shared_from_this());
  return ends_here;
}

/// Goes where the queue is served, which may be here again, until the end is told.
Detached EndWaiter::Follow() {
  const std::shared_ptr<EndWaiter> self = shared_from_this();
  Status why;
  for (int tries = 0; tries < kMostFollows && !stopped_.stop_requested(); ++tries) {
    const Later<Peers::Answerer> search = who_.peers->Find(host_.name(), host_.NextEpoch());
    const Result<Peers::Answerer> answerer = co_await search;
    if (!answerer.ok()) co_return GiveUp(answerer.status());
    why = co_await FollowAt(*answerer);
    if (!why.ok() && !absl::IsUnavailable(why)) co_return GiveUp(why);
    const Later<> rest([&](auto done) {
      who_.peers->loop().PostAfter(kPause, [done = std::move(done)] { done(absl::OkStatus()); });
    });
    const Status rested = co_await rest;
    if (!rested.ok()) co_return;
  }
  if (!stopped_.stop_requested()) GiveUp(why);
}

/// Listens to what the job does until the stream ends, however that is.
Task<Status> EndWaiter::FollowAt(Peers::Answerer answerer) {
  if (answerer.address.empty()) {
    const Owner here = queues_.directory()->Find(host_.name());
    answerer = {.address = here.peer.client_address, .epoch = here.epoch};
  }
  v1::FollowJobRequest request;
  request.set_id(static_cast<std::uint64_t>(job_));
  return who_.peers->Stream<v1::FollowJobRequest, v1::JobUpdate>(
      std::move(answerer), "/twofold.v1.Clients/FollowJob", std::move(request), who_.caller,
      stopped_.get_token(), [self = shared_from_this()](const v1::JobUpdate& update) {
        if (update.job().state() == v1::JOB_STATE_FINISHED) self->Answer(update.job());
      });
}

void EndWaiter::GiveUp(const Status& why) {
  Answer(absl::UnavailableError(
      absl::StrCat("the queue went to another frontend; look there what "
                   "has become of job ",
                   static_cast<std::uint64_t>(job_), ": ", std::string(why.message()))));
}

}  // namespace twofold::frontend
