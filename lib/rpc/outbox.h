#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "lib/common/mutex.h"

namespace twofold::rpc {

/// A stream keeps the memory of its messages for the next ones, unless one was larger than this.
inline constexpr std::size_t kKeptBytes = 256 << 10;

/// Empties a message that had about so many bytes. Submessages keep their memory where their field
/// is marked `optional`; protobuf frees the others.
template <typename Message>
void Reuse(Message& message, std::size_t bytes) {
  if (bytes > kKeptBytes) {
    Message fresh;
    std::swap(message, fresh);
  } else {
    message.Clear();
  }
}

/// What a stream has to do next.
enum class Next { kNothing, kWrite, kFinish };

/// The outgoing side of a stream: natural batching without timers.
///
/// While one message is being written, everything added gathers in the next one. So an idle stream
/// has the latency of one message and a busy one the throughput of batches. What is added between
/// two calls of Flush goes out together, as far as kMessageBytes allows. Add, then Flush: nothing
/// is written before Flush. The calls that return Next say what the owner of the stream must start:
/// kWrite writes Writing() and answers with EndWrite; kFinish ends this direction of the stream and
/// comes once, after the last write. Messages are reused, so a warm stream allocates none (Reuse).
///
/// Threads  Safe. The lock is a leaf, held while the fill function runs and for no I/O.
/// Cost     One lock and one call of `fill` an Add.
template <typename Message>
class Outbox {
 public:
  /// A message grows no further than this by adding (one entry may pass it).
  static constexpr std::size_t kMessageBytes = 1 << 20;

  /// Adds an entry to the message that goes out next: `fill(Message&)` returns about how many
  /// bytes it added. False: the stream is closing, nothing was added.
  template <typename Fill>
  bool Add(Fill&& fill) {
    const MutexLock lock(mutex_);
    if (closing_) return false;
    if (waiting_.empty() || waiting_.back().bytes >= kMessageBytes) waiting_.emplace_back();
    Part& part = waiting_.back();
    const std::size_t bytes = fill(part.message);
    part.bytes += bytes;
    part.filled = true;
    waiting_bytes_ += bytes;
    adding_ = true;
    return true;
  }

  [[nodiscard]] Next Flush() {
    const MutexLock lock(mutex_);
    adding_ = false;
    return Advance();
  }

  /// The write has ended; `ok` false means the stream is broken.
  [[nodiscard]] Next EndWrite(bool ok) {
    const MutexLock lock(mutex_);
    in_flight_ = false;
    Reuse(writing_, writing_bytes_);
    if (!ok) DropWaiting();
    // The caller that is adding will flush. A write now would cut its batch in two, and for good:
    // two messages of jobs come back as two messages of results.
    return adding_ ? Next::kNothing : Advance();
  }

  /// Finish after what was added so far.
  [[nodiscard]] Next Close() {
    const MutexLock lock(mutex_);
    closing_ = true;
    adding_ = false;
    return Advance();
  }

  /// Finish without what was added so far: nobody reads it any more.
  [[nodiscard]] Next Abort() {
    const MutexLock lock(mutex_);
    DropWaiting();
    return Advance();
  }

  /// The message of the write in flight. Stays as it is until EndWrite.
  const Message& Writing() const { return writing_; }

  /// Bytes that were added and not yet handed to a write.
  [[nodiscard]] std::size_t waiting_bytes() const {
    const MutexLock lock(mutex_);
    return waiting_bytes_;
  }

  /// True: more than `limit` bytes wait to be written, so take no more input until ResumeInput
  /// returns true. This keeps a peer that does not read its results from filling the memory.
  bool HoldInput(std::size_t limit) {
    const MutexLock lock(mutex_);
    hold_limit_ = limit;
    input_held_ = waiting_bytes_ > limit;
    return input_held_;
  }

  /// True once after HoldInput returned true, when half of its limit or less waits.
  bool ResumeInput() {
    const MutexLock lock(mutex_);
    if (!input_held_ || waiting_bytes_ > hold_limit_ / 2) return false;
    input_held_ = false;
    return true;
  }

 private:
  struct Part {
    Message message;
    std::size_t bytes = 0;
    bool filled = false;
  };

  Next Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (in_flight_ || finished_) return Next::kNothing;
    if (!waiting_.empty() && waiting_.front().filled) {
      TakeFront();
      in_flight_ = true;
      return Next::kWrite;
    }
    if (!closing_) return Next::kNothing;
    finished_ = true;
    return Next::kFinish;
  }

  // Swaps the first part into `writing_`. The last part stays, empty, with the memory of the
  // message written before.
  void TakeFront() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Part& front = waiting_.front();
    std::swap(writing_, front.message);
    waiting_bytes_ -= front.bytes;
    writing_bytes_ = front.bytes;
    front.bytes = 0;
    front.filled = false;
    if (waiting_.size() > 1) waiting_.pop_front();
  }

  void DropWaiting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    waiting_.clear();
    waiting_bytes_ = 0;
    closing_ = true;
    adding_ = false;
  }

  Message writing_;  // changes under the lock, and only while no write is in flight

  mutable Mutex mutex_;
  std::deque<Part> waiting_ ABSL_GUARDED_BY(mutex_);
  std::size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t writing_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t hold_limit_ ABSL_GUARDED_BY(mutex_) = 0;
  bool in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool adding_ ABSL_GUARDED_BY(mutex_) = false;  // since the last Flush
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool input_held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::rpc
