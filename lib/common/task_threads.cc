#include "lib/common/task_threads.h"

#include <utility>

namespace twofold {

TaskThreads::TaskThreads(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
}

bool TaskThreads::Post(Task task, std::size_t most_waiting) {
  const MutexLock lock(mutex_);
  if (stopped_ || waiting_.size() >= most_waiting) return false;
  waiting_.push_back(std::move(task));
  changed_.NotifyOne();
  return true;
}

void TaskThreads::Stop() {
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

void TaskThreads::Run() {
  while (const Task task = Next()) task();
}

/// Waits for it; null: the threads have stopped.
TaskThreads::Task TaskThreads::Next() {
  const MutexLock lock(mutex_);
  while (!stopped_ && waiting_.empty()) changed_.Wait(mutex_);
  if (stopped_) return nullptr;
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

}  // namespace twofold
