#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "lib/common/result.h"

/// Functions that wait without a thread: coroutines, which go on when what they wait for is there.
///
///   Task<Result<Reply>> Answer(std::shared_ptr<const Asked> asked) {
///     const Result<Owner> owner = co_await FindOwner(asked->queue);
///     if (!owner.ok()) co_return owner.status();
///     co_return co_await Ask(*owner, asked);
///   }
///
/// A coroutine owns its parameters if it takes them by value; what it takes by reference, and what
/// a lambda has captured, must outlive it. g++ 12 mishandles a co_await in the condition of a loop,
/// and beside a temporary that is an argument: give names to both.
///
/// Threads  A task begins where it is awaited, and goes on where the answer comes from, or at once
///          if that has come before.
/// Cost     An allocation for each task, and three for each Later; none for a Once.
namespace twofold {

namespace internal {

/// What a task has given back.
template <typename T>
struct Given {
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T Take() { return *std::move(value); }

  std::optional<T> value;
};

template <>
struct Given<void> {
  void return_void() noexcept {}
  void Take() noexcept {}
};

/// What an answer is.
template <typename T>
struct Answered {
  using Type = Result<T>;
};

template <>
struct Answered<void> {
  using Type = Status;
};

}  // namespace internal

/// What a coroutine gives back: it begins when it is awaited, once.
template <typename T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  /// Whoever has awaited the task goes on.
  struct End {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept { return ended.promise().waiter; }
    void await_resume() noexcept {}
  };

  struct promise_type : internal::Given<T> {
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    End final_suspend() noexcept { return {}; }
    [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }

    std::coroutine_handle<> waiter;
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Begins the task without anybody who waits for it: whoever has it keeps it, and destroys it
  /// where it stands, maybe before its end, with all that it holds.
  void Begin() {
    handle_.promise().waiter = std::noop_coroutine();
    handle_.resume();
  }

  // ---- for co_await

  bool await_ready() noexcept { return false; }
  Handle await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().waiter = waiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().Take(); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}

  Handle handle_;
};

/// What Start gives back: nobody waits for it.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// Begins the task; `done` gets what it gives back, now or later.
template <typename T, typename Done>
Detached Start(Task<T> task, Done done) {
  if constexpr (std::is_void_v<T>) {
    co_await task;
    done();
  } else {
    done(co_await task);
  }
}

/// An answer that comes once, also when it comes before it is awaited: for co_await, by one
/// coroutine. The first Give counts.
///
/// Threads  Give from any. Whoever awaits goes on within Give, which touches nothing of this object
///          after that; hold no lock there.
template <typename T = void>
class Once {
 public:
  /// Without a T how it went: a status.
  using Value = typename internal::Answered<T>::Type;

  void Give(Value given) {
    if (is_given_.exchange(true)) return;
    value_.emplace(std::move(given));
    if (one_has_come_.exchange(true)) waiter_.resume();
  }

  [[nodiscard]] bool is_given() const { return is_given_; }

  // ---- for co_await

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    return !one_has_come_.exchange(true);
  }
  Value await_resume() { return *std::move(value_); }

 private:
  std::coroutine_handle<> waiter_;
  std::optional<Value> value_;
  std::atomic<bool> is_given_ = false;
  std::atomic<bool> one_has_come_ = false;  // of the two, the answer and whoever awaits it
};

/// A callback that gives `to` what it gets, as long as `owner` is there, who keeps the task that
/// awaits it, and who stays meanwhile. Called without a value: it went well.
template <typename Owner, typename T>
auto GiveWhile(std::weak_ptr<Owner> owner, Once<T>& to) {
  return [owner = std::move(owner), &to](auto&&... value) {
    using Value = typename Once<T>::Value;
    if (const auto kept = owner.lock()) to.Give(Value(std::forward<decltype(value)>(value)...));
  };
}

/// For co_await: the answer of a function that calls back.
///
///   const Later<Place> place([&](auto done) { directory.Await(queue, std::move(done)); });
///   const Result<Place> found = co_await place;
///
/// The first answer counts. When nobody can give one any more, the answer is kUnavailable, so
/// whoever waits goes on in any case: then whoever drops the last `done` runs what waits for it,
/// and must hold no lock.
template <typename T = void>
class [[nodiscard]] Later {
 public:
  using Value = typename Once<T>::Value;
  using Done = std::function<void(Value)>;

  /// `begin` is called when the answer is awaited, and may call back at once.
  explicit Later(std::function<void(Done)> begin) : begin_(std::move(begin)) {}

  bool await_ready() const noexcept { return false; }

  bool await_suspend(std::coroutine_handle<> waiter) const {
    begin_([promise = std::make_shared<Promise>(answer_)](Value value) {
      promise->answer->Give(std::move(value));
    });
    return answer_->await_suspend(waiter);
  }

  Value await_resume() const { return answer_->await_resume(); }

 private:
  /// All who can answer have it.
  struct Promise {
    explicit Promise(std::shared_ptr<Once<T>> to) : answer(std::move(to)) {}
    ~Promise() {
      if (!answer->is_given()) {
        answer->Give(absl::UnavailableError("nobody is left who could answer"));
      }
    }
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;

    const std::shared_ptr<Once<T>> answer;
  };

  const std::function<void(Done)> begin_;
  const std::shared_ptr<Once<T>> answer_ = std::make_shared<Once<T>>();
};

}  // namespace twofold
