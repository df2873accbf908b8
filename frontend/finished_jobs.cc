#include "frontend/finished_jobs.h"

#include <utility>

#include "frontend/convert.h"

namespace twofold::frontend {

void FinishedJobs::WhenFinished(queue::JobId job, Waiter waiter) {
  const std::lock_guard lock(mutex_);
  waiters_[job] = std::move(waiter);
}

bool FinishedJobs::StopWaiting(queue::JobId job) {
  const std::lock_guard lock(mutex_);
  return waiters_.erase(job) > 0;
}

std::optional<v1::Job> FinishedJobs::Find(queue::JobId job) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return std::nullopt;
  return *found->second;
}

void FinishedJobs::OnReply(const queue::Reply& reply, const WorkerIdentity* worker) {
  auto job = std::make_shared<const v1::Job>(ToProto(reply, worker));
  const std::lock_guard lock(mutex_);
  jobs_[reply.job] = job;
  by_age_.push_back(reply.job);
  if (by_age_.size() > kKept) {
    jobs_.erase(by_age_.front());
    by_age_.pop_front();
  }
  if (auto waiting = waiters_.extract(reply.job)) {
    due_.emplace_back(std::move(waiting.mapped()), std::move(job));
  }
}

void FinishedJobs::Flush() {
  std::vector<std::pair<Waiter, std::shared_ptr<const v1::Job>>> due;
  {
    const std::lock_guard lock(mutex_);
    due.swap(due_);
  }
  for (const auto& [waiter, job] : due) waiter(*job);
}

}  // namespace twofold::frontend
