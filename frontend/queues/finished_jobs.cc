#include "frontend/queues/finished_jobs.h"

#include <utility>

#include "frontend/queues/convert.h"

namespace twofold::frontend {
namespace {

v1::Job EndedJob(const OwnedReply& ended) { return ToProto(ended.reply(), ended.worker()); }

}  // namespace

std::uint64_t FinishedJobs::WhenFinished(queue::JobId job, Waiter waiter) {
  const MutexLock lock(mutex_);
  waiters_[job].emplace(++last_waiter_, std::move(waiter));
  return last_waiter_;
}

void FinishedJobs::StopWaiting(queue::JobId job, std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found = waiters_.find(job);
  if (found == waiters_.end()) return;
  found->second.erase(number);
  if (found->second.empty()) waiters_.erase(found);
}

std::optional<v1::Job> FinishedJobs::Find(queue::JobId job) const {
  std::shared_ptr<const OwnedReply> ended;
  {
    const MutexLock lock(mutex_);
    const auto found = jobs_.find(job);
    if (found == jobs_.end()) return std::nullopt;
    ended = found->second;
  }
  return EndedJob(*ended);
}

void FinishedJobs::OnReply(const queue::Reply& reply, const WorkerIdentity* worker) {
  auto ended = std::make_shared<const OwnedReply>(reply, worker);
  const MutexLock lock(mutex_);
  if (!reply.options->durable) Keep(reply.job, ended);
  if (auto waiting = waiters_.extract(reply.job)) {
    for (auto& [number, waiter] : waiting.mapped()) due_.emplace_back(std::move(waiter), ended);
  }
}

void FinishedJobs::Keep(queue::JobId id, std::shared_ptr<const OwnedReply> ended) {
  jobs_[id] = std::move(ended);
  by_age_.push_back(id);
  if (by_age_.size() <= kKept) return;
  jobs_.erase(by_age_.front());
  by_age_.pop_front();
}

void FinishedJobs::Flush() {
  std::vector<std::pair<Waiter, std::shared_ptr<const OwnedReply>>> due;
  {
    const MutexLock lock(mutex_);
    due.swap(due_);
  }
  for (const auto& [waiter, ended] : due) waiter(EndedJob(*ended));
}

}  // namespace twofold::frontend
