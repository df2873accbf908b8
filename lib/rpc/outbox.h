#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <optional>
#include <type_traits>
#include <utility>

#include "lib/common/mutex.h"

namespace twofold::rpc {

/// A message grows no further than this by adding (one entry may pass it). A batch that is larger
/// goes in several messages: its reader works on one while the next one is written.
inline constexpr std::size_t kMessageBytes = 32 << 10;

/// A stream keeps the memory of its messages for the next ones: of one that was no larger than
/// this, and of so many that waited at a time.
inline constexpr std::size_t kKeptBytes = 256 << 10;
inline constexpr std::size_t kKeptMessages = kKeptBytes / kMessageBytes;

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

/// Nothing is noted of a message while it is filled.
struct NoNotes {
  void clear() {}
};

/// Messages that gather until a stream sends them. `Notes` are what those who add remember of a
/// message until it is taken.
///
/// Threads  Not thread-safe.
/// Cost     One call of `fill` an Add. Messages are reused, so a warm stream allocates none
/// (Reuse).
template <typename Message, typename Notes = NoNotes>
class GatheredMessages {
 public:
  /// Adds an entry to the last message: `fill(Message&)`, or `fill(Message&, Notes&)`, returns
  /// about how many bytes it added.
  template <typename Fill>
  void Add(Fill&& fill) {
    if (parts_.empty() || parts_.back().bytes >= kMessageBytes) Extend();
    Part& part = parts_.back();
    const std::size_t bytes = Call(fill, part);
    part.bytes += bytes;
    part.filled = true;
    bytes_ += bytes;
  }

  /// Swaps the first message into `message`, which is empty, and returns how many bytes it has;
  /// nullopt: there is none. Its part stays for another one, with the memory of `message`. The same
  /// with `notes`.
  std::optional<std::size_t> Take(Message& message, Notes& notes) {
    if (empty()) return std::nullopt;
    Part& front = parts_.front();
    std::swap(message, front.message);
    notes.clear();
    std::swap(notes, front.notes);
    bytes_ -= front.bytes;
    front.filled = false;
    const std::size_t taken = std::exchange(front.bytes, 0);
    if (parts_.size() > 1) PutAside();
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
    [[no_unique_address]] Notes notes;
    std::size_t bytes = 0;
    bool filled = false;
  };

  template <typename Fill>
  static std::size_t Call(Fill& fill, Part& part) {
    if constexpr (std::is_invocable_v<Fill&, Message&, Notes&>) {
      return fill(part.message, part.notes);
    } else {
      return fill(part.message);
    }
  }

  void Extend() {
    if (aside_.empty()) {
      parts_.emplace_back();
    } else {
      parts_.splice(parts_.end(), aside_, aside_.begin());
    }
  }

  void PutAside() {
    if (aside_.size() < kKeptMessages) {
      aside_.splice(aside_.end(), parts_, parts_.begin());
    } else {
      parts_.pop_front();
    }
  }

  std::list<Part> parts_;  // of one part mostly, for which a deque would keep room for several
  std::list<Part> aside_;  // empty ones
  std::size_t bytes_ = 0;
};

/// Messages that gather from any thread for the one that takes them. What that thread adds itself,
/// which is nearly all of what a frontend passes on, takes no lock. What is added after something
/// else, by the word of a lock that both hold, is taken after it.
///
/// Threads  Add, Close, Flush and bytes: any. Belong, Take, Pass, Drop and empty: the thread that
///          takes.
template <typename Message, typename Notes = NoNotes>
class MessageIntake {
 public:
  /// The caller is the thread that takes, from now on.
  void Belong() { taker_ = Self(); }
  [[nodiscard]] bool IsTaker() const { return taker_.load(std::memory_order_relaxed) == Self(); }
  /// Nobody has taken anything yet.
  [[nodiscard]] bool HasNoTaker() const { return taker_.load() == nullptr; }

  /// See GatheredMessages::Add. False: it is closed, nothing was added.
  template <typename Fill>
  bool Add(Fill&& fill) {
    if (IsTaker() && !others_have_.load(std::memory_order_relaxed)) {
      if (closed()) return false;
      mine_.Add(std::forward<Fill>(fill));
      mine_bytes_.store(mine_.bytes(), std::memory_order_relaxed);
      return true;
    }
    const MutexLock lock(mutex_);
    if (closed()) return false;
    theirs_.Add(std::forward<Fill>(fill));
    adding_ = true;
    others_have_ = true;
    return true;
  }

  /// What was added may be taken. True: the thread that takes has to be told, as nobody has told it
  /// since it last looked.
  [[nodiscard]] bool Flush() {
    if (IsTaker() && !others_have_.load(std::memory_order_relaxed)) return !mine_.empty();
    const MutexLock lock(mutex_);
    adding_ = false;
    return !theirs_.empty() && !std::exchange(told_, true);
  }

  /// Nothing is added from now on.
  void Close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    adding_ = false;
  }

