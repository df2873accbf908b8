#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/h2/message.h"

namespace twofold::rpc {

/// A stream's messages for coroutines, which read and write one at a time:
///
///   std::optional<std::string> asked = co_await stream.Read();
///   const bool is_taken = co_await stream.Write(*asked);
///
/// One coroutine reads and several may write, each of which goes on when the stream takes its
/// message, which it does when those before have left: so whoever does not read slows down whoever
/// writes.
///
/// Threads  Safe. Whoever waits goes on where the stream's end is told of what is waited for.
/// Cost     A message is copied when it comes, and again when it is pulled. A lock, which is a
///          leaf.
class AwaitedMessages {
 public:
  class Reading;
  class Writing;

  virtual ~AwaitedMessages() = default;

  /// For co_await: the next message; nullopt: there are no further ones.
  [[nodiscard]] Reading Read();

  /// For co_await: the stream takes `message`; false: the call was over before, or is now, as the
  /// message is too large for any peer. The string is moved from.
  [[nodiscard]] Writing Write(std::string& message);

 protected:
  // ---- orders to the stream, on any thread

  /// Put or EndRead follows.
  virtual void OrderRead() = 0;
  /// PullNext follows.
  virtual void OrderPull() = 0;
  /// This object, while an order is given: the coroutine may go on meanwhile, and let it go.
  virtual std::shared_ptr<void> Keep() = 0;

  // ---- what the stream tells, on its thread

  /// The message that was ordered, or the first one.
  void Put(std::string_view message);
  /// There are no further messages.
  void EndRead();
  /// The stream takes a message.
  void PullNext(h2::MessageWriter& out);
  /// Nothing is read or written any more.
  void EndAll();

  /// `waiter` goes on. Whoever overrides it may choose another thread.
  virtual void GoOn(std::coroutine_handle<> waiter) { waiter.resume(); }

  /// Of a message that came until the next one is wanted, and of those that wait to be pulled.
  [[nodiscard]] std::size_t held_bytes() const;

 private:
  /// A message to be pulled, and who waits for that.
  struct Written {
    std::string message;
    Writing* writing;
  };

  bool BeginRead(Reading& reading);
  bool BeginWrite(Writing& writing);
  std::optional<std::string> Take();

  mutable Mutex mutex_;
  std::optional<std::string> came_ ABSL_GUARDED_BY(mutex_);  // and was not read yet
  std::size_t read_bytes_ ABSL_GUARDED_BY(mutex_) = 0;       // of the last message that came
  Reading* reading_ ABSL_GUARDED_BY(mutex_) = nullptr;       // waits
  std::vector<Written> written_ ABSL_GUARDED_BY(mutex_);
  bool read_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
};

class AwaitedMessages::Reading {
 public:
  explicit Reading(AwaitedMessages& of) : of_(of) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    return of_.BeginRead(*this);
  }
  std::optional<std::string> await_resume() { return of_.Take(); }

 private:
  friend class AwaitedMessages;
  AwaitedMessages& of_;
  std::coroutine_handle<> waiter_;
};

class AwaitedMessages::Writing {
 public:
  Writing(AwaitedMessages& to, std::string& message) : to_(to), message_(message) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    return to_.BeginWrite(*this);
  }
  bool await_resume() const { return is_taken_; }

 private:
  friend class AwaitedMessages;
  AwaitedMessages& to_;
  std::string& message_;
  std::coroutine_handle<> waiter_;
  bool is_taken_ = false;
};

inline AwaitedMessages::Reading AwaitedMessages::Read() { return Reading(*this); }

inline AwaitedMessages::Writing AwaitedMessages::Write(std::string& message) {
  return {*this, message};
}

}  // namespace twofold::rpc
