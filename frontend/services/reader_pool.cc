#include "frontend/services/reader_pool.h"

#include <chrono>
#include <utility>

#include "lib/rpc/retry_info.h"

namespace twofold::frontend {

ReaderPool::ReaderPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

bool ReaderPool::Post(Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || waiting_.size() >= kMostWaiting) return false;
  waiting_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void ReaderPool::Continue(Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  waiting_.push_back(std::move(task));
  changed_.notify_one();
}

void ReaderPool::Stop() {
  std::deque<Task> dropped;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
  }
  changed_.notify_all();
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

grpc::Status ReaderPool::Refusal() {
  return rpc::FullStatus("too many reads wait already, try again later", std::chrono::seconds(1));
}

void ReaderPool::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds may end here
    lock.lock();
  }
}

}  // namespace twofold::frontend
