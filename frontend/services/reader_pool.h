#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "lib/common/result.h"
#include "lib/common/task_threads.h"

namespace twofold::frontend {

/// TaskThreads for what would keep the loop's thread, or that of HTTP, from its peers: reads of the
/// store, which wait for the disk, and walks over very many jobs. Refuses what would wait too long.
///
/// Threads  Safe.
class ReaderPool {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr std::size_t kMostWaiting = 256;

  using Task = TaskThreads::Task;

  explicit ReaderPool(std::size_t threads = kThreads) : threads_(threads) {}

  /// False: too much waits already, or the pool has stopped. The task is dropped then.
  [[nodiscard]] bool Post(Task task) { return threads_.Post(std::move(task), kMostWaiting); }

  /// For the next step of a stream whose first one was let in by Post: always has room. Streams are
  /// bounded, and each has one step at a time. False: the pool has stopped.
  [[nodiscard]] bool Continue(Task task) { return threads_.Post(std::move(task)); }

  /// Drops what waits, and returns when nothing runs any more.
  void Stop() { threads_.Stop(); }

  /// What a caller is told whose task has no room: RESOURCE_EXHAUSTED with a delay to retry after.
  static Status Refusal();

 private:
  TaskThreads threads_;
};

/// For co_await: what follows runs on a thread of the pool; nullptr: where it is. The last thing
/// that a coroutine does on its old thread is to post, so it may go on before that returns.
///
/// Errors   ReaderPool::Refusal: too much waits already, or the pool has stopped; kUnavailable: it
///          stops meanwhile.
class [[nodiscard]] OnPool {
 public:
  explicit OnPool(ReaderPool* pool) : pool_(pool) {}

  /// For the next step of a stream, see ReaderPool::Continue.
  static OnPool Again(ReaderPool& pool) {
    OnPool again(&pool);
    again.is_next_ = true;
    return again;
  }

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
  bool is_next_ = false;
  Status status_;
};

}  // namespace twofold::frontend
