#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/outbox.h"
#include "lib/rpc/wire.h"

namespace twofold::rpc {

/// Takes a stream over after its first message (ServerStream::PassOn): starts its reads and writes
/// and finishes it, and hears how they ended.
///
/// Threads  As those of gRPC's reactions.
class Passage {
 public:
  virtual ~Passage() = default;
  /// `first` is the message that has been read.
  virtual void Begin(const grpc::ByteBuffer& first) = 0;
  virtual void OnRead(bool ok) = 0;
  virtual void OnWritten(bool ok) = 0;
  virtual void OnCancel() = 0;
};

/// The server's end of a call of any kind: reads one message after the other, writes through an
/// Outbox, and ends in order. This is the one lifecycle of calls; a derived class says what to do
/// with messages. Calls of unary methods are UnaryCall (unary.h).
///
/// Create with std::make_shared, then call Start once and hand the object to gRPC; it keeps itself
/// alive until gRPC is done with it. Reading pauses while the peer does not take its replies. A
/// malformed message ends the stream with INVALID_ARGUMENT, which needs a raw method (wire.h).
///
/// Threads  Add, Flush and Close from any thread; hold no lock in Flush and Close that a reaction
///          (the On... methods) takes. OnMessage is called for one message at a time, OnHalfClosed
///          after the last one, OnWritten after each write, OnGone at any moment, once, also after
///          a regular end, and last of all.
template <typename Request, typename Reply>
class ServerStream : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                     public std::enable_shared_from_this<ServerStream<Request, Reply>> {
 public:
  void Start() {
    self_ = this->shared_from_this();
    StartRead(&read_);
  }

  template <typename Fill>
  bool Add(Fill&& fill) {
    return outbox_.Add(std::forward<Fill>(fill));
  }

  void Flush() { Do(outbox_.Flush()); }

  /// Keeps `place` as long as the stream is open. Call it before Start.
  void Hold(std::shared_ptr<void> place) { place_ = std::move(place); }

  /// Hears of the first message before OnMessage does. False: it goes on here. True: PassOn or
  /// Close is called, now or later, and nothing has been called before.
  using Divert = std::function<bool(const Request& first)>;

  /// Call it before Start.
  void SetDivert(Divert divert) { divert_ = std::move(divert); }

  /// Hands the stream over, its first message first; no-op if it has ended meanwhile. `passage`
  /// lives as long as the stream.
  void PassOn(std::shared_ptr<Passage> passage) {
    {
      const MutexLock lock(status_mutex_);
      if (has_status_) return;
      passage_ = std::move(passage);
    }
    passage_->Begin(read_);
  }

  /// Ends the stream with `status` after all replies added so far. The first call wins.
  void Close(grpc::Status status) {
    if (!SetStatus(std::move(status))) return;
    Do(outbox_.Close());
  }

 protected:
  virtual void OnMessage(const Request& request) = 0;
  /// `reply` is about to be written, on the thread that flushed it or ended the write before.
  virtual void OnWrite(const Reply& /*reply*/) {}
  virtual void OnHalfClosed() {}
  virtual void OnWritten() {}
  virtual void OnGone() {}

  /// Bytes that were added and are in no write yet.
  [[nodiscard]] std::size_t waiting_bytes() const { return outbox_.waiting_bytes(); }

 private:
  // Bytes of replies that may wait for a slow reader before its requests are left unread.
  static constexpr std::size_t kHoldBytes = 8 << 20;

  void OnReadDone(bool ok) final {
    if (passage_ != nullptr) return passage_->OnRead(ok);
    if (!ok) return OnHalfClosed();
    const std::size_t bytes = read_.Length();
    if (Status status = Parse(read_, request_); !status.ok()) return Close(ToGrpc(status));
    if (const Divert divert = std::exchange(divert_, nullptr); divert && divert(request_)) return;
    OnMessage(request_);
    Reuse(request_, bytes);
    if (!outbox_.HoldInput(kHoldBytes)) StartRead(&read_);
  }

  void OnWriteDone(bool ok) final {
    if (passage_ != nullptr) return passage_->OnWritten(ok);
    Do(outbox_.EndWrite(ok));
    if (ok) OnWritten();
    if (outbox_.ResumeInput()) StartRead(&read_);
  }

  void OnCancel() final {
    if (!SetStatus(grpc::Status::CANCELLED)) return passage_->OnCancel();
    Do(outbox_.Abort());
  }

  void OnDone() final {
    OnGone();
    passage_.reset();
    place_.reset();
    self_.reset();
  }

  void Do(Next next) {
    if (next == Next::kWrite) {
      OnWrite(outbox_.Writing());
      written_ = Serialize(outbox_.Writing());
      StartWrite(&written_);
    }
    if (next == Next::kFinish) Finish(TakeStatus());
  }

  /// False: the stream's end is its passage's.
  bool SetStatus(grpc::Status status) {
    const MutexLock lock(status_mutex_);
    if (passage_ != nullptr) return false;
    if (!has_status_) status_ = std::move(status);
    has_status_ = true;
    return true;
  }

  grpc::Status TakeStatus() {
    const MutexLock lock(status_mutex_);
    return std::move(status_);
  }

  std::shared_ptr<ServerStream> self_;
  std::shared_ptr<void> place_;
  Divert divert_;
  std::shared_ptr<Passage> passage_;  // set under the lock, before it starts anything
  grpc::ByteBuffer read_;
  Request request_;
  grpc::ByteBuffer written_;
  Outbox<Reply> outbox_;
  Mutex status_mutex_;
  grpc::Status status_ ABSL_GUARDED_BY(status_mutex_);
  bool has_status_ ABSL_GUARDED_BY(status_mutex_) = false;
};

}  // namespace twofold::rpc
