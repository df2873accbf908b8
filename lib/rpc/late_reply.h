#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "lib/rpc/wire.h"

namespace twofold::rpc {

/// A unary call that is answered later, by whoever keeps the pointer. If nobody does before the
/// caller loses patience, it ends as cancelled; the first end wins.
///
/// Create with Make and hand `get()` to gRPC; it keeps itself alive until gRPC is done with it.
/// Threads  Safe.
class LateReply final : public grpc::ServerUnaryReactor,
                        public std::enable_shared_from_this<LateReply> {
 public:
  /// `reply` is the method's own.
  static std::shared_ptr<LateReply> Make(grpc::ByteBuffer& reply) {
    std::shared_ptr<LateReply> made(new LateReply(reply));
    made->self_ = made;
    return made;
  }

  /// Keeps `place` as long as the call is open. In the method.
  void Hold(std::shared_ptr<void> place) { place_ = std::move(place); }

  void Answer(const google::protobuf::Message& message) {
    End([&] { *reply_ = Serialize(message); }, grpc::Status::OK);
  }
  void Fail(const grpc::Status& status) {
    End([] {}, status);
  }

  /// Called once if the caller goes away before the end. Set it in the method.
  void WhenCancelled(std::function<void()> forget) {
    const std::lock_guard lock(mutex_);
    if (!ended_) when_cancelled_ = std::move(forget);
  }

 private:
  explicit LateReply(grpc::ByteBuffer& reply) : reply_(&reply) {}

  template <typename Fill>
  void End(const Fill& fill, const grpc::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(ended_, true)) return;
      fill();
      when_cancelled_ = nullptr;
    }
    Finish(status);
  }

  void OnCancel() override {
    std::function<void()> forget;
    {
      const std::lock_guard lock(mutex_);
      forget = std::exchange(when_cancelled_, nullptr);
    }
    if (forget) forget();
    Fail(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    place_.reset();
    self_.reset();
  }

  std::shared_ptr<LateReply> self_;
  std::shared_ptr<void> place_;
  std::mutex mutex_;
  grpc::ByteBuffer* const reply_;
  std::function<void()> when_cancelled_;
  bool ended_ = false;
};

}  // namespace twofold::rpc
