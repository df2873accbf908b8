#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/outgoing_call.h"
#include "lib/rpc/parse.h"
#include "lib/rpc/status_details.h"

namespace twofold::rpc {

/// The caller's end of a bidirectional stream for a program with a thread to spare: Write and Read
/// block. Who reads slowly slows the server down, and the server who writes.
///
/// Threads  One may write while another one reads; none of them the loop's.
template <typename Request, typename Reply>
class BlockingStream final : public OutgoingCall {
 public:
  /// Returns when the message before has left. False: the stream is over.
  bool Write(const Request& request) {
    {
      const MutexLock lock(mutex_);
      while (next_ && !end_) changed_.Wait(mutex_);
      if (end_) return false;
      next_ = request.SerializeAsString();
    }
    Carry([this] {
      if (stream() != nullptr) stream()->WantPull();
    });
    return true;
  }

  /// False: there are no further messages, see Finish.
  bool Read(Reply& reply) {
    std::string bytes;
    {
      const MutexLock lock(mutex_);
      while (came_.empty() && !end_) changed_.Wait(mutex_);
      if (came_.empty()) return false;
      bytes = std::move(came_.front());
      came_.pop_front();
    }
    Carry([this] {
      if (stream() != nullptr) stream()->Resume();
    });
    if (Parse(bytes, reply).ok()) return true;
    Cancel();
    return false;
  }

  /// How the stream ended; waits for it.
  Status Finish() {
    const MutexLock lock(mutex_);
    while (!end_) changed_.Wait(mutex_);
    return *end_;
  }

 private:
  void OnBegin() override { stream()->WantPull(); }

  // One at a time.
  void OnMessage(std::string_view bytes) override {
    stream()->Pause();
    const MutexLock lock(mutex_);
    came_.emplace_back(bytes);
    changed_.NotifyAll();
  }

  void Pull(h2::MessageWriter& out) override {
    const MutexLock lock(mutex_);
    if (!next_) return;
    out.Add(*std::exchange(next_, std::nullopt));
    changed_.NotifyAll();
  }

  void OnOver(const Status& status, const h2::Metadata& trailers) override {
    const MutexLock lock(mutex_);
    end_ = WithDetails(status, trailers);
    changed_.NotifyAll();
  }

  Mutex mutex_;
  Condition changed_;
  std::optional<std::string> next_ ABSL_GUARDED_BY(mutex_);  // to be sent
  std::deque<std::string> came_ ABSL_GUARDED_BY(mutex_);
  std::optional<Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::rpc
