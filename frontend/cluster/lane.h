#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "lib/common/mutex.h"

namespace twofold::frontend {

/// A thread that does one thing after the other.
///
/// Threads  Post from any thread. The destructor waits for what is being done, and drops the rest.
class Lane {
 public:
  using Task = std::function<void()>;

  Lane() : thread_([this] { Run(); }) {}
  ~Lane() {
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
    }
    wake_.NotifyAll();
    thread_.join();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void Post(Task task) {
    {
      const MutexLock lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.NotifyOne();
  }

 private:
  void Run() {
    for (;;) {
      Task task;
      {
        const MutexLock lock(mutex_);
        while (!stopped_ && tasks_.empty()) wake_.Wait(mutex_);
        if (stopped_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  Mutex mutex_;
  Condition wake_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace twofold::frontend
