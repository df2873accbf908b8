#include "frontend/services/reader_pool.h"

#include <chrono>
#include <memory>
#include <utility>

#include "lib/rpc/status_details.h"

namespace twofold::frontend {

ReaderPool::ReaderPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

bool ReaderPool::Post(Task task) {
  const MutexLock lock(mutex_);
  if (stopped_ || waiting_.size() >= kMostWaiting) return false;
  waiting_.push_back(std::move(task));
  changed_.NotifyOne();
  return true;
}

void ReaderPool::Continue(Task task) {
  const MutexLock lock(mutex_);
  if (stopped_) return;
  waiting_.push_back(std::move(task));
  changed_.NotifyOne();
}

void ReaderPool::Stop() {
  std::deque<Task> dropped;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
  }
  changed_.NotifyAll();
  dropped.clear();  // without the lock, and before what runs has ended, which may wait for a disk
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

Status ReaderPool::Refusal() {
  return rpc::FullStatus("too many reads wait already, try again after 1 s",
                         std::chrono::seconds(1));
}

void ReaderPool::Run() {
  while (const Task task = Next()) task();
}

/// Waits for it; null: the pool has stopped.
ReaderPool::Task ReaderPool::Next() {
  const MutexLock lock(mutex_);
  while (!stopped_ && waiting_.empty()) changed_.Wait(mutex_);
  if (stopped_) return nullptr;
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

bool OnPool::await_suspend(std::coroutine_handle<> waiter) {
  const auto entry = std::make_shared<Entry>(*this, waiter);
  const bool posted =
      pool_->Post([entry] { std::exchange(entry->waiter, std::coroutine_handle<>()).resume(); });
  if (posted) return true;  // this object may be gone
  entry->waiter = nullptr;
  status_ = ReaderPool::Refusal();
  return false;
}

OnPool::Entry::~Entry() {
  if (!waiter) return;
  entered.status_ = absl::UnavailableError("the frontend ends");
  waiter.resume();
}

}  // namespace twofold::frontend
