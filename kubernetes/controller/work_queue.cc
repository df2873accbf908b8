#include "kubernetes/controller/work_queue.h"

#include <algorithm>

namespace twofold::controller {

void WorkQueue::Add(const Key& key, Instant at) {
  ++counts_.adds;
  if (const auto work = working_.find(key); work != working_.end()) {
    work->second.due = std::min(work->second.due.value_or(at), at);
    return;
  }
  const auto known = due_.find(key);
  if (known != due_.end() && known->second <= at) return;
  if (known != due_.end()) by_time_.erase({known->second, key});
  due_[key] = at;
  by_time_.emplace(at, key);
}

std::optional<WorkQueue::Key> WorkQueue::Take(Instant now) {
  if (by_time_.empty() || by_time_.begin()->first > now) return std::nullopt;
  const auto [at, key] = *by_time_.begin();
  by_time_.erase(by_time_.begin());
  due_.erase(key);
  counts_.waited.Record(now - at);
  working_[key] = {now, std::nullopt};
  return key;
}

/// What was added meanwhile is due.
void WorkQueue::EndWork(const Key& key, Instant now) {
  const auto work = working_.find(key);
  if (work == working_.end()) return;
  counts_.worked.Record(now - work->second.begun);
  const std::optional<Instant> due = work->second.due;
  working_.erase(work);
  if (!due) return;
  --counts_.adds;  // it was counted when it came
  Add(key, *due);
}

void WorkQueue::Done(const Key& key, std::optional<Duration> again, Instant now) {
  failing_.erase(key);
  EndWork(key, now);
  if (again) Add(key, now + *again);
}

void WorkQueue::Retry(const Key& key, Instant now) {
  ++counts_.retries;
  const std::uint64_t seed = seed_ + counts_.retries;
  auto& backoff =
      failing_.try_emplace(key, limits_.first_wait, limits_.longest_wait, seed).first->second;
  const Duration wait = std::max(backoff.Next(), BucketWait(now));
  EndWork(key, now);
  Add(key, now + wait);
}

/// A token bucket that knows only when it is full again.
Duration WorkQueue::BucketWait(Instant now) {
  const Duration each = FromSeconds(1 / limits_.retries_per_second);
  const Duration burst = FromSeconds(limits_.burst / limits_.retries_per_second);
  bucket_full_at_ = std::max(bucket_full_at_, now) + each;
  return std::max(bucket_full_at_ - now - burst, Duration::zero());
}

std::optional<Instant> WorkQueue::NextDue() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

QueueCounts WorkQueue::counts(Instant now) const {
  QueueCounts counts = counts_;
  for (const auto& [at, key] : by_time_) {
    if (at > now) break;
    ++counts.depth;
  }
  for (const auto& [key, work] : working_) {
    counts.unfinished += now - work.begun;
    counts.longest = std::max(counts.longest, Duration(now - work.begun));
  }
  return counts;
}

}  // namespace twofold::controller
