#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/server_stream.h"
#include "lib/rpc/service.h"
#include "lib/security/client.h"

namespace twofold::frontend {

/// A connection to another frontend that streams share.
struct Way {
  Way(std::string address, security::Client security)
      : dialer(std::move(address), std::move(security)) {}

  rpc::Dialer dialer;
  std::atomic<bool> is_watched = false;  ///< by the kernel: a host that is gone is noticed
};

/// A caller's stream that goes on at another frontend: passes messages on as bytes, unread, in both
/// directions, and then how the stream ended. A message is read when the one before has been passed
/// on, so whoever does not read slows down whoever writes, and no more than two are held.
///
/// Prepare context(), then give it to ServerStream::PassOn.
///
/// Threads  See rpc::Passage. Drop it on a thread of your own: it has a hold on a channel.
class RelayedStream final : public rpc::Passage,
                            private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  /// `caller` and `context` are of the stream at the caller's side, `method` is its path.
  RelayedStream(std::shared_ptr<Way> way, std::string method, rpc::ByteStream& caller,
                grpc::CallbackServerContext& context)
      : way_(std::move(way)),
        stub_(way_->dialer.Channel()),
        method_(std::move(method)),
        caller_(caller),
        caller_context_(context) {}

  grpc::ClientContext& context() { return context_; }

  void Begin(const grpc::ByteBuffer& first) override;
  void OnRead(bool ok) override;
  void OnWritten(bool ok) override;
  void OnCancel() override;

 private:
  /// What is under way for messages from the caller.
  enum class Upwards { kReading, kWriting, kOver };

  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  const std::shared_ptr<Way> way_;
  grpc::GenericStub stub_;
  const std::string method_;
  rpc::ByteStream& caller_;
  grpc::CallbackServerContext& caller_context_;
  grpc::ClientContext context_;
  grpc::ByteBuffer upwards_;    // from the caller
  grpc::ByteBuffer downwards_;  // to the caller
  bool reached_ = false;

  Mutex mutex_;
  Upwards state_ ABSL_GUARDED_BY(mutex_) = Upwards::kWriting;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;  // by the other frontend
};

}  // namespace twofold::frontend
