#include "bench/peers/due_thread.h"

#include <algorithm>
#include <thread>

namespace twofold::bench {

DueThread::DueThread(std::vector<Member> members) : members_(std::move(members)) {
  std::thread([this] { Run(); }).detach();
}

void DueThread::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

Instant DueThread::NextDue() const {
  // A wait until Instant::max() overflows in the library.
  Instant next = Now() + std::chrono::hours(1);
  for (const Member& member : members_) next = std::min(next, member.next_due());
  return next;
}

void DueThread::Run() {
  for (;;) {
    const Instant next = NextDue();
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next, [this] { return woken_; });
      woken_ = false;
    }
    const Instant now = Now();
    for (const Member& member : members_) {
      if (member.next_due() <= now) member.on_due(now);
    }
  }
}

}  // namespace twofold::bench
