#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/h2/message.h"

namespace twofold::rpc {

/// One message at a time on its way to a stream, from whatever thread makes it: the next one is put
/// when the one before has left.
///
/// Threads  Put and bytes: any. Pull: the thread that pulls the stream.
class MessageSlot {
 public:
  /// REQUIRES: the one before has left, or the stream is over.
  void Put(std::string message) {
    const MutexLock lock(mutex_);
    message_ = std::move(message);
    there_ = true;
  }

  /// For ByteStream::Pull. True: the one before has left.
  bool Pull(h2::MessageWriter& out) {
    const MutexLock lock(mutex_);
    const bool left = std::exchange(leaves_, false);
    if (!std::exchange(there_, false)) return left;
    leaves_ = out.Add(message_);
    std::string().swap(message_);
    return left;
  }

  /// Of the message that waits.
  [[nodiscard]] std::size_t bytes() const {
    const MutexLock lock(mutex_);
    return message_.size();
  }

 private:
  mutable Mutex mutex_;
  std::string message_ ABSL_GUARDED_BY(mutex_);
  bool there_ ABSL_GUARDED_BY(mutex_) = false;   // it waits; it may be empty
  bool leaves_ ABSL_GUARDED_BY(mutex_) = false;  // the one before
};

}  // namespace twofold::rpc
