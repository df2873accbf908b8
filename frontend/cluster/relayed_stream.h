#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/server_stream.h"
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
/// Prepare context(), then give it to ServerStream::PassOn. Once it has begun it lives until the
/// call to the other frontend is over.
///
/// Threads  See rpc::Passage. Drop it on a thread of your own: it has a hold on a channel.
class RelayedStream final : public rpc::Passage,
                            public std::enable_shared_from_this<RelayedStream>,
                            private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  /// `method` is the path of the stream.
  RelayedStream(std::shared_ptr<Way> way, std::string method)
      : way_(std::move(way)), stub_(way_->dialer.Channel()), method_(std::move(method)) {}

  grpc::ClientContext& context() { return context_; }

  void Begin(std::shared_ptr<rpc::ByteStream> caller, std::string first) override;
  void OnRead(std::string_view bytes) override;
  void OnReadEnd() override;
  void OnWritten(bool ok) override;
  void OnCancel() override;

 private:
  /// What is under way for messages from the caller.
  enum class Upwards { kReading, kWriting, kOver };

  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  /// Whether messages from the caller were being waited for.
  bool Turn(Upwards next);
  /// Whether a message was on its way to the caller; it is not any more.
  bool TakeWriting();
  void EndDownwards();

  const std::shared_ptr<Way> way_;
  grpc::GenericStub stub_;
  const std::string method_;
  std::shared_ptr<RelayedStream> self_;  // until the call is over
  std::shared_ptr<rpc::ByteStream> caller_;
  grpc::ClientContext context_;
  grpc::ByteBuffer upwards_;    // from the caller
  grpc::ByteBuffer from_peer_;  // to the caller
  std::string downwards_;       // the same
  bool reached_ = false;

  Mutex mutex_;
  Upwards state_ ABSL_GUARDED_BY(mutex_) = Upwards::kWriting;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;    // by the other frontend
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;  // to the caller, who takes it or is gone
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;     // the caller
};

}  // namespace twofold::frontend
