#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <memory>
#include <utility>

#include "lib/rpc/outbox.h"

namespace twofold::rpc {

/// The client's end of a bidirectional stream: reads one message after the other, writes through an
/// Outbox, and reports once how the stream ended.
///
/// Usage: make_shared, `stub->async()->Work(stream->context(), stream.get())`, Start. Keep the
/// pointer and the stub until `on_end` has been called, and drop them on a thread of your own.
///
/// Threads  Add, Flush, Close and Cancel from any thread. gRPC's threads call `on_message`, one
///          message at a time, and `on_end` after the last one; neither may block.
template <typename Request, typename Reply>
class ClientStream : public grpc::ClientBidiReactor<Request, Reply>,
                     public std::enable_shared_from_this<ClientStream<Request, Reply>> {
 public:
  using OnMessage = std::function<void(const Reply&)>;
  using OnEnd = std::function<void(const grpc::Status&)>;

  ClientStream(OnMessage on_message, OnEnd on_end)
      : on_message_(std::move(on_message)), on_end_(std::move(on_end)) {}

  grpc::ClientContext* context() { return &context_; }

  void Start() {
    self_ = this->shared_from_this();
    this->AddHold();  // writes are started outside of reactions, until kFinish
    this->StartRead(&reply_);
    this->StartCall();
  }

  template <typename Fill>
  bool Add(Fill&& fill) {
    return outbox_.Add(std::forward<Fill>(fill));
  }

  void Flush() { Do(outbox_.Flush()); }

  [[nodiscard]] std::size_t waiting_bytes() const { return outbox_.waiting_bytes(); }

  /// Half-closes after all messages added so far: the peer may still answer.
  void Close() { Do(outbox_.Close()); }

  /// Breaks the stream off; `on_end` gets CANCELLED, unless the stream ended before.
  void Cancel() { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) final {
    if (!ok) return Do(outbox_.Abort());  // the peer has ended the stream
    on_message_(reply_);
    this->StartRead(&reply_);
  }

  void OnWriteDone(bool ok) final { Do(outbox_.EndWrite(ok)); }

  // Drops its own reference before `on_end`: as the last one, it would destroy the channel here,
  // and gRPC must not destroy a channel on the thread that serves it.
  void OnDone(const grpc::Status& status) final {
    const OnEnd on_end = std::move(on_end_);
    self_.reset();
    on_end(status);
  }

  void Do(Next next) {
    if (next == Next::kWrite) this->StartWrite(&outbox_.Writing());
    if (next != Next::kFinish) return;
    this->StartWritesDone();
    this->RemoveHold();
  }

  OnMessage on_message_;
  OnEnd on_end_;
  std::shared_ptr<ClientStream> self_;
  grpc::ClientContext context_;
  Reply reply_;
  Outbox<Request> outbox_;
};

}  // namespace twofold::rpc
