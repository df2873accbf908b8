#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// Threads for what would keep the loop's thread, or that of HTTP, from its peers: reads of the
/// store, which wait for the disk, and walks over very many jobs.
///
/// Threads  Safe. Tasks begin in order, as many at once as there are threads.
class ReaderPool {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr std::size_t kMostWaiting = 256;

  using Task = std::function<void()>;

  explicit ReaderPool(std::size_t threads = kThreads);
  ~ReaderPool() { Stop(); }
  ReaderPool(const ReaderPool&) = delete;
  ReaderPool& operator=(const ReaderPool&) = delete;

  /// False: too much waits already, or the pool has stopped. The task is dropped then.
  [[nodiscard]] bool Post(Task task);

  /// For the next step of a stream whose first one was let in by Post: always has room. Streams are
  /// bounded, and each has one step at a time.
  void Continue(Task task);

  /// Drops what waits, and returns when nothing runs any more.
  void Stop();

  /// What a caller is told whose task has no room: RESOURCE_EXHAUSTED with a delay to retry after.
  static Status Refusal();

 private:
  void Run();
  Task Next();

  Mutex mutex_;
  Condition changed_;
  std::deque<Task> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

/// For co_await: what follows runs on a thread of the pool; nullptr: where it is. The last thing
/// that a coroutine does on its old thread is to post, so it may go on before that returns.
///
/// Errors   ReaderPool::Refusal: too much waits already, or the pool has stopped; kUnavailable: it
///          stops meanwhile.
class [[nodiscard]] OnPool {
 public:
  explicit OnPool(ReaderPool* pool) : pool_(pool) {}

  [[nodiscard]] bool await_ready() const noexcept { return pool_ == nullptr; }
  bool await_suspend(std::coroutine_handle<> waiter);
  Status await_resume() { return std::move(status_); }

 private:
  /// A task of the pool. One that is dropped goes on with an error.
  struct Entry {
    Entry(OnPool& of, std::coroutine_handle<> who) : entered(of), waiter(who) {}
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    OnPool& entered;
    std::coroutine_handle<> waiter;  // null: it has gone on
  };

  ReaderPool* const pool_;
  Status status_;
};

}  // namespace twofold::frontend
