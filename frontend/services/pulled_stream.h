#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/services/patience.h"
#include "lib/common/result.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/service.h"
#include "lib/rpc/wire.h"

namespace twofold::frontend {

using ByteWriter = rpc::ByteWriter;

/// A stream of messages that are made one at a time, each when the one before has been taken: a
/// slow reader costs no more memory. One that takes nothing for rpc::kCallerPatience is broken off.
/// Deletes itself when gRPC is done with it.
///
/// Threads  `next` is called on threads of gRPC, one call at a time.
template <typename Message>
class PulledStream final : public ByteWriter {
 public:
  using Next = std::function<Result<std::optional<Message>>()>;

  /// `place` is kept as long as the stream is open.
  static ByteWriter* Start(grpc::CallbackServerContext* context, Next next,
                           std::shared_ptr<void> place) {
    auto* const stream = new PulledStream(context, std::move(next), std::move(place));
    stream->Go();
    return stream;
  }

 private:
  PulledStream(grpc::CallbackServerContext* context, Next next, std::shared_ptr<void> place)
      : next_(std::move(next)),
        place_(std::move(place)),
        patience_([context] { context->TryCancel(); }) {}

  void Go() {
    const Result<std::optional<Message>> message = next_();
    if (!message.ok()) return Finish(rpc::ToGrpc(message.status()));
    if (!*message) return Finish(grpc::Status::OK);
    bytes_ = rpc::Serialize(**message);
    patience_.Start();
    StartWrite(&bytes_);
  }

  void OnWriteDone(bool ok) override {
    patience_.Stop();
    if (!ok) return Finish(grpc::Status::CANCELLED);
    Go();
  }
  void OnDone() override { delete this; }

  const Next next_;
  const std::shared_ptr<void> place_;
  grpc::ByteBuffer bytes_;
  Patience patience_;
};

/// A stream that ends at once.
struct RefusedStream {
  static ByteWriter* Start(const grpc::Status& why) { return rpc::Refuse<ByteWriter>(why); }
};

}  // namespace twofold::frontend
