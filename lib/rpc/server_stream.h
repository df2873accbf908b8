#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/outbox.h"
#include "lib/rpc/parse.h"

namespace twofold::rpc {

/// The server's end of a call of any kind: reads one message after the other, answers through an
/// Outbox, and ends in order. This is the one lifecycle of calls; a derived class says what to do
/// with messages. Calls of unary methods are UnaryCall (unary.h).
///
/// Create with std::make_shared. Reading pauses while the peer does not take its replies. A
/// malformed message ends the stream with INVALID_ARGUMENT. `Notes`: see GatheredMessages.
///
/// Threads  Add, Flush and Close from any thread; hold no lock in Flush and Close that a reaction
///          (the On... methods) takes. OnMessage is called for one message at a time, OnHalfClosed
///          after the last one, OnSent when all that was pulled has left, OnGone once, also after a
///          regular end, and last of all.
template <typename Request, typename Reply, typename Notes = NoNotes>
class ServerStream : public ByteStream {
 public:
  template <typename Fill>
  bool Add(Fill&& fill) {
    return outbox_.Add(std::forward<Fill>(fill));
  }

  void Flush() {
    if (outbox_.Flush()) GoOn();
  }

  /// Ends the stream with `status` after all replies added so far. The first call wins.
  void Close(Status status) {
    SetStatus(std::move(status));
    outbox_.Close();
    FinishAfterAll();
  }

  /// Bytes that were added and not yet pulled.
  [[nodiscard]] std::size_t waiting_bytes() const final { return outbox_.waiting_bytes(); }

 protected:
  /// Before the first message.
  virtual void OnOpen() {}
  virtual void OnMessage(const Request& request) = 0;
  /// `reply` is pulled.
  virtual void OnWrite(const Reply& /*reply*/, const Notes& /*notes*/) {}
  virtual void OnHalfClosed() {}
  virtual void OnSent() {}
  virtual void OnGone() {}

 private:
  // Bytes of replies that may wait for a slow reader before its requests are left unread.
  static constexpr std::size_t kHoldBytes = 8 << 20;

  void OnBegin() final {
    outbox_.Belong();
    OnOpen();
    StartRead();
  }

  void OnRead(std::string_view bytes) final {
    if (Status status = Parse(bytes, request_); !status.ok()) return Close(std::move(status));
    OnMessage(request_);
    Reuse(request_, bytes.size());
    if (outbox_.closing()) return;
    input_held_ = outbox_.waiting_bytes() > kHoldBytes;
    if (!input_held_) StartRead();
  }

  void OnReadEnd() final { OnHalfClosed(); }

  void Pull(h2::MessageWriter& out) final {
    if (std::exchange(pulled_, false)) OnSent();
    while (!out.full() && outbox_.Take()) {
      const Reply& reply = outbox_.Taken();
      pulled_ = out.Add(reply.ByteSizeLong(), [&reply](char* to) {
        reply.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to));
      });
      if (!pulled_) return;  // refused for its size: the call ends
      OnWrite(reply, outbox_.notes());
    }
    if (!input_held_ || outbox_.waiting_bytes() > kHoldBytes / 2) return;
    input_held_ = false;
    StartRead();
  }

  void OnCancel() final { outbox_.Abort(); }

  void OnDone() final { OnGone(); }

  /// What was added may be pulled. On the stream's own thread, now or soon.
  void GoOn() {
    if (!outbox_.IsHere()) return RunAfter(Duration(0), [this] { GoOn(); });
    outbox_.Pass();
    WantPull();
  }

  /// What was added is pulled before the call ends. Likewise; at once if it has not begun.
  void FinishAfterAll() {
    if (!outbox_.belongs()) return Finish(TakeStatus());
    if (!outbox_.IsHere()) return RunAfter(Duration(0), [this] { FinishAfterAll(); });
    if (!outbox_.empty()) WantPull();
    Finish(TakeStatus());
  }

  void SetStatus(Status status) {
    const MutexLock lock(status_mutex_);
    if (!has_status_) status_ = std::move(status);
    has_status_ = true;
  }

  Status TakeStatus() {
    const MutexLock lock(status_mutex_);
    return std::move(status_);
  }

  Request request_;
  Outbox<Reply, Notes> outbox_;
  bool pulled_ = false;      // since OnSent
  bool input_held_ = false;  // as too much waits
  Mutex status_mutex_;
  Status status_ ABSL_GUARDED_BY(status_mutex_);
  bool has_status_ ABSL_GUARDED_BY(status_mutex_) = false;
};

}  // namespace twofold::rpc
