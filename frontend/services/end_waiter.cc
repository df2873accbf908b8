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
  std::function<void()> cancel;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    cancel.swap(cancel_);
  }
  if (cancel) cancel();
  queues_.finished().StopWaiting(job_, number_);
  if (CanFollow()) QueueHost::Turn(host_, Now()).Leave(this);
}

bool EndWaiter::IsStopped() {
  const MutexLock lock(mutex_);
  return stopped_;
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

/// Where the queue is served now: that may be here again.
void EndWaiter::Follow() {
  if (IsStopped()) return;
  who_.peers->Find(host_.name(), host_.NextEpoch(),
                   [self = shared_from_this()](const Result<Peers::Place>& place) {
                     if (!place.ok()) return self->GiveUp(std::string(place.status().message()));
                     const Owner owner = self->queues_.directory()->Find(self->host_.name());
                     place->address.empty() ? self->FollowAt(owner.peer.client_address, owner.epoch)
                                            : self->FollowAt(place->address, place->epoch);
                   });
}

void EndWaiter::FollowAt(const std::string& address, std::uint64_t epoch) {
  Caller caller = who_.caller;
  caller.epoch = epoch;
  v1::FollowJobRequest request;
  request.set_id(static_cast<std::uint64_t>(job_));
  auto cancel = who_.peers->Stream<v1::FollowJobRequest, v1::JobUpdate>(
      address, "/twofold.v1.Clients/FollowJob", request, caller,
      [self = shared_from_this()](const v1::JobUpdate& update) {
        if (update.job().state() == v1::JOB_STATE_FINISHED) self->Answer(update.job());
      },
      [self = shared_from_this()](const Status& status) { self->FollowEnded(status); });
  {
    const MutexLock lock(mutex_);
    if (!stopped_) {
      cancel_ = std::move(cancel);
      return;
    }
  }
  cancel();
}

void EndWaiter::FollowEnded(const Status& status) {
  const bool is_there = status.ok() || absl::IsUnavailable(status);
  if (!is_there || ++tries_ == kMostFollows) return GiveUp(std::string(status.message()));
  if (!IsStopped())
    who_.peers->loop().PostAfter(kPause, [self = shared_from_this()] { self->Follow(); });
}

void EndWaiter::GiveUp(const std::string& why) {
  Answer(
      absl::UnavailableError(absl::StrCat("the queue went to another frontend; look there what "
                                          "has become of job ",
                                          static_cast<std::uint64_t>(job_), ": ", why)));
}

}  // namespace twofold::frontend
