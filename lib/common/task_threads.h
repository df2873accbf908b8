#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "lib/common/mutex.h"

namespace twofold {

/// Threads for what would keep another thread too long. Tasks begin in the order in which they were
/// posted, as many at once as there are threads.
///
/// Threads  Safe; Stop, and so the destructor, not on one of these threads.
class TaskThreads {
 public:
  using Task = std::function<void()>;

  explicit TaskThreads(std::size_t count);
  ~TaskThreads() { Stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  /// False: `most_waiting` tasks wait already, or the threads have stopped. The task is dropped
  /// then.
  bool Post(Task task, std::size_t most_waiting = std::numeric_limits<std::size_t>::max());

  /// Drops what waits, and returns when nothing runs any more.
  void Stop();

 private:
  void Run();
  Task Next();

  Mutex mutex_;
  Condition changed_;
  std::deque<Task> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace twofold
