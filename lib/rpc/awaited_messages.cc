#include "lib/rpc/awaited_messages.h"

#include <memory>
#include <utility>

namespace twofold::rpc {

// ---- The coroutine's side. Once the lock is free, the coroutine may go on at any moment on the
// stream's thread, and `reading` or `writing` be gone.

bool AwaitedMessages::BeginRead(Reading& reading) {
  const std::shared_ptr<void> self = Keep();
  {
    const MutexLock lock(mutex_);
    if (came_ || read_ended_) return false;
    read_bytes_ = 0;
    reading_ = &reading;
  }
  OrderRead();
  return true;
}

bool AwaitedMessages::BeginWrite(Writing& writing) {
  const std::shared_ptr<void> self = Keep();
  {
    const MutexLock lock(mutex_);
    if (over_) return false;
    written_.push_back({std::move(writing.message_), &writing});
  }
  OrderPull();
  return true;
}

std::optional<std::string> AwaitedMessages::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(came_, std::nullopt);
}

// ---- The stream's side

void AwaitedMessages::Put(std::string_view message) {
  std::coroutine_handle<> waiter;
  {
    const MutexLock lock(mutex_);
    came_.emplace(message);
    read_bytes_ = message.size();
    if (reading_ != nullptr) waiter = std::exchange(reading_, nullptr)->waiter_;
  }
  if (waiter) GoOn(waiter);
}

void AwaitedMessages::EndRead() {
  std::coroutine_handle<> waiter;
  {
    const MutexLock lock(mutex_);
    read_ended_ = true;
    if (reading_ != nullptr) waiter = std::exchange(reading_, nullptr)->waiter_;
  }
  if (waiter) GoOn(waiter);
}

void AwaitedMessages::PullNext(h2::MessageWriter& out) {
  std::coroutine_handle<> waiter;
  {
    const MutexLock lock(mutex_);
    if (written_.empty()) return;
    Writing& writing = *written_.front().writing;
    writing.is_taken_ = out.Add(written_.front().message);
    waiter = writing.waiter_;
    written_.erase(written_.begin());
  }
  GoOn(waiter);
}

void AwaitedMessages::EndAll() {
  std::vector<Written> unsent;
  {
    const MutexLock lock(mutex_);
    over_ = true;
    unsent.swap(written_);
  }
  EndRead();
  for (const Written& each : unsent) GoOn(each.writing->waiter_);
}

std::size_t AwaitedMessages::held_bytes() const {
  const MutexLock lock(mutex_);
  std::size_t bytes = read_bytes_;
  for (const Written& each : written_) bytes += each.message.size();
  return bytes;
}

}  // namespace twofold::rpc