  /// See GatheredMessages::Take. What is being added to by another thread stays: a part of it now
  /// would cut its batch in two, and for good: two messages of jobs come back as two messages of
  /// results.
  std::optional<std::size_t> Take(Message& message, Notes& notes) {
    if (const auto bytes = mine_.Take(message, notes)) {
      mine_bytes_.store(mine_.bytes(), std::memory_order_relaxed);
      return bytes;
    }
    if (!others_have_) return std::nullopt;
    const MutexLock lock(mutex_);
    const auto bytes = adding_ ? std::nullopt : theirs_.Take(message, notes);
    others_have_ = adding_ || !theirs_.empty();
    told_ = false;
    return bytes;
  }

  /// The thread that takes has looked, and takes nothing now.
  void Pass() {
    if (!others_have_) return;
    const MutexLock lock(mutex_);
    told_ = false;
  }

  void Drop() {
    mine_.Drop();
    mine_bytes_ = 0;
    const MutexLock lock(mutex_);
    theirs_.Drop();
    others_have_ = false;
  }

  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_relaxed); }

  /// The thread that takes would find nothing; of what others add that is so between two calls
  /// only.
  [[nodiscard]] bool empty() const { return mine_.empty() && !others_have_; }

  /// What was added and not yet taken.
  [[nodiscard]] std::size_t bytes() const {
    const std::size_t mine = mine_bytes_.load(std::memory_order_relaxed);
    if (!others_have_.load(std::memory_order_relaxed)) return mine;
    const MutexLock lock(mutex_);
    return mine + theirs_.bytes();
  }

 private:
  /// Tells threads apart.
  static const void* Self() {
    static thread_local char place;
    return &place;
  }

  std::atomic<const void*> taker_ = nullptr;
  GatheredMessages<Message, Notes> mine_;  // that thread's
  std::atomic<std::size_t> mine_bytes_ = 0;

  mutable Mutex mutex_;
  GatheredMessages<Message, Notes> theirs_ ABSL_GUARDED_BY(mutex_);
  bool adding_ ABSL_GUARDED_BY(mutex_) = false;  // to theirs_, since the last Flush
  bool told_ ABSL_GUARDED_BY(mutex_) = false;
  // Changed under the lock.
  std::atomic<bool> others_have_ = false;  // theirs_ has something: whoever adds, adds there
  std::atomic<bool> closed_ = false;
};

/// The outgoing side of a stream that is pulled: natural batching without timers. What is added
/// gathers until the stream has room, at the end of a turn of its loop, so that all that one turn
/// adds goes out together, as far as kMessageBytes allows: an idle stream has the latency of one
/// message, and a busy one the throughput of batches. Add, then Flush: nothing goes before Flush.
///
/// Threads  Add, Flush, Close, closing and waiting_bytes: any. All else: who pulls, see Belong.
/// Cost     One call of `fill` an Add; from another thread than that one's, a lock, which is a
///          leaf, held while the fill function runs and for no I/O.
template <typename Message, typename Notes = NoNotes>
class Outbox {
 public:
  /// The caller is the thread that pulls, from now on.
  void Belong() { intake_.Belong(); }
  /// Whether Belong was called.
  [[nodiscard]] bool belongs() const { return !intake_.HasNoTaker(); }
  /// Whether the caller is the thread that pulls.
  [[nodiscard]] bool IsHere() const { return intake_.IsTaker(); }

  /// See GatheredMessages::Add. False: the stream is closing, nothing was added.
  template <typename Fill>
  bool Add(Fill&& fill) {
    return intake_.Add(std::forward<Fill>(fill));
  }

  /// What was added may go. True: who pulls has to be told.
  [[nodiscard]] bool Flush() { return intake_.Flush(); }

  /// Nothing is added any more.
  void Close() { intake_.Close(); }

  [[nodiscard]] bool closing() const { return intake_.closed(); }

  /// Bytes that were added and not yet taken.
  [[nodiscard]] std::size_t waiting_bytes() const { return intake_.bytes(); }

  // ---- who pulls

  /// Close, without what was added so far.
  void Abort() {
    intake_.Close();
    intake_.Drop();
  }

  /// Whoever pulls was told, and pulls later.
  void Pass() { intake_.Pass(); }

  /// Nothing is there to be taken.
  [[nodiscard]] bool empty() const { return intake_.empty(); }

  /// The next message is Taken(); false: there is none.
  [[nodiscard]] bool Take() {
    if (taken_bytes_) Reuse(taken_, *taken_bytes_);
    taken_bytes_ = intake_.Take(taken_, notes_);
    return taken_bytes_.has_value();
  }

  /// Stays as it is until the next Take.
  [[nodiscard]] const Message& Taken() const { return taken_; }
  [[nodiscard]] const Notes& notes() const { return notes_; }

 private:
  MessageIntake<Message, Notes> intake_;
  Message taken_;
  [[no_unique_address]] Notes notes_;
  std::optional<std::size_t> taken_bytes_;  // nullopt: taken_ is empty
};

}  // namespace twofold::rpc
