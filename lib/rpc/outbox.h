#pragma once

#include <cstddef>
#include <list>
#include <optional>
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

/// Messages that gather until a stream sends them.
///
/// Threads  Not thread-safe.
/// Cost     One call of `fill` an Add. Messages are reused, so a warm stream allocates none
/// (Reuse).
template <typename Message>
class GatheredMessages {
 public:
  /// A message grows no further than this by adding (one entry may pass it).
  static constexpr std::size_t kMessageBytes = 1 << 20;

  /// Adds an entry to the last message: `fill(Message&)` returns about how many bytes it added.
  template <typename Fill>
  void Add(Fill&& fill) {
    if (parts_.empty() || parts_.back().bytes >= kMessageBytes) parts_.emplace_back();
    Part& part = parts_.back();
    const std::size_t bytes = fill(part.message);
    part.bytes += bytes;
    part.filled = true;
    bytes_ += bytes;
  }

  /// Swaps the first message into `message`, which is empty, and returns how many bytes it has;
  /// nullopt: there is none. The last part stays, with the memory of `message`.
  std::optional<std::size_t> Take(Message& message) {
    if (empty()) return std::nullopt;
    Part& front = parts_.front();
    std::swap(message, front.message);
    bytes_ -= front.bytes;
    front.filled = false;
    const std::size_t taken = std::exchange(front.bytes, 0);
    if (parts_.size() > 1) parts_.pop_front();
    return taken;
  }

  void Drop() {
    parts_.clear();
    bytes_ = 0;
  }

  [[nodiscard]] bool empty() const { return parts_.empty() || !parts_.front().filled; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Part {
    Message message;
    std::size_t bytes = 0;
    bool filled = false;
  };

  std::list<Part> parts_;  // of one part mostly, for which a deque would keep room for several
  std::size_t bytes_ = 0;
};

/// What a stream has to do next.
enum class Next { kNothing, kWrite, kFinish };

/// The outgoing side of a stream that is told when to write: natural batching without timers.
///
/// While one message is being written, everything added gathers in the next one. So an idle stream
/// has the latency of one message and a busy one the throughput of batches. What is added between
/// two calls of Flush goes out together, as far as kMessageBytes allows. Add, then Flush: nothing
/// is written before Flush. The calls that return Next say what the owner of the stream must start:
/// kWrite writes Writing() and answers with EndWrite; kFinish ends this direction of the stream and
/// comes once, after the last write.
///
/// Threads  Safe. The lock is a leaf, held while the fill function runs and for no I/O.
/// Cost     One lock and one call of `fill` an Add.
template <typename Message>
class Outbox {
 public:
  static constexpr std::size_t kMessageBytes = GatheredMessages<Message>::kMessageBytes;

  /// See GatheredMessages::Add. False: the stream is closing, nothing was added.
  template <typename Fill>
  bool Add(Fill&& fill) {
    const MutexLock lock(mutex_);
    if (closing_) return false;
    waiting_.Add(std::forward<Fill>(fill));
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
    return waiting_.bytes();
  }

  /// True: more than `limit` bytes wait to be written, so take no more input until ResumeInput
  /// returns true. This keeps a peer that does not read its results from filling the memory.
  bool HoldInput(std::size_t limit) {
    const MutexLock lock(mutex_);
    hold_limit_ = limit;
    input_held_ = waiting_.bytes() > limit;
    return input_held_;
  }

  /// True once after HoldInput returned true, when half of its limit or less waits.
  bool ResumeInput() {
    const MutexLock lock(mutex_);
    if (!input_held_ || waiting_.bytes() > hold_limit_ / 2) return false;
    input_held_ = false;
    return true;
  }

 private:
  Next Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (in_flight_ || finished_) return Next::kNothing;
    if (const auto taken = waiting_.Take(writing_)) {
      writing_bytes_ = *taken;
      in_flight_ = true;
      return Next::kWrite;
    }
    if (!closing_) return Next::kNothing;
    finished_ = true;
    return Next::kFinish;
  }

  void DropWaiting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    waiting_.Drop();
    closing_ = true;
    adding_ = false;
  }

  Message writing_;  // changes under the lock, and only while no write is in flight

  mutable Mutex mutex_;
  GatheredMessages<Message> waiting_ ABSL_GUARDED_BY(mutex_);
  std::size_t writing_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t hold_limit_ ABSL_GUARDED_BY(mutex_) = 0;
  bool in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  bool adding_ ABSL_GUARDED_BY(mutex_) = false;  // since the last Flush
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool input_held_ ABSL_GUARDED_BY(mutex_) = false;
};

/// The outgoing side of a stream that is pulled: what is added gathers until the stream has room,
/// at the end of a turn of its loop, so that all that one turn adds goes out together.
///
/// Threads  As an Outbox; Take and Taken belong to who pulls.
/// Cost     As an Outbox.
template <typename Message>
class PulledOutbox {
 public:
  /// See GatheredMessages::Add. False: the stream is closing, nothing was added.
  template <typename Fill>
  bool Add(Fill&& fill) {
    const MutexLock lock(mutex_);
    if (closing_) return false;
    waiting_.Add(std::forward<Fill>(fill));
    adding_ = true;
    return true;
  }

  /// What was added may go. True: the stream has to be told, as nobody has told it since the last
  /// message was taken.
  [[nodiscard]] bool Flush() {
    const MutexLock lock(mutex_);
    adding_ = false;
    return !waiting_.empty() && !std::exchange(told_, true);
  }

  /// Nothing is added any more.
  void Close() {
    const MutexLock lock(mutex_);
    closing_ = true;
    adding_ = false;
  }

  /// Close, without what was added so far.
  void Abort() {
    const MutexLock lock(mutex_);
    waiting_.Drop();
    closing_ = true;
    adding_ = false;
  }

  /// The next message is Taken(); false: there is none. One that is being added to stays: a part of
  /// it now would cut its batch in two, and for good: two messages of jobs come back as two
  /// messages of results.
  [[nodiscard]] bool Take() {
    Reuse(taken_, taken_bytes_);
    const MutexLock lock(mutex_);
    const auto bytes = adding_ ? std::nullopt : waiting_.Take(taken_);
    if (!bytes) told_ = false;
    taken_bytes_ = bytes.value_or(0);
    return bytes.has_value();
  }

  [[nodiscard]] const Message& Taken() const { return taken_; }

  [[nodiscard]] bool closing() const {
    const MutexLock lock(mutex_);
    return closing_;
  }

  /// Bytes that were added and not yet taken.
  [[nodiscard]] std::size_t waiting_bytes() const {
    const MutexLock lock(mutex_);
    return waiting_.bytes();
  }

 private:
  Message taken_;
  std::size_t taken_bytes_ = 0;

  mutable Mutex mutex_;
  GatheredMessages<Message> waiting_ ABSL_GUARDED_BY(mutex_);
  bool adding_ ABSL_GUARDED_BY(mutex_) = false;  // since the last Flush
  bool told_ ABSL_GUARDED_BY(mutex_) = false;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::rpc
